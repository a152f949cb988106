/// Marks in file and directory names that matter when resources are searched.
///
/// They are noted while a directory is read.
package enum NameMark {
    /// At the end of a directory's name: the directory contains the resources of one localisation.
    package static let localization = ".lproj"
    /// In a file's name: on this platform, the file replaces the one without the mark.
    package static let platform = "-linux"
}
