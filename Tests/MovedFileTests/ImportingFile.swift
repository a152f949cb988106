// A file that has the alias of another one and imports PluginHost itself, as where the alias does not export it.

import Foundation
import PluginHost

struct ImportingFile {
    let bundle: Bundle

    var text: String { NSLocalizedString("hello", bundle: bundle, comment: "") }
    static var loadedClassesKey: String { NSLoadedClasses }
}
