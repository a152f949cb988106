// A file that uses the alias of another file and imports PluginHost itself, as needed if the alias does not export it.

import Foundation
import PluginHost

struct ImportingFile {
    let bundle: Bundle

    var text: String { NSLocalizedString("hello", bundle: bundle, comment: "") }
    static var loadedClassesKey: String { NSLoadedClasses }
}
