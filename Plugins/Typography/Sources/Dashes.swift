import DemoAPI
import PluginABI

/// Sets `--` and a hyphen between spaces as an en dash, `---` as an em dash.
///
/// Rules and table borders of Markdown (`-----`, `|---|`) and options of commands (`--output`) stay unchanged.
final class Dashes: TextFilter {
    private var prose = Prose()

    init(context: PluginContext) {}

    func filter(_ passage: String) -> String {
        prose.edit(passage) { text, index, output in
            guard text[index] == .hyphen else { return 0 }
            let length = text.run(of: .hyphen, at: index)
            let (before, after) = (text.byte(at: index - 1), text.byte(at: index + length))
            let dash: String? =
                switch length {
                case 1 where before == .space && after == .space && !text.byte(at: index - 2).isBlank: "–"
                case 2 where before.joinsDash && after.joinsDash && before.isBlank == after.isBlank: "–"
                case 3 where before.joinsDash && after.joinsDash && !before.isLineEnd: "—"
                default: nil
                }
            output += (dash ?? String(repeating: "-", count: length)).utf8
            return length
        }
    }
}

extension UInt8 {
    fileprivate var isLineEnd: Bool { self == .newline || self == 0x0D }
    /// Whether a dash may be next to it.
    fileprivate var joinsDash: Bool { isLetter || isDigit || self == .space }
}
