import BundleReading
import HostBasics

/// The parts of the environment that determine where an application's plug-ins and caches are.
struct SearchEnvironment: Sendable {
    /// The environment's variables.
    let directories: UserDirectories
    /// The program's path, with its links resolved; nil if it is not known.
    var program: String?
    /// Where the main bundle has its own plug-ins.
    var builtInPlugIns: String?

    /// The environment of this process.
    static let process = SearchEnvironment(
        .process, program: Path.mainProgram, builtInPlugIns: PluginBundle.main.builtInPlugInsPath)

    /// The environment of this process, for another program.
    init(ofProgram program: String?) {
        self = .process
        self.program = program.flatMap(Path.resolved)
        builtInPlugIns = self.program.flatMap { program in
            (try? PluginBundle.open(path: BundleLayout.mainDirectory(ofProgram: program)))?.builtInPlugInsPath
        }
    }

    init(_ directories: UserDirectories, program: String?, builtInPlugIns: String?) {
        self.directories = directories
        self.program = program
        self.builtInPlugIns = builtInPlugIns
    }

    // MARK: Search paths

    /// The standard search paths of an application; the first one takes precedence: see
    /// ``PluginCatalog/standardSearchPaths(for:)``.
    func searchPaths(for application: String) -> [String] {
        guard let list = directories.variable(Self.overrideName(of: application)) else { return standard(application) }
        var paths: [String] = []
        for element in list.split(separator: ":", omittingEmptySubsequences: false) {
            // As in MANPATH, an empty element means the paths that would be used without the variable.
            paths +=
                element.isEmpty ? standard(application) : [Self.absolute(String(element))]
        }
        return Self.unique(paths)
    }

    /// An element of the variable as an absolute path.
    ///
    /// The system resolves an element with “..”, because the component before it may be a link. If that fails, the
    /// element stays unchanged, so that reports show a search path that does not exist instead of none.
    private static func absolute(_ element: String) -> String {
        if let path = Path.normalized(element) ?? Path.resolved(element) { return path }
        return element.hasPrefix("/") ? element : Path.currentDirectory.map { Path.join($0, element) } ?? element
    }

    /// `DEMO_HOST_PLUGIN_PATH` for `demo-host`.
    static func overrideName(of application: String) -> String {
        UserDirectories.variable(of: application, "PLUGIN_PATH")
    }

    private func standard(_ application: String) -> [String] {
        let folder = application + "/plugins"
        let inData = (directories.data + Self.libraries + besideProgram).map { Path.join($0, folder) }
        let own = program.map { Path.join(Path.parent($0), "Plugins") }
        return Self.unique(inData + [own, builtInPlugIns].compactMap(\.self))
    }

    /// The system's directories of libraries, in the order of the search.
    static let libraries = ["/usr/local/lib", "/usr/lib/\(triplet)", "/usr/lib64", "/usr/lib"]

    private static let triplet = "\(BundleLayout.machine)-linux-gnu"

    /// A program in a `bin` directory has its libraries in the `lib` directory beside it, wherever the two are
    /// installed.
    private var besideProgram: [String] {
        guard let directory = program.map(Path.parent),
            ["bin", "sbin", "libexec"].contains(where: { directory.hasSuffix("/" + $0) })
        else { return [] }
        return ["../lib/\(Self.triplet)", "../lib"].map { Path.join(directory, $0) }
    }

    private static func unique(_ paths: [String]) -> [String] {
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }
    }
}

extension PluginCatalog {
    /// The directories that are searched for an application's plug-ins, in this order; the first one takes precedence.
    ///
    /// 1. `$<APPLICATION>_PLUGIN_PATH`, a list separated by colons, instead of all others; an empty element in it means
    ///    the others. The name of the variable contains the application's name in capitals, with `_` for each character
    ///    that is not a letter or digit: `DEMO_HOST_PLUGIN_PATH`;
    /// 2. `$XDG_DATA_HOME/<application>/plugins`, by default `~/.local/share/…`: installed by the user;
    /// 3. `<application>/plugins` in each of `$XDG_DATA_DIRS`, by default `/usr/local/share` and `/usr/share`;
    /// 4. `/usr/local/lib/<application>/plugins`: installed by the administrator;
    /// 5. installed by the distribution: `/usr/lib/<machine>-linux-gnu`, `/usr/lib64`, `/usr/lib`, and the `lib` next
    ///    to the `bin` that contains the program;
    /// 6. `Plugins` next to the program;
    /// 7. the main bundle's `PlugIns`.
    ///
    /// Neither the current directory nor a relative path in an XDG variable is ever searched. A program that runs with
    /// more rights than its user has (set-user-ID) ignores all variables.
    ///
    /// Sources: XDG Base Directory Specification 0.8; Filesystem Hierarchy Standard 3.0, 4.6 and 4.9.
    ///
    /// - Parameter application: the name of the application's directories, such as `demo-host`: one path component.
    /// - Returns: absolute paths, each once, whether they exist or not.
    public static func standardSearchPaths(for application: String) -> [String] {
        checkName(application)
        return SearchEnvironment.process.searchPaths(for: application)
    }

    /// The standard search paths of another application than this process, for tools.
    ///
    /// - Parameters:
    ///   - application: the name of the application's directories: one path component.
    ///   - program: the application's executable; nil if it is not known. The places that depend on it are then
    ///     omitted.
    /// - Returns: absolute paths; the first one is searched first.
    public static func standardSearchPaths(for application: String, program: String?) -> [String] {
        checkName(application)
        return SearchEnvironment(ofProgram: program).searchPaths(for: application)
    }

    /// The variable that replaces an application's standard search paths: `DEMO_HOST_PLUGIN_PATH`.
    @_spi(Tools) public static func searchPathVariable(of application: String) -> String {
        SearchEnvironment.overrideName(of: application)
    }

    /// The system's directories for configuration, `$XDG_CONFIG_DIRS`.
    @_spi(Tools) public static var systemConfiguration: [String] { UserDirectories.process.systemConfiguration }

    /// The user's own directories: the home directory, and `$XDG_DATA_HOME`.
    @_spi(Tools) public static var userDirectories: [String] {
        [UserDirectories.process.home, UserDirectories.process.userData].compactMap(\.self)
    }

    private static func checkName(_ application: String) {
        precondition(
            !application.isEmpty && !application.utf8.contains(UInt8(ascii: "/")) && application != ".."
                && application != ".",
            "an application's name for search paths is one path component")
    }
}
