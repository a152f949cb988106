import PluginHost

/// The program's own strings, in the user's language: the bundle DemoHost.bundle, beside the program or where the
/// package manager puts its resources.
private let strings: PluginBundle = {
    let directory = PluginBundle.main.bundlePath
    let places = ["\(directory)/DemoHost.bundle", "\(directory)/DemoHost_demo-host.resources/DemoHost.bundle"]
    return places.lazy.compactMap { PluginBundle(path: $0) }.first ?? .main
}()

/// The text in the user's language. `key`: the English text. `arguments`: what takes the places of {0}, {1} and so on.
func localized(_ key: String, _ arguments: String...) -> String {
    let format = strings.localizedString(forKey: key, value: nil, table: nil)
    var text = ""
    var rest = format[...]
    // In one pass, so that a document's name with braces in it is not taken for a place.
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

/// The language that the program speaks, as a BCP 47 tag.
let userLanguage = strings.preferredLocalizations.first ?? "en"
