internal import CPluginSupport.Shims
import HostBasics

/// The file with the code of this library.
@_spi(Tools) public enum OwnLibrary {
    /// The directory of the file, with its links resolved; nil if it is not known.
    ///
    /// The library is linked into a program if it is not a file of its own; then it is the program's directory.
    public static var directory: String? {
        LoadedLibraries.path(containing: phs_own_address()).flatMap(Path.resolved).map(Path.parent)
    }
}
