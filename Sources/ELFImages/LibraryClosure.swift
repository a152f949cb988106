import HostBasics

/// A plug-in and all libraries that would be loaded for it, directly or indirectly, in the dynamic linker's order.
package struct LibraryClosure {
    /// A library that was not found.
    package struct Missing {
        package var name: String
        /// The file that needs it.
        package var neededBy: String
        package var searched: [LibrarySearch.Place]
        var rejected: [(path: String, reason: String)]
        /// The bundle's file with that name, which the dynamic linker does not find by this name.
        var carried: String?

        /// A sentence with the file that needs the library, the library's name, and the directories that were searched.
        package var sentence: String {
            let places = searched.map { place in
                switch place.rule {
                case "": quoted(place.directory)
                case "cache": "the cache \(quoted(place.directory))"
                default: "\(quoted(place.directory)) (\(place.rule))"
                }
            }
            let rejections = rejected.map { " The file \(quoted($0.path)) \($0.reason)." }
            return "\(quoted(neededBy)) needs the library \(quoted(name)), which was not found. "
                + "Searched: \(places.joined(separator: ", ")).\(rejections.joined())"
        }
    }

    /// The plug-in first, then the libraries that are not in the process yet.
    package private(set) var newFiles: [ELFFile]
    /// Programs that were found by the names of needed libraries.
    package private(set) var programs: [(name: String, path: String, neededBy: String)] = []
    /// The libraries that the process already has.
    package private(set) var present: [HostLibraries.Library] = []
    package private(set) var missing: [Missing] = []
    /// The files that would have been found for names of libraries that the process already has.
    private(set) var shadowed: [(name: String, file: ELFFile, image: HostLibraries.Library)] = []
    /// The file for each needed name, if it could be read.
    package private(set) var providers: [String: ELFFile] = [:]

    /// The maximum number of files; no plug-in needs as many libraries.
    private static let limit = 512

    /// `libraries`: the libraries that the plug-in's bundle contains; the host opens them before the plug-in.
    package init(of plugin: ELFFile, libraries: CarriedLibraries? = nil, in host: HostLibraries) {
        newFiles = [plugin]
        var chains: [[ELFFile]] = [[plugin] + (host.program.map { [$0] } ?? [])]
        var seenPresent: Set<String> = []
        var seenMissing: Set<String> = []
        var next = 0
        while next < chains.count, newFiles.count < Self.limit {
            let chain = chains[next]
            next += 1
            for name in chain[0].needed where providers[name] == nil {
                // A path is used unchanged; the quick inspection has already refused it in the plug-in.
                guard !name.utf8.contains(UInt8(ascii: "/")) else { continue }
                if let image = host.library(named: name) {
                    take(image, &seenPresent, in: host)
                    if let file = image.file { providers[name] = file }
                    takeShadowed(name, image, libraries, chain, in: host)
                    continue
                }
                if let file = newFiles.first(where: { $0.ownName == name }) {
                    providers[name] = file
                    continue
                }
                // The host opens the bundle's libraries first; afterwards the dynamic linker finds them only by their
                // SONAME.
                let carried = libraries?.file(named: name, unread: host.unread)
                // If the library's names cannot be read, the inspection reports the problem.
                let own = carried.flatMap { $0.ownName == name || !$0.hasNames ? $0 : nil }
                switch own.map(LibrarySearch.Result.found) ?? host.search.find(name, neededBy: chain) {
                case .found(let file):
                    if file.isProgram { programs.append((name, file.path, chain[0].path)) }
                    if let image = host.library(of: file) {
                        take(image, &seenPresent, in: host)
                        providers[name] = image.file ?? file
                    } else if let known = newFiles.first(where: { $0.isSameFile(as: file) }) {
                        providers[name] = known
                    } else {
                        providers[name] = file
                        newFiles.append(file)
                        chains.append([file] + chain)
                    }
                case .missing(let searched, let rejected):
                    guard seenMissing.insert(name).inserted else { continue }
                    // The program needs the library too, so the plug-in would get it from the program.
                    if let known = host.missing.first(where: { $0.name == name }) {
                        missing.append(known)
                        continue
                    }
                    let ownPlace = libraries.map {
                        LibrarySearch.Place(directory: $0.directory, rule: "the bundle's own")
                    }
                    let unnamed = carried.map { (path: $0.path, reason: Self.nameComplaint($0)) }
                    missing.append(
                        Missing(
                            name: name, neededBy: chain[0].path, searched: [ownPlace].compactMap(\.self) + searched,
                            rejected: [unnamed].compactMap(\.self) + rejected, carried: carried?.path))
                }
            }
        }
    }

    private mutating func takeShadowed(
        _ name: String, _ image: HostLibraries.Library, _ libraries: CarriedLibraries?, _ chain: [ELFFile],
        in host: HostLibraries
    ) {
        guard let present = image.file, !shadowed.contains(where: { $0.name == name }) else { return }
        var file = libraries?.plainFile(named: name)
        // Only the plug-in's search path may lead into its bundle.
        if file == nil, chain[0].runPath ?? chain[0].rPath != nil,
            case .found(let found) = host.search.find(name, neededBy: chain)
        {
            file = found
        }
        if let file, !file.isSameFile(as: present) { shadowed.append((name, file, image)) }
    }

    private static func nameComplaint(_ library: ELFFile) -> String {
        let name = library.ownName.map { "has the SONAME \(quoted($0))" } ?? "has no SONAME"
        return "\(name), but the dynamic linker finds a library that the host has opened only by its SONAME"
    }

    /// A library that is already present adds the libraries that it needs to the plug-in's scope.
    private mutating func take(_ image: HostLibraries.Library, _ seen: inout Set<String>, in host: HostLibraries) {
        var queue = [image]
        while let image = queue.popLast() {
            guard seen.insert(image.path).inserted else { continue }
            present.append(image)
            for name in image.file?.needed ?? [] {
                guard let next = host.library(named: name) else { continue }
                if let file = next.file, providers[name] == nil { providers[name] = file }
                queue.append(next)
            }
        }
    }
}
