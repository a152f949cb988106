import CPluginSupport.Shims
import Glibc
package import HostBasics

/// A shared object that the dynamic linker has opened.
///
/// This is the only place that calls dlopen(). Nothing calls dlclose(): after Swift code is unmapped, the next cast or
/// conformance look-up anywhere in the process crashes.
package struct LoadedLibrary: @unchecked Sendable {
    // @unchecked because of the pointer: a handle that is never closed is a constant.
    package let handle: UnsafeMutableRawPointer
    /// The number that is added to the file's addresses.
    package let base: UInt
    /// How its constructors changed the way in which the thread calculates, which was undone; nil if they did not.
    package let floatChange: FloatChange?

    package init(handle: UnsafeMutableRawPointer, base: UInt, floatChange: FloatChange? = nil) {
        self.handle = handle
        self.base = base
        self.floatChange = floatChange
    }

    /// Opens a shared object.
    ///
    /// `path`: must contain a slash; otherwise the dynamic linker would search for it. Throws the dynamic linker's
    /// message.
    package static func open(path: String) throws(LinkerMessage) -> LoadedLibrary {
        HeldLocks.preconditionNone(before: "the constructors of a library")
        // NOW, so that an undefined symbol is an error here and not an abort in the middle of a call; LOCAL, so that
        // two plug-ins may define the same name; NODELETE, so that no dlclose() can unmap it.
        let mode = RTLD_NOW | RTLD_LOCAL | CInt(RTLD_NODELETE)
        let float = FloatState.current
        let opened = path.withCString { dlopen($0, mode) }
        let floatChange = float.restore(after: .opening)
        guard let handle = opened else { throw LinkerMessage.take() }
        var library = phs_library()
        guard phs_library_of_handle(handle, &library) else { throw LinkerMessage.take() }
        return LoadedLibrary(handle: handle, base: UInt(library.base), floatChange: floatChange)
    }

    /// The program, which is in the process from its start.
    package static let program: LoadedLibrary? = dlopen(nil, RTLD_LAZY | RTLD_LOCAL).flatMap { handle in
        LoadedLibraries.all().first(where: \.isMainProgram).map { LoadedLibrary(handle: handle, base: $0.header) }
    }

    /// Whether the dynamic linker has loaded a library with a name.
    ///
    /// It searches as for a needed library. A library that is found stays loaded.
    package static func isPresent(_ name: String) -> Bool { handle(ofPresent: name) != nil }

    /// The handle of a library that the dynamic linker has loaded, by name or path; nil if it has not.
    package static func handle(ofPresent name: String) -> UnsafeMutableRawPointer? {
        let mode = RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD | CInt(RTLD_NODELETE)
        if let handle = name.withCString({ dlopen($0, mode) }) { return handle }
        _ = LinkerMessage.take()
        return nil
    }
}

/// The dynamic linker's message about its last failure on this thread.
package struct LinkerMessage: Error {
    package let text: String

    /// Takes the message; dlerror() returns each only once.
    package static func take() -> LinkerMessage {
        LinkerMessage(text: dlerror().map { String(cString: $0) } ?? "the dynamic linker failed and gave no reason")
    }
}
