import BundleReading
import ELFImages

extension PluginBundle {
    /// The bundle's layout, as named in docs/bundle-format.md: “Contents”, “OpenStep”, “flat”.
    @_spi(Tools) public var layoutName: String { layout.name }

    /// The contents of the note in the executable, read without loading it; nil if there is no executable or no note.
    ///
    /// **Cost.** A few microseconds: it reads the beginning of the file.
    public var executableNote: PluginNote? {
        guard let executable = try? openExecutable() else { return nil }
        return ELFInspector.inspectQuickly(executable.file, path: executable.path, bundlePath: bundlePath).note
    }

    /// The machine of the executable: “x86-64”, “aarch64”; nil if there is no executable or it is not an ELF file.
    @_spi(Tools) public var executableMachine: String? {
        guard let executable = try? openExecutable() else { return nil }
        return ELFInspector.machine(of: executable.file).map(ELF.name(ofMachine:))
    }
}
