internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting

/// Reads and writes files that the user named.
public enum TranslatedFile {
    /// The content of a file, which must not be larger than a strings table may be.
    public static func bytes(_ path: String) throws(LintFinding) -> [UInt8] {
        try InputFile.bytes(Path.normalized(path) ?? path)
    }

    /// Replaces a file atomically, or makes a new one.
    public static func write(_ bytes: [UInt8], to path: String) throws(LintFinding) {
        try OutputFile.write(bytes, to: Path.normalized(path) ?? path)
    }
}
