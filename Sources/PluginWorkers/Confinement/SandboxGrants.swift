import BundleReading
internal import CPluginSupport.Shims
internal import CSandbox
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// The files and ports that a sandboxed worker can reach.
struct SandboxGrants {
    struct File {
        var path: String
        var access: UInt32
        /// For a granted path: a descriptor of the file that is there now, opened without following a link.
        var opened: RemoteDescriptor?
    }

    private(set) var files: [File] = []
    private(set) var network = PluginPermissions.Network.none

    private static let read = PHS_FILES_READ.rawValue
    private static let write = PHS_FILES_READ.rawValue | PHS_FILES_WRITE.rawValue
    private static let execute = PHS_FILES_READ.rawValue | PHS_FILES_EXECUTE.rawValue
    private static let optional = PHS_FILES_OPTIONAL.rawValue

    // MARK: What every worker needs

    /// What glibc, Swift's runtime, Dispatch and Foundation read.
    private static let system = [
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
        "/etc/localtime", "/etc/timezone", "/usr/share/zoneinfo", "/usr/share/locale", "/usr/share/i18n",
        "/dev/urandom", "/dev/random", "/dev/zero", "/sys/devices/system/cpu",
    ]
    /// What glibc reads to find a host by its name.
    private static let names = [
        "/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
        "/etc/ssl", "/etc/pki", "/usr/share/ca-certificates",
    ]

    /// The programs that a plug-in with the permission `processes` can run.
    private static let programs = ["/bin", "/usr/bin", "/usr/local/bin"]

    /// - Parameters:
    ///   - program: the worker program.
    ///   - libraries: the directories of its libraries; nil if they are those of this process.
    ///   - bundles: the directories of the bundles that the worker may load.
    ///   - shared: directories that every plug-in of the application may read. The user's home directory and those
    ///     above it are left out.
    ///   - permissions: what is granted.
    ///   - places: where the paths of the permissions lead.
    /// - Throws: ``WorkerFailure`` of the layer `files` for a path that cannot be granted.
    init(
        program: String, libraries: [String]? = nil, bundles: [String], shared: [String] = [],
        permissions: PluginPermissions, places: PermissionPlaces
    ) throws(WorkerFailure) {
        add(Self.system, Self.read | Self.optional)
        add(["/dev/null"], Self.write)
        add([program], Self.execute)
        add([StartUpLibraries.dynamicLinker].compactMap(\.self), Self.execute)
        if let libraries {
            add(libraries.filter(Self.isForLibraries), Self.read | Self.optional)
        } else {
            let images = try StartUpLibraries.current()
            add(images.libraries, Self.read | Self.optional)
            add(images.directories.filter(Self.isForLibraries), Self.read | Self.optional)
        }
        add(shared.filter(Self.isForLibraries), Self.read | Self.optional)
        add(bundles, permissions.processes ? Self.execute : Self.read)
        if permissions.processes { add(Self.programs, Self.execute | Self.optional) }
        network = permissions.network
        if network != .none { add(Self.names, Self.read | Self.optional) }
        for device in permissions.devices.sorted() { try add(device: device) }
        for file in permissions.files { try add(file, at: places) }
    }

    private mutating func add(_ paths: [String], _ access: UInt32) {
        for path in paths { files.append(File(path: path, access: access)) }
    }

    /// Whether a worker may read everything in a directory of libraries or in another directory of the application.
    ///
    /// False for the user's home directory and those above it: a program that was built there would grant all of it.
    static func isForLibraries(_ directory: String) -> Bool {
        guard directory != "/", let home = UserDirectories.process.home.flatMap(Path.resolved) else {
            return directory != "/"
        }
        return directory != home && !Path.isInside(home, directory: directory)
    }

    // MARK: What was granted

    /// Opens the file at a granted path, without following a link below the directory at which the path begins.
    ///
    /// Why: a plug-in that may write to a directory could put a link there, and its next worker could reach more.
    private mutating func add(
        _ file: PluginPermissions.File, at places: PermissionPlaces
    ) throws(WorkerFailure) {
        let access = (file.access == .write ? Self.write : Self.read) | Self.optional
        guard let path = try? PermissionPath(file.path), let directory = places.directory(path.base) else { return }
        var base = open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        if base < 0, ErrorNumber.saysAbsent(errno) { return }
        guard base >= 0 else { throw WorkerFailure(layer: .files, step: "open", errno: errno, path: file.path) }
        if !path.names.isEmpty {
            let opened = phs_open_without_links(base, path.names.joined(separator: "/"))
            let error = errno
            close(base)
            if opened < 0, ErrorNumber.saysAbsent(error) { return }
            guard opened >= 0 else { throw WorkerFailure(layer: .files, step: "open", errno: error, path: file.path) }
            base = opened
        }
        files.append(File(path: file.path, access: access, opened: RemoteDescriptor(adopting: base)))
    }

    /// Opens a device file without following a link; one that does not exist is left out.
    ///
    /// Why only device files: a directory would grant everything in it, including requests to each device there.
    private mutating func add(device path: String) throws(WorkerFailure) {
        let opened = phs_open_place_without_links(path)
        if opened < 0, errno == ENOENT { return }
        guard opened >= 0 else {
            throw WorkerFailure(layer: .files, step: WorkerFailure.deviceStep, errno: errno, path: path)
        }
        let place = RemoteDescriptor(adopting: opened)
        var found = phs_file_identity()
        let error = phs_fstat(opened, &found) == 0 ? ENODEV : errno
        let kind = found.mode & UInt32(PHS_KIND_OF_FILE)
        guard kind == UInt32(PHS_CHARACTER_DEVICE) || kind == UInt32(PHS_BLOCK_DEVICE) else {
            throw WorkerFailure(layer: .files, step: WorkerFailure.deviceStep, errno: error, path: path)
        }
        files.append(File(path: path, access: Self.write | PHS_FILES_DEVICE.rawValue, opened: place))
    }

    // MARK: For the kernel

    /// Creates the ruleset of Landlock.
    ///
    /// - Parameter kernel: the kernel's calls, or those of a test.
    /// - Returns: its descriptor, which belongs to the caller.
    /// - Throws: ``WorkerFailure`` of the layer `files` or `network`.
    func ruleset(_ kernel: UnsafePointer<phs_kernel>?) throws(WorkerFailure) -> CInt {
        var connects: [UInt16] = []
        var listens: [UInt16] = []
        if case .ports(let connect, let listen) = network { (connects, listens) = (connect.sorted(), listen.sorted()) }
        var failure = phs_failure()
        let texts = files.map { strdup($0.path) }
        defer { texts.forEach { free($0) } }
        let grants = zip(files, texts).map { file, text in
            phs_file_grant(
                path: file.opened == nil ? UnsafePointer(text) : nil, descriptor: file.opened?.descriptor ?? -1,
                access: file.access)
        }
        let ruleset = connects.withUnsafeBufferPointer { connects in
            listens.withUnsafeBufferPointer { listens in
                var network = phs_network_grant(
                    any: self.network == .any, connects: connects.baseAddress, connect_count: connects.count,
                    listens: listens.baseAddress, listen_count: listens.count)
                return phs_landlock_make(kernel, grants, grants.count, &network, &failure)
            }
        }
        guard ruleset < 0 else { return ruleset }
        let path =
            failure.step.map { String(cString: $0) } == "landlock_create_ruleset" ? nil : files[Int(failure.index)].path
        throw WorkerFailure(failure, path: path)
    }
}
