import CPluginSupport
import HostBasics

extension CompleteInspection {
    /// The module of which host and plug-in must share one copy.
    private static let sharedModule = "PluginABI"
    /// The standard library, which each process contains only once.
    private static let standardLibrary = "Swift"

    // MARK: - One copy of each module

    /// Reports Swift modules that two files in the process contain: their types are different, and casts between them
    /// fail silently.
    mutating func checkModules() {
        for file in closure.newFiles {
            for module in file.modules.sorted() {
                switch module {
                case Self.sharedModule: addOwnCopy(in: file)
                case Self.standardLibrary where !Self.isSwiftRuntime(file): addOwnRuntime(in: file)
                case Self.standardLibrary: break
                default: checkModule(module, in: file)
                }
            }
        }
        checkProgramRuntime()
    }

    private mutating func addOwnCopy(in file: ELFFile) {
        guard file !== self.file else {
            return add(
                .duplicateABI, path: file.path, subject: Self.sharedModule,
                "The plug-in \(quoted(file.path)) contains its own copy of the module \(Self.sharedModule), so the host does "
                    + "not recognise its classes.",
                "In its Package.swift, which must be a different package than PluginHost, depend on "
                    + ".product(name: \"PluginHost\", package: \"PluginHost\") instead of on a target: that product is "
                    + ".dynamic, and host and plug-in then share one copy.")
        }
        // The library may contain the only copy, if the program was not linked with PluginHost.
        guard let other = host.libraries.first(where: { $0.modules.contains(Self.sharedModule) })?.path else { return }
        add(
            .duplicateABI, path: file.path, subject: Self.sharedModule,
            "The library \(quoted(file.path)), which the plug-in needs, contains the module \(Self.sharedModule), and so does "
                + "\(quoted(other)): the host does not recognise the plug-in's classes.",
            "In the Package.swift of \(quoted(Path.lastComponent(other))), depend on .product(name: \"PluginHost\", package: "
                + "\"PluginHost\") in a different package than PluginHost, so that it uses the library and has no copy."
        )
    }

    /// Two plug-ins may contain the same module, but a plug-in and the host may not.
    private mutating func checkModule(_ module: String, in file: ELFFile) {
        let inHost = host.libraries.first { $0.modules.contains(module) }?.path
        // If two new files contain it, report it once, for the later one.
        let inNew = closure.newFiles.prefix { $0 !== file }.first { $0.modules.contains(module) }?.path
        guard let other = inHost ?? inNew else { return }
        warn(
            .duplicateABI, path: file.path, subject: module,
            "The Swift module \(quoted(module)) is contained in \(quoted(file.path)) and in \(quoted(other)): the types of "
                + "the two copies are different, and casts between them fail.",
            "If host and plug-in exchange types of \(module), make it a .library(type: .dynamic) product in a "
                + "separate package, and let both depend on that product; otherwise ignore this."
        )
    }

    private mutating func addOwnRuntime(in file: ELFFile) {
        add(
            .duplicateABI, path: file.path, subject: Self.standardLibrary,
            "\(quoted(file.path)) contains its own copy of the Swift runtime, so the process would have two.",
            "Build it without -static-stdlib and without --static-swift-stdlib.")
    }

    /// Reports a program that has the Swift runtime linked into it, if the plug-in needs the shared runtime.
    private mutating func checkProgramRuntime() {
        guard let program = host.libraries.first, let file = program.file, !Self.isSwiftRuntime(file),
            program.modules.contains(Self.standardLibrary),
            closure.newFiles.contains(where: { $0.needed.contains("libswiftCore.so") })
        else { return }
        add(
            .duplicateABI, subject: Self.standardLibrary,
            "The program \(quoted(program.path)) has the Swift runtime linked into it, but \(quoted(self.file.path)) "
                + "needs the shared one, so the process would have two.",
            "Build the program without -static-stdlib (swift build without --static-swift-stdlib), and ship the "
                + "runtime's libraries next to it."
        )
    }

    /// All libraries of the toolchain define parts of the module Swift.
    static func isSwiftRuntime(_ file: ELFFile) -> Bool {
        let name = file.ownName ?? Path.lastComponent(file.path)
        return isSwiftLibrary(name) || name == "libdispatch.so" || name == "libTesting.so" || name == "libXCTest.so"
    }

    // MARK: - Marks of the build

    /// Reports a note that is not in a segment, where neither the dynamic linker's tools nor the check before a load
    /// find it.
    mutating func checkNotesInSections() {
        guard quick.note == nil, let section = file.section(named: PLUGIN_NOTE_SECTION),
            let bytes = file.content(of: section, limit: 64 << 10)
        else { return }
        var found = 0
        var findings: [PluginFinding] = []
        bytes.withUnsafeBytes { bytes in
            for descriptor in OwnNotes(in: bytes, alignment: 4) {
                found += 1
                do throws(PluginNote.Fault) {
                    let note = try PluginNote(descriptor: descriptor)
                    findings += NoteComparison(path: file.path).findings(for: note)
                } catch {
                    findings += NoteComparison(path: file.path).findings(for: error)
                }
            }
        }
        guard found > 0 else { return }
        warn(
            .abiMismatch, subject: PLUGIN_NOTE_SECTION,
            "\(quoted(file.path)) has its note only in the section \(PLUGIN_NOTE_SECTION) and in no PT_NOTE segment, "
                + "so the check before a load does not see it.",
            "Link the plug-in again, and change its search path with -rpath at link time: old versions of patchelf "
                + "move notes."
        )
        add(findings)
    }

    /// Reports a Swift file without a note whose compilers do not match the host.
    ///
    /// The compilers are those listed in `.comment`. Each compiled a part of the file, and one may be the system's C
    /// compiler, so a file is reported only if none of them matches the host's.
    mutating func checkToolchain() {
        guard quick.note == nil, file.section(named: PLUGIN_NOTE_SECTION) == nil, file.isSwift,
            let own = ELFFile.revisions(in: PluginNote.hostToolchain).first
        else { return }
        let theirs = file.compilerRevisions
        guard let other = theirs.first, !theirs.contains(own) else { return }
        warn(
            .toolchainMismatch, subject: other,
            "\(quoted(file.path)) was compiled by a Swift toolchain of the LLVM revision \(other); this host was "
                + "compiled by that of \(own).",
            "Build the plug-in with the host's Swift toolchain: Swift code of two toolchains does not work together "
                + "on Linux."
        )
    }
}
