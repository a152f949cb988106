import DemoAPI
import PluginABI

/// Replaces three full stops by an ellipsis; Japanese uses two of them in a row.
final class Ellipsis: TextFilter {
    private var ellipsis = "…"
    private var prose = Prose()

    init(context: PluginContext) {}

    func begin(_ document: Document) { ellipsis = document.language.hasPrefix("ja") ? "……" : "…" }

    func filter(_ passage: String) -> String {
        prose.edit(passage) { [ellipsis] text, index, output in
            guard text[index] == .period else { return 0 }
            let length = text.run(of: .period, at: index)
            // `.../` is a path; `..` and four and more are something else.
            if length == 3 && text.byte(at: index + 3) != UInt8(ascii: "/") {
                output += ellipsis.utf8
            } else {
                output += repeatElement(.period, count: length)
            }
            return length
        }
    }
}
