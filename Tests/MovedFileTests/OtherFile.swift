// A file that moves by the alias of another one, and uses the functions that accompany NSBundle on Apple's systems.

import Foundation

struct OtherFile {
    let bundle: Bundle

    /// A text of the bundle, of one of its tables, and of the main bundle.
    var texts: [String] {
        [
            NSLocalizedString("hello", bundle: bundle, comment: "A word to the translator"),
            NSLocalizedString("hello", tableName: "Other", bundle: bundle, value: "", comment: ""),
            NSLocalizedString("no such key", comment: ""),
        ]
    }

    static var loadedClassesKey: String { NSLoadedClasses }
    static func isLoad(_ name: Notification.Name) -> Bool { name == Bundle.didLoadNotification }
}
