import FoundationEssentials
import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// The declarations of a compiled module, as `swift-api-digester -dump-sdk -abi` writes them, in the order of the sources.
///
/// Only this form has the accessors, and the order that the compiler gives the requirements of a protocol. The
/// digester's own comparison does not report two requirements that changed places, so it is not used.
struct ModuleDump: Decodable {
    struct Node: Decodable {
        let kind: String
        let printedName: String
        let children: [Node]?
        let declKind: String?
        let mangledName: String?
        let declAttributes: [String]?
        let genericSig: String?
        let protocolReq: Bool?
        let reqNewWitnessTableEntry: Bool?
        let overriding: Bool?
        let isFromExtension: Bool?
        let isExternal: Bool?
        let isInternal: Bool?
        let isEnumExhaustive: Bool?
        let isOpen: Bool?
        let isLet: Bool?
        let isStatic: Bool?
        let throwing: Bool?
        let hasStorage: Bool?
        let hasDefaultArg: Bool?
        let fixedbinaryorder: Int?
        let ownership: Int?
        let accessorKind: String?
        let accessors: [Node]?
        let initKind: String?
        let superclassNames: [String]?
        let conformances: [Conformance]?

        private enum CodingKeys: String, CodingKey {
            case kind, printedName, children, declKind, mangledName, declAttributes, protocolReq
            case reqNewWitnessTableEntry, overriding, isFromExtension, isExternal, isInternal, isEnumExhaustive, isOpen
            case isLet, throwing, hasStorage, hasDefaultArg, fixedbinaryorder, ownership, accessorKind, accessors
            case superclassNames, conformances
            case isStatic = "static"
            case initKind = "init_kind"
            case genericSig = "sugared_genericSig"
        }

        func has(_ attribute: String) -> Bool { declAttributes?.contains(attribute) ?? false }
        var members: [Node] { children ?? [] }
    }

    struct Conformance: Decodable {
        let printedName: String
        let mangledName: String?
    }

    let root: Node

    private enum CodingKeys: String, CodingKey {
        case root = "ABIRoot"
    }

    /// The dump of a large module has a few tens of megabytes.
    private static let sizeLimit = 256 << 20

    /// Runs the digester.
    ///
    /// - Throws: ``PackingError`` of code `toolFailed` if there is no digester, or if it cannot read the module: another
    ///   compiler made it, or a module that it imports is missing.
    init(module: String, in folder: ModuleFolder) throws(PackingError) {
        let digester = try Self.digester(for: module, in: folder)
        let scratch = try TemporaryDirectory()
        let output = Path.join(scratch.path, "dump.json")
        let said = Path.join(scratch.path, "errors.txt")
        let command =
            [digester, "-dump-sdk", "-abi", "-avoid-location", "-module", module] + folder.arguments + ["-o", output]
        // The digester ends with 0 even if it cannot load the module, and states why on standard error.
        try? ChildProgram.run(command, to: "read the module \(module)", errors: said)
        do {
            let bytes = try OpenedFile(path: output).bytes(atMost: Self.sizeLimit)
            let dump = try JSONDecoder().decode(Self.self, from: Data(bytes))
            guard !dump.root.members.isEmpty else { throw Empty() }
            self = dump
        } catch {
            let reason = (try? OpenedFile(path: said).bytes(atMost: 4096)).map { String(decoding: $0, as: UTF8.self) }
            let line = reason?.split(separator: "\n").first { $0.contains("error:") }
            let lacksModule = ["missing required module", "no such module"].contains { line?.contains($0) ?? false }
            throw PackingError(
                .toolFailed, path: folder.path,
                message: "swift-api-digester cannot read the module \(quoted(module)) in \(quoted(folder.path))"
                    + (line.map { ": \($0.trimmed)" } ?? "") + ".",
                remedy: lacksModule
                    ? "Put the missing module beside it, or name the library in its own build folder: “pluginhost "
                        + "record LIBRARY”."
                    : "Build the module again with the toolchain whose swift is in PATH.")
        }
    }

    /// The digester that reads a module; the programs of its toolchain are beside it.
    ///
    /// - Throws: ``PackingError`` of code `toolFailed` if the toolchain has none, or there is no toolchain.
    static func digester(for module: String, in folder: ModuleFolder) throws(PackingError) -> String {
        if let digester { return digester }
        throw PackingError(
            .toolFailed, path: folder.path,
            message: "There is no swift-api-digester beside the swift of PATH, so nothing states the interfaces of "
                + "the module \(quoted(module)).",
            remedy: "Install a toolchain of swift.org, or put its usr/bin into PATH.")
    }

    /// The digester writes a dump without declarations for a module that it cannot load.
    private struct Empty: Error {}

    /// The digester beside the swift of `PATH`.
    private static let digester: String? = {
        let directories = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":")
        for directory in directories {
            guard let swift = Path.resolved("\(directory)/swift") else { continue }
            for folder in [String(directory), Path.parent(swift)] {
                let path = Path.join(folder, "swift-api-digester")
                if access(path, X_OK) == 0 { return path }
            }
        }
        return nil
    }()
}

extension Substring {
    fileprivate var trimmed: Substring {
        let text = replacing("<unknown>:0: ", with: "")
        return text.drop { $0 == " " }
    }
}
