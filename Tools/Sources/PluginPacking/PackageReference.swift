@_spi(Tools) internal import ELFImages
import FoundationEssentials
import Glibc
@_spi(Tools) internal import HostBasics
@_spi(PluginHost) @_spi(Tools) internal import PluginHost

/// The place of a Swift package: a directory, or the address of a repository.
public struct PackageReference: Sendable, Hashable {
    /// The path or address as the user wrote it, without a version.
    let text: String
    /// For an address: the versions to use, as an argument of `.package(url:)`.
    var requirement: String

    /// Reads a reference to a package: a path or an address.
    ///
    /// An address contains `://` or has the form `user@machine:path`. An address that ends in `@1.2.0` requires that
    /// version or a later one.
    public init(_ text: String) {
        let version = text.lastIndex(of: "@").map { text[text.index(after: $0)...] }.flatMap { version in
            version.first?.isNumber ?? false && !version.contains("/") && !version.contains(":") ? version : nil
        }
        self.text = version.map { String(text.dropLast($0.count + 1)) } ?? text
        requirement = "from: \"\(version ?? "1.0.0")\""
    }

    /// A reference to the package PluginHost.
    public static func library(_ text: String) -> PackageReference {
        var reference = PackageReference(text)
        if reference.text == text { reference.requirement = "from: \"\(PluginVersion.ofThisLibrary)\"" }
        if !reference.isAddress { reference.name = "PluginHost" }
        return reference
    }

    /// The name of the package in a manifest; if nil, the last part of the path or address.
    private var name: String?

    private var isAddress: Bool {
        text.contains("://") || text.contains("@") && text.contains(":") && !text.hasPrefix("/")
    }

    /// The name of the package in `.product(name:package:)`.
    public var package: String {
        if let name { return name }
        let last = text.split { $0 == "/" || $0 == ":" }.last { $0 != "." && $0 != ".." } ?? ""
        return last.hasSuffix(".git") ? String(last.dropLast(4)) : String(last)
    }

    /// The package's directory; nil for an address.
    func directory(from parent: String) -> String? {
        isAddress ? nil : Path.resolved(text.hasPrefix("/") ? text : Path.join(parent, text))
    }

    /// The package with the test kit, in the directory of the library; nil for an address.
    ///
    /// Why: the package manager finds only one package at an address.
    func testing(from parent: String) -> PackageReference? {
        guard let library = directory(from: parent),
            FileIdentity(path: Path.join(library, "Testing/Package.swift")) != nil
        else { return nil }
        var kit = PackageReference(Path.join(text, "Testing"))
        kit.name = "PluginTesting"
        return kit
    }

    /// The text `.package(…)` for a manifest.
    ///
    /// `up`: the path from the manifest's directory to the directory that relative paths start from.
    func dependency(of up: String) -> String {
        if isAddress { return ".package(url: \"\(text)\", \(requirement))" }
        return ".package(name: \"\(package)\", path: \"\(text.hasPrefix("/") ? text : up + "/" + text)\")"
    }

    /// The directory with the package's C headers, for a Makefile in a directory directly below `parent`.
    func headers(from parent: String) throws(PackingError) -> String {
        let sources = directory(from: parent).map { Path.join($0, "Sources") }
        let names = sources.flatMap { try? OpenedDirectory(path: $0).names.map(OpenedDirectory.text) } ?? []
        let folder = names.first { name in
            let headers = Path.join(sources ?? "", name + "/include")
            return (try? OpenedDirectory(path: headers).names)?.contains { OpenedDirectory.text($0).hasSuffix(".h") }
                ?? false
        }
        guard let folder else {
            throw PackingError(
                .unreadable, path: text, message: "\(quoted(text)) has no C headers, in Sources/…/include.",
                remedy:
                    "If the API is for Swift only, leave out --language. Otherwise name the package with the headers by "
                    + "--app-api.")
        }
        return (text.hasPrefix("/") ? text : "../" + text) + "/Sources/\(folder)/include"
    }

    /// Checks that a directory is a package.
    func requireManifest(from parent: String) throws(PackingError) {
        if isAddress { return }
        let manifest = directory(from: parent).map { Path.join($0, "Package.swift") }
        if let manifest, FileIdentity(path: manifest) != nil { return }
        throw PackingError(
            .unreadable, path: text, message: "There is no \(quoted(Path.join(text, "Package.swift"))).",
            remedy: "Name the directory or the address of the application's API package by --app-api.")
    }

