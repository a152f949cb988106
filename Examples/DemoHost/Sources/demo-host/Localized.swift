import PluginHost

/// The program's own strings, in the user's language.
///
/// They are in DemoHost.bundle, beside the program or where the package manager puts its resources.
private let strings: PluginBundle = {
    let directory = PluginBundle.main.bundlePath
    let places = ["\(directory)/DemoHost.bundle", "\(directory)/DemoHost_demo-host.resources/DemoHost.bundle"]
    return places.compactMap { PluginBundle(path: $0) }.first ?? .main
}()

/// The text for a key in the user's language.
///
/// `key`: the English text. `arguments`: the values for {0}, {1} and so on.
func localized(_ key: String, _ arguments: String...) -> String {
    let format = strings.localizedString(forKey: key, value: nil, table: nil)
    var text = ""
    var rest = format[...]
    // In one pass, so that braces in a document's name are not taken for a placeholder.
    while let open = rest.firstIndex(of: "{") {
        text += rest[..<open]
        rest = rest[rest.index(after: open)...]
        guard let close = rest.firstIndex(of: "}"), let number = Int(rest[..<close]), number < arguments.count else {
            text += "{"
            continue
        }
        text += arguments[number]
        rest = rest[rest.index(after: close)...]
    }
    return text + rest
}

/// The language of the program's texts, as a BCP 47 tag.
let userLanguage = strings.preferredLocalizations.first ?? "en"
