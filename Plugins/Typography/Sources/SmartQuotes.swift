import DemoAPI
import PluginABI

/// Replaces typewriter quotation marks and apostrophes by those of the document's language.
final class SmartQuotes: TextFilter {
    private struct Style {
        var double: (open: String, close: String)
        var single: (open: String, close: String)

        init(language: String) {
            switch language.prefix(2) {
            case "fr": (double, single) = (("«\u{A0}", "\u{A0}»"), ("‘", "’"))
            case "de": (double, single) = (("„", "“"), ("‚", "‘"))
            case "ja": (double, single) = (("「", "」"), ("『", "』"))
            default: (double, single) = (("“", "”"), ("‘", "’"))
            }
        }
    }

    private var style = Style(language: "en")
    private var prose = Prose()

    init(context: PluginContext) {}

    func begin(_ document: Document) { style = Style(language: document.language) }

    func filter(_ passage: String) -> String {
        prose.edit(passage) { [style] text, index, output in
            switch text[index] {
            case UInt8(ascii: "\""):
                let opens = text.opensQuotation(at: index)
                output += (opens ? style.double.open : style.double.close).utf8
                return 1
            case UInt8(ascii: "'"):
                let (before, after) = (text.byte(at: index - 1), text.byte(at: index + 1))
                if before.isLetter && after.isLetter || after.isDigit {
                    output += "’".utf8  // it's, the ’90s
                } else {
                    let opens = text.opensQuotation(at: index) && !after.isBlank
                    output += (opens ? style.single.open : style.single.close).utf8
                }
                return 1
            default: return 0
            }
        }
    }
}

extension Span<UInt8> {
    /// Whether a space, a bracket or a dash comes before a quotation mark at an index.
    fileprivate func opensQuotation(at index: Int) -> Bool {
        let before = byte(at: index - 1)
        if before.isBlank { return true }
        switch before {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "-"), UInt8(ascii: "="),
            UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            return !byte(at: index + 1).isBlank && byte(at: index + 1) != UInt8(ascii: ".")
        default:
            // An en or em dash is E2 80 93 or E2 80 94.
            return (before == 0x93 || before == 0x94) && byte(at: index - 2) == 0x80 && byte(at: index - 3) == 0xE2
        }
    }
}
