/// The marks in the names of files and directories that a reading of a directory notes in passing, for those who search
/// resources.
enum NameMark {
    /// At the end of a directory's name: it holds the resources of one localisation.
    static let localization = ".lproj"
    /// Within a file's name: it replaces the file without the mark on this platform.
    static let platform = "-linux"
}
