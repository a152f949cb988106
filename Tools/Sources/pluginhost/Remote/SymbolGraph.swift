import FoundationEssentials
import HostBasics
@_spi(Tools) import PluginHost

/// The declarations of a module that the compiler writes (`-emit-symbol-graph`), reduced to what proxies need.
struct SymbolGraph: Decodable {
    struct Module: Decodable {
        let name: String
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        /// The qualified name of a target in another module.
        let targetFallback: String?
    }

    let module: Module
    let symbols: [Symbol]
    let relationships: [Relationship]

    /// The graph of a large module has a few tens of megabytes.
    static let sizeLimit = 256 << 20

    enum Failure: Error {
        case unreadable(String)
        case notAGraph
    }

    init(path: String) throws(Failure) {
        let bytes: [UInt8]
        do throws(OpenedFile.Failure) {
            bytes = try OpenedFile(path: path).bytes(atMost: Self.sizeLimit)
        } catch {
            throw .unreadable(error.reason)
        }
        guard bytes.count <= Self.sizeLimit else { throw .unreadable("has more than \(Self.sizeLimit >> 20) MiB") }
        // This also fails if values are nested more deeply than the decoder allows.
        guard let graph = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { throw .notAGraph }
        self = graph
    }
}

/// One declaration.
struct Symbol: Decodable {
    struct Kind: Decodable {
        let identifier: String
    }

    struct Identifier: Decodable {
        let precise: String
    }

    /// A part of a declaration's text.
    struct Fragment: Decodable {
        let kind: String
        var spelling: String
        let preciseIdentifier: String?
    }

    struct Parameter: Decodable {
        let name: String
        let internalName: String?
        var declarationFragments: [Fragment]?
    }

    struct Signature: Decodable {
        var parameters: [Parameter]?
        var returns: [Fragment]?
    }

    struct Location: Decodable {
        struct Position: Decodable {
            let line: Int
            let character: Int
        }

        let uri: String
        let position: Position

        /// The file's name.
        var file: String { URL(string: uri)?.lastPathComponent ?? uri }
        /// “path:line:column”, as compilers write it.
        var text: String {
            "\(URL(string: uri)?.path ?? uri):\(position.line + 1):\(position.character + 1)"
        }
    }

    struct Extension: Decodable {
        struct Constraint: Decodable {
            let kind: String
            let lhs: String
            let rhs: String
            let rhsPrecise: String?
        }

        let constraints: [Constraint]?
    }

    let kind: Kind
    let identifier: Identifier
    let pathComponents: [String]
    private(set) var declarationFragments: [Fragment]?
    private(set) var functionSignature: Signature?
    let accessLevel: String
    let location: Location?
    let swiftExtension: Extension?

    /// The name within its module, such as `Table.Cell`.
    var name: String { pathComponents.joined(separator: ".") }
    /// The last part of the name, such as `filter(_:)`.
    var title: String { pathComponents.last ?? "" }
    var fragments: [Fragment] { declarationFragments ?? [] }

    /// The labels of the arguments, `_` for none: the graph has them only in the title, such as `filter(_:in:)`.
    var labels: [String] {
        guard let open = title.firstIndex(of: "("), title.last == ")" else { return [] }
        return title[title.index(after: open)...].dropLast().split(separator: ":").map(String.init)
    }

    /// The arguments with their labels.
    var parameters: [(label: String, parameter: Parameter)] {
        zip(labels, functionSignature?.parameters ?? []).map { (label: $0, parameter: $1) }
    }

    /// Writes the names of types in full, because an extension of `Report.Section` does not see `Report.Figure` as
    /// `Figure`.
    ///
    /// - Parameter names: the full names of the module's types, by their identifiers.
    mutating func qualifyTypes(_ names: [String: String]) {
        declarationFragments = declarationFragments?.qualified(names)
        guard var signature = functionSignature else { return }
        signature.returns = signature.returns?.qualified(names)
        signature.parameters = signature.parameters?.map { parameter in
            var parameter = parameter
            parameter.declarationFragments = parameter.declarationFragments?.qualified(names)
            return parameter
        }
        functionSignature = signature
    }

    /// Sorts declarations by their places in the sources.
    static func isBefore(_ a: Symbol, _ b: Symbol) -> Bool {
        func key(_ symbol: Symbol) -> (String, Int, Int, String) {
            (
                symbol.location?.uri ?? "", symbol.location?.position.line ?? 0,
                symbol.location?.position.character ?? 0, symbol.identifier.precise
            )
        }
        return key(a) < key(b)
    }
}

extension [Symbol.Fragment] {
    /// The text of the declaration.
    var text: String { map(\.spelling).joined() }

    fileprivate func qualified(_ names: [String: String]) -> Self {
        var result = self
        for index in indices where self[index].kind == "typeIdentifier" {
            // A name after a dot is qualified already.
            guard let name = self[index].preciseIdentifier.flatMap({ names[$0] }),
                index == startIndex || !self[index - 1].spelling.hasSuffix(".")
            else { continue }
            let isOuter = index + 1 < endIndex && self[index + 1].spelling.hasPrefix(".")
            if !isOuter || !name.contains(".") { result[index].spelling = name }
        }
        return result
    }

    func has(_ keyword: String) -> Bool { contains { $0.kind == "keyword" && $0.spelling == keyword } }
}
