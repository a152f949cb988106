import CPluginSupport.Shims
import Glibc

/// What the environment says about where an application's plug-ins and caches are.
struct SearchEnvironment: Sendable {
    /// The value of a variable; nil where it is not set, or must not be trusted.
    var variable: @Sendable (String) -> String?
    /// The program's path, its links resolved; nil where it is not known.
    var program: String?
    /// Where the main bundle has plug-ins of its own.
    var builtInPlugIns: String?

    /// The process's. A program that runs with more rights than its user has reads no variable.
    static let process = SearchEnvironment(
        variable: { name in phs_secure_getenv(name).flatMap { String(validatingCString: $0) } },
        program: Path.mainProgram, builtInPlugIns: PluginBundle.main.builtInPlugInsPath)

    /// The process's, for another program than its own.
    init(ofProgram program: String?) {
        self = .process
        self.program = program.flatMap(Path.resolved)
        builtInPlugIns = self.program.flatMap { program in
            (try? PluginBundle.open(path: BundleOpening.mainDirectory(ofProgram: program)))?.builtInPlugInsPath
        }
    }

    init(variable: @escaping @Sendable (String) -> String?, program: String?, builtInPlugIns: String?) {
        self.variable = variable
        self.program = program
        self.builtInPlugIns = builtInPlugIns
    }

    /// The value of a variable that is an absolute path; others are as if it were not set.
    func absolute(_ name: String) -> String? { variable(name).flatMap(Self.absolute) }

    /// The user's home directory.
    var home: String? {
        if let home = absolute("HOME") { return home }
        guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return nil }
        return String(validatingCString: directory).flatMap(Self.absolute)
    }

    private static func absolute(_ path: String) -> String? {
        path.utf8.first == UInt8(ascii: "/") ? Path.normalized(path) : nil
    }

    // MARK: Search paths

    /// The standard search paths of an application, first wins: see ``PluginCatalog/standardSearchPaths(for:)``.
    func searchPaths(for application: String) -> [String] {
        guard let list = variable(Self.overrideName(of: application)) else { return standard(application) }
        var paths: [String] = []
        for element in list.split(separator: ":", omittingEmptySubsequences: false) {
            // As in MANPATH: the empty element stands for what there would be without the variable.
            paths +=
                element.isEmpty ? standard(application) : [Path.normalized(String(element))].compactMap(\.self)
        }
        return Self.unique(paths)
    }

    /// `DEMO_HOST_PLUGIN_PATH` for `demo-host`.
    static func overrideName(of application: String) -> String {
        String(application.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "_PLUGIN_PATH"
    }

    private func standard(_ application: String) -> [String] {
        let folder = application + "/plugins"
        var data = [absolute("XDG_DATA_HOME") ?? home.map { Path.join($0, ".local/share") }].compactMap(\.self)
        let system = variable("XDG_DATA_DIRS") ?? ""
        data += (system.isEmpty ? "/usr/local/share:/usr/share" : system).split(separator: ":")
            .compactMap { Self.absolute(String($0)) }
        let libraries = ["/usr/local/lib", "/usr/lib/\(Self.triplet)", "/usr/lib64", "/usr/lib"]
        let inData = (data + libraries + besideProgram).map { Path.join($0, folder) }
        let own = program.map { Path.join(Path.parent($0), "Plugins") }
        return Self.unique(inData + [own, builtInPlugIns].compactMap(\.self))
    }

    private static let triplet = "\(BundleLayout.machine)-linux-gnu"

    /// A program in a `bin` has its libraries in the `lib` beside it, wherever the two were installed.
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
    /// The directories in which an application's plug-ins are looked for, first wins:
    ///
    /// 1. `$<APPLICATION>_PLUGIN_PATH`, a list with colons, in place of all others; an empty element in it stands for
    ///    the others. The name is the application's in capitals, with `_` for what is no letter or digit:
    ///    `DEMO_HOST_PLUGIN_PATH`;
    /// 2. `$XDG_DATA_HOME/<application>/plugins`, by default `~/.local/share/…`: what the user installed;
    /// 3. `<application>/plugins` in each of `$XDG_DATA_DIRS`, by default `/usr/local/share` and `/usr/share`;
    /// 4. `/usr/local/lib/<application>/plugins`: what the administrator installed;
    /// 5. the distribution's: `/usr/lib/<machine>-linux-gnu`, `/usr/lib64`, `/usr/lib`, and the `lib` beside the `bin` that
    ///    the program stands in;
    /// 6. `Plugins` beside the program;
    /// 7. the main bundle's `PlugIns`.
    ///
    /// The current directory is never searched, and no relative path of XDG's variables is. A program that runs with
    /// more rights than its user has (set-user-ID) reads no variable.
    ///
    /// Sources: XDG Base Directory Specification 0.8; Filesystem Hierarchy Standard 3.0, 4.6 and 4.9.
    ///
    /// - Parameter application: the name of the application's directories, such as `demo-host`: one path component.
    /// - Returns: absolute paths, each once, whether they exist or not.
    public static func standardSearchPaths(for application: String) -> [String] {
        checkName(application)
        return SearchEnvironment.process.searchPaths(for: application)
    }

    /// The same for an application other than this process: for tools.
    ///
    /// - Parameters:
    ///   - application: the name of the application's directories: one path component.
    ///   - program: the application's executable; nil where it is not known, and then the places that depend on it are
    ///     left out.
    /// - Returns: absolute paths, the first to be searched first.
    public static func standardSearchPaths(for application: String, program: String?) -> [String] {
        checkName(application)
        return SearchEnvironment(ofProgram: program).searchPaths(for: application)
    }

    /// The variable that has an application's search paths in place of the standard ones: `DEMO_HOST_PLUGIN_PATH`.
    @_spi(Tools) public static func searchPathVariable(of application: String) -> String {
        SearchEnvironment.overrideName(of: application)
    }

    private static func checkName(_ application: String) {
        precondition(
            !application.isEmpty && !application.utf8.contains(UInt8(ascii: "/")) && application != ".."
                && application != ".",
            "an application's name for search paths is one path component")
    }
}
