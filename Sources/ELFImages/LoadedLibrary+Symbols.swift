package import CPluginSupport
import Glibc

/// The plug-in's entry, as the C ABI declares it.
package typealias EntryFunction = @convention(c) (UnsafePointer<plugin_host>) -> plugin_status

extension LoadedLibrary {
    /// The address of a symbol in this file or in a library that it needs.
    ///
    /// This is the only place that calls dlsym().
    package func address(of symbol: String) -> UnsafeMutableRawPointer? {
        symbol.withCString { dlsym(handle, $0) }
    }

    /// The function `plugin_entry` of the file.
    ///
    /// The inspection before the load has verified that the file defines it as a function.
    package var entry: EntryFunction? {
        // The ABI guarantees the type for this name; the note and the magic number in the table guard against another
        // type.
        address(of: ELFInspector.entrySymbol).map { unsafeBitCast($0, to: EntryFunction.self) }
    }
}

extension LoadedLibrary {
    /// A C function that this file defines.
    ///
    /// A library that the file needs may define the same name, and dlsym() could find the library's function, which is
    /// not the plug-in's.
    package func code(of symbol: String) -> plugin_code? {
        guard let address = address(of: symbol), LoadedLibraries.base(containing: address) == base else { return nil }
        return unsafeBitCast(address, to: plugin_code?.self)
    }
}
