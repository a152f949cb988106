extension PluginBundle {
    /// Which of the layouts of docs/bundle-format.md the bundle has: “Contents”, “OpenStep”, “flat”.
    @_spi(Tools) public var layoutName: String { layout.name }

    /// What the executable's own note tells of it without loading it; nil where there is no executable or no note.
    ///
    /// **Cost.** Some microseconds: it reads the beginning of the file.
    public var executableNote: PluginNote? {
        guard let executable = try? openExecutable() else { return nil }
        return ImageInspector.inspectQuickly(executable.file, path: executable.path, bundlePath: bundlePath).note
    }

    /// The machine of the executable: “x86-64”, “aarch64”; nil where there is no executable or it is no ELF file.
    @_spi(Tools) public var executableMachine: String? {
        guard let executable = try? openExecutable() else { return nil }
        return ImageInspector.machine(of: executable.file).map(ELF.name(ofMachine:))
    }
}
