/// Marks in the names of files and directories that are noted while a directory is read, for the search of resources.
package enum NameMark {
    /// At the end of a directory's name: it contains the resources of one localisation.
    package static let localization = ".lproj"
    /// In a file's name: on this platform, the file replaces the one without the mark.
    package static let platform = "-linux"
}
