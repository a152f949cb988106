@_spi(Tools) import ELFImages
internal import HostBasics
internal import InterfaceRecords
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// The interfaces that a plug-in's code was compiled against, for `PHInterfaces` in its Info.plist.
///
/// They come from the libraries that the code is linked with, and are compared with the names of the functions in the
/// code itself. So they must be read before the code is stripped.
struct CompiledInterfaces {
    /// The value of `PHInterfaces`; nil if there is nothing to record.
    private(set) var list: PropertyList?
    /// An error if the code was compiled against other modules than those beside the library, and warnings about what is
    /// not recorded.
    private(set) var findings: [PluginFinding] = []

    private let path: String

    /// Reads the code, and the libraries that it is linked with.
    ///
    /// `path`: the code, before it is stripped. `program`: the application's executable, if it is known.
    init(of path: String, program: String?) {
        self.path = path
        // The check of the bundle reports a file that is not code.
        guard let file = try? LinkedFile(path: path) else { return }
        let witnesses = PluginWitnesses(of: file)
        let libraries = Self.libraries(of: file, program: program)
        guard !libraries.isEmpty, !witnesses.conformances.isEmpty || !witnesses.neededNames.isEmpty else { return }
        var record = InterfaceRecord()
        var needed: [String: String] = [:]
        var unknown: [String: String] = [:]
        for (name, library) in libraries {
            let modules = LibraryInterfaces(of: library).modules.subtracting(witnesses.modules)
            guard !modules.isEmpty else { continue }
            do throws(PackingError) {
                let found = try InterfaceRecorder.record(ofLibrary: library.path, hasFunctions: false)
                record.modules.merge(found.modules) { first, _ in first }
            } catch {
                warn(error.message, error.remedy)
            }
            for module in modules {
                needed[module] = name
                if record.modules[module] == nil { unknown[module] = library.path }
            }
        }
        let own = witnesses.conformances.filter { needed[Self.module(of: $0.interface)] != nil }
        guard !own.isEmpty || !record.isEmpty else { return }
        guard let code = witnesses.buildIdentifier else {
            warn(
                "\(quoted(path)) has no build-id, so its Info.plist cannot state which interfaces it was compiled against.",
                "Link the code with --build-id, as compilers do unless an option forbids it.")
            return
        }
        let isStripped = !own.isEmpty && own.allSatisfy { $0.functions == nil }
        if isStripped {
            warn(
                "\(quoted(path)) was stripped, so nothing proves which interfaces it was compiled against.",
                "Pack the code as the linker wrote it; --strip removes the symbols afterwards.")
            return
        }
        verify(own, against: record)
        var used = record.used(
            interfaces: Set(own.map(\.interface)), naming: witnesses.neededNames, library: { needed[$0] })
        for module in unknown.keys { used.modules[module] = Self.ofSymbols(own, module, needed[module]) }
        guard !used.isEmpty, case .dictionary(var values) = used.list else { return }
        values[Manifest.codeKey] = .string(code)
        list = .dictionary(values)
    }

    private mutating func warn(_ message: String, _ remedy: String) {
        findings.append(
            PluginFinding(.warning, .interfaceUnrecorded, filePath: path, message: message, remedy: remedy))
    }

    /// The libraries that the code is linked with, under the names by which it needs them, without those of the system.
    static func libraries(of file: LinkedFile, program: String?) -> [(name: String, file: LinkedFile)] {
        let finder = LibraryFinder(obeysEnvironment: true)
        let host = program.flatMap { try? LinkedFile(path: $0) }
        return file.needed.filter { name in !name.contains("/") && !InterfaceRecorder.isForeign(name) }
            .compactMap { name in
                // In a build folder the library is beside the code, whatever the search path says.
                let beside = Path.join(Path.parent(Path.resolved(file.path) ?? file.path), name)
                if let found = try? LinkedFile(path: beside) { return (name, found) }
                let chain = [file] + [host].compactMap(\.self)
                guard case .found(let found, isOfSystem: false) = finder.find(name, neededBy: chain) else { return nil }
                return (name, found)
            }
    }

    private static func module(of name: String) -> String { String(name.prefix { $0 != "." }) }

    /// The protocols of a module for which there is nothing but the functions in the code.
    private static func ofSymbols(
        _ conformances: [PluginWitnesses.Conformance], _ module: String, _ library: String?
    ) -> InterfaceRecord.Module? {
        let own = conformances.filter { Self.module(of: $0.interface) == module }
        var result = InterfaceRecord.Module(
            hasEvolution: own.contains(where: \.hasEvolution), isOfSymbols: true, library: library)
        for conformance in own {
            guard let functions = conformance.functions else { continue }
            result.interfaces[conformance.interface] = InterfaceRecord.Interface(requirements: functions)
        }
        return result.interfaces.isEmpty ? nil : result
    }

    /// Compares the functions in the code with the modules, which may be of another build than the code.
    private mutating func verify(_ conformances: [PluginWitnesses.Conformance], against record: InterfaceRecord) {
        var seen: Set<String> = []
        for conformance in conformances {
            guard let functions = conformance.functions,
                let interface = record.modules[Self.module(of: conformance.interface)]?.interfaces[
                    conformance.interface],
                let difference = interface.difference(from: functions, isOrdered: !conformance.hasEvolution),
                seen.insert(conformance.interface).inserted
            else { continue }
            findings.append(
                PluginFinding(
                    .interfaceMismatch, filePath: path, subject: conformance.interface,
                    message: "The type \(quoted(conformance.type ?? "?")) in \(quoted(path)) implements "
                        + "\(quoted(conformance.interface)) with \(difference.code), where the module of its library "
                        + "has \(difference.module).",
                    remedy: "Build the plug-in and its application's API again, from clean build folders."))
        }
    }
}
