import CPluginSupport.Shims
import Glibc
import HostBasics

/// The Swift classes that one loaded ELF file defines, read from its type records: two plug-ins may have classes with
/// the same name, which a look-up through the runtime could not distinguish.
///
/// **Threads.** Any. **Cost.** 4 to 200 microseconds, depending on the number of types; nothing is cached.
package struct LibraryClasses: Sendable {
    /// The type records in memory; empty for a file without Swift.
    private let start: UInt
    private let length: UInt

    /// - Parameter base: the start address of the loaded file, as the dynamic linker reports it.
    package init(ofLibraryAt base: UInt) {
        var search = Search(base: base)
        withUnsafeMutablePointer(to: &search) { search in
            phs_each_swift_library(
                { library, context in
                    guard let library, let search = context?.assumingMemoryBound(to: Search.self) else { return false }
                    guard UInt(bitPattern: library.pointee.header) == search.pointee.base else { return true }
                    search.pointee.start = UInt(bitPattern: library.pointee.types)
                    search.pointee.length = UInt(library.pointee.types_length)
                    return false
                }, search)
        }
        start = search.start
        length = search.length
    }

    private struct Search {
        let base: UInt
        var start: UInt = 0
        var length: UInt = 0
    }

    /// The names of the file's classes, as “Module.Class” or “Module.Outer.Inner”.
    ///
    /// They are in source order within a source file; the source files are in the order in which they were compiled.
    /// The list includes private, nested and local classes, but not generic ones. No code of the plug-in runs.
    package var names: [String] {
        var names: [String] = []
        each { context in
            if let name = context.qualifiedName { names.append(name) }
            return true
        }
        return names
    }

    /// The class with a name, or nil.
    ///
    /// The name is “Reporter”, “Module.Reporter”, “Outer.Inner” or “Module.Outer.Inner”; no other form is accepted. A
    /// match with the module is preferred to one without. If several are equal (private classes of two files), the
    /// first is used.
    ///
    /// Runs the class's metadata accessor, which is code of the plug-in.
    package func `class`(named wanted: String) -> AnyClass? {
        var withoutModule: TypeContext<ProcessMemory>?
        var complete: TypeContext<ProcessMemory>?
        let lastName = wanted.split(separator: ".").last.map(String.init)
        each { context in
            // The last name is compared first, so that the walk up to the module is skipped for all other classes.
            guard context.name == lastName, let name = context.qualifiedName else { return true }
            if name == wanted {
                complete = context
                return false
            }
            if withoutModule == nil, Self.nameWithoutModule(name) == wanted { withoutModule = context }
            return true
        }
        return (complete ?? withoutModule).flatMap(Self.class(of:))
    }

    private func each(_ body: (TypeContext<ProcessMemory>) -> Bool) {
        guard start != 0 else { return }
        TypeContext.each(in: ProcessMemory(), at: UInt64(start), length: UInt64(length)) { context in
            guard context.kind == .class, !context.isGeneric else { return true }
            return body(context)
        }
    }

    private static func `class`(of context: TypeContext<ProcessMemory>) -> AnyClass? {
        HeldLocks.preconditionNone(before: "the metadata accessor of a plug-in's class")
        guard let accessor = context.accessor.flatMap({ UnsafeRawPointer(bitPattern: UInt($0)) }),
            let metadata = phs_call_metadata_accessor(accessor)
        else { return nil }
        // A pointer to a class's metadata is the class: AnyClass is one pointer on Linux.
        return unsafeBitCast(metadata, to: AnyClass.self)
    }

    // MARK: - From a class

    /// The start address of the loaded file that defines a class.
    ///
    /// This also works for a generic class, whose metadata is on the heap but whose descriptor is not.
    package static func base(ofLibraryDefining aClass: AnyClass) -> UInt? {
        descriptor(of: aClass).flatMap { LoadedLibraries.base(containing: $0) }
    }

    /// The class's own name, without module and outer types.
    ///
    /// It needs one memory access, while `String(describing:)` makes the runtime build, cache and demangle a name.
    package static func ownName(of aClass: AnyClass) -> String {
        context(of: aClass)?.name ?? String(describing: aClass)
    }

    /// Whether a name equals ``ownName(of:)``; the comparison copies nothing.
    package static func hasOwnName(_ name: String, class aClass: AnyClass) -> Bool {
        guard let address = context(of: aClass)?.nameAddress, let text = UnsafePointer<CChar>(bitPattern: UInt(address))
        else { return name == String(describing: aClass) }
        return UnsafeRawBufferPointer(start: text, count: strlen(text)).holds(name)
    }

    private static func context(of aClass: AnyClass) -> TypeContext<ProcessMemory>? {
        descriptor(of: aClass).flatMap { TypeContext(ProcessMemory(), at: UInt64(UInt(bitPattern: $0))) }
    }

    private static func descriptor(of aClass: AnyClass) -> UnsafeRawPointer? {
        phs_type_context_descriptor(unsafeBitCast(aClass, to: UnsafeRawPointer.self))
    }
}