    // MARK: The library

    /// The package from which a plug-in gets the library.
    ///
    /// It is the package that the application's API uses, because both must share one copy. Without an API, it is the
    /// checkout in which this tool was built, or the package that was installed with the tool.
    ///
    /// - Throws: ``PackingError`` also if the API's package has no such product.
    static func library(
        asOf api: (package: PackageReference, product: String)?, from parent: String
    ) throws(PackingError) -> PackageReference {
        if let api, let directory = api.package.directory(from: parent),
            let manifest = try DumpedManifest(ofPackage: directory)
        {
            let products = manifest.products.filter { $0.type.library != nil }.map(\.name)
            guard products.contains(api.product) else {
                let known =
                    products.isEmpty ? "no library" : "only " + products.prefix(5).map(quoted).joined(separator: ", ")
                throw PackingError(
                    .nameInvalid, path: api.package.text,
                    message: "\(quoted(api.package.text)) has no library product \(quoted(api.product)), \(known).",
                    remedy: "Name the application's API package by --app-api, and its product by --product if it has "
                        + "another name.")
            }
            if let found = manifest.library { return found }
        }
        if let installed = OwnLibrary.directory.map({ Path.join($0, "pluginhost/PluginHost") }),
            FileIdentity(path: Path.join(installed, "Package.swift")) != nil
        {
            return .library(installed)
        }
        var directory = Path.parent(Path.resolved(Path.ownExecutable) ?? "/")
        while directory != "/" {
            if FileIdentity(path: Path.join(directory, "Sources/PluginABI/Plugin.swift")) != nil {
                return .library(directory)
            }
            directory = Path.parent(directory)
        }
        throw PackingError(
            .unreadable, path: parent, message: "Nothing says where the package PluginHost is.",
            remedy: "Install the library with its modules (libpluginhost-dev), or name its directory or address by "
                + "--library.")
    }
}

extension DumpedManifest {
    /// A package's manifest as the package manager reads it; nil if it writes another form.
    fileprivate init?(ofPackage directory: String) throws(PackingError) {
        let text = try ChildProgram.output(
            ["swift", "package", "--package-path", directory, "dump-package"],
            to: "read the manifest of the application's API")
        guard let manifest = try? JSONDecoder().decode(DumpedManifest.self, from: Data(text.utf8)) else { return nil }
        self = manifest
    }

    /// The dependency on PluginHost; nil if there is none.
    fileprivate var library: PackageReference? {
        for dependency in dependencies {
            if let local = dependency.fileSystem?.first, local.isLibrary { return .library(local.path ?? "") }
            guard let remote = dependency.sourceControl?.first, remote.isLibrary else { continue }
            if let path = remote.location?.local?.first { return .library(path) }
            guard let address = remote.location?.remote?.first?.urlString else { continue }
            var reference = PackageReference.library(address)
            let wanted = remote.requirement
            if let range = wanted?.range?.first { reference.requirement = "from: \"\(range.lowerBound)\"" }
            if let branch = wanted?.branch?.first { reference.requirement = "branch: \"\(branch)\"" }
            if let exact = wanted?.exact?.first { reference.requirement = "exact: \"\(exact)\"" }
            return reference
        }
        return nil
    }
}

/// The used parts of the output of `swift package dump-package`.
private struct DumpedManifest: Decodable {
    struct Dependency: Decodable {
        let fileSystem: [Package]?
        let sourceControl: [Package]?
    }
    struct Package: Decodable {
        let identity: String
        let nameForTargetDependencyResolutionOnly: String?
        let path: String?
        let location: Location?
        let requirement: Requirement?

        var isLibrary: Bool {
            identity == "pluginhost" || nameForTargetDependencyResolutionOnly?.lowercased() == "pluginhost"
        }
    }
    struct Location: Decodable {
        struct Remote: Decodable { let urlString: String }
        let remote: [Remote]?
        let local: [String]?
    }
    struct Requirement: Decodable {
        struct Range: Decodable { let lowerBound: String }
        let range: [Range]?
        let branch: [String]?
        let exact: [String]?
    }
    struct Product: Decodable {
        struct Kind: Decodable { let library: [String]? }
        let name: String
        let type: Kind
    }
    let dependencies: [Dependency]
    let products: [Product]
}
