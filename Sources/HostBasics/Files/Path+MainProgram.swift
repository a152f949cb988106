import CPluginSupport.Shims

extension Path {
    /// The file of the running program, with its links resolved.
    ///
    /// For a program that was deleted or replaced since it started, its former path; `/` if the system reports no path.
    ///
    /// The path comes from the kernel's link /proc/self/exe. If the dynamic linker started the program
    /// (`/lib64/ld-linux-x86-64.so.2 ./program`), or if /proc is not mounted, it is the path by which the program was
    /// started.
    package static let mainProgram = kernelsProgram.flatMap { isDynamicLinker($0) ? nil : $0 } ?? startedPath ?? "/"

    /// The file from which to start a second process of this program.
    ///
    /// The kernel's link to the program stays valid if the file is replaced or deleted.
    public static let ownExecutable =
        kernelsProgram.map { isDynamicLinker($0) ? mainProgram : kernelsLink } ?? mainProgram

    private static let kernelsLink = "/proc/self/exe"
    private static let kernelsProgram = program(atLink: kernelsLink)

    /// The path by which the program was started; nil if it does not lead to a file.
    ///
    /// A dynamic linker that starts a program stores its own argument, the program, there (glibc's dl_main()).
    private static var startedPath: String? {
        phs_started_path().flatMap { String(validatingCString: $0) }.flatMap(resolved)
    }

    /// Whether a program is the dynamic linker, running another program.
    private static func isDynamicLinker(_ path: String) -> Bool {
        let name = lastComponent(path)
        return (name.hasPrefix("ld-") || name.hasPrefix("ld.so")) && startedPath != nil && startedPath != path
    }

    /// The file that the kernel's link to a running program leads to.
    ///
    /// The kernel marks a deleted file with a suffix, which may also be part of a file's name.
    package static func program(atLink link: String) -> String? {
        guard let target = linkTarget(link), target.hasPrefix("/") else { return nil }
        let suffix = " (deleted)"
        guard target.hasSuffix(suffix) else { return target }
        let isFile = FileIdentity(path: target).flatMap { FileIdentity(path: link)?.isSameFile(as: $0) } ?? false
        return isFile ? target : String(target.dropLast(suffix.count))
    }
}
