import DemoAPI
import PluginABI

/// Puts one space between words and none at the end of a line, and uses only line feeds as line ends.
///
/// In French, the space before `; : ! ?` becomes a non-breaking one.
final class Spacing: TextFilter {
    private var isFrench = false
    private var prose = Prose()

    init(context: PluginContext) {}

    func begin(_ document: Document) { isFrench = document.language.hasPrefix("fr") }

    func filter(_ passage: String) -> String {
        prose.edit(passage) { [isFrench] text, index, output in
            switch text[index] {
            case 0x0D: return text.byte(at: index + 1) == .newline ? 1 : 0
            case .space, 0x09:
                var end = index
                while end < text.count, text[end] == .space || text[end] == 0x09 { end += 1 }
                let after = text.byte(at: end)
                if after == .newline || after == 0x0D && text.byte(at: end + 1) == .newline { return end - index }
                if text.byte(at: index - 1) == .newline { return 0 }  // keeps the indentation
                if index > 0, text[index - 1] == .space || text[index - 1] == 0x09 { return 0 }
                switch after {
                case UInt8(ascii: ";"), UInt8(ascii: "!"), UInt8(ascii: "?"):
                    output += (isFrench ? "\u{202F}" : " ").utf8
                case UInt8(ascii: ":"): output += (isFrench ? "\u{A0}" : " ").utf8
                default: output.append(.space)
                }
                return end - index
            default: return 0
            }
        }
    }
}
