import CatalogIndexing
import HostBasics
import HostRecords

extension SearchEnvironment {
    /// The applications that have a directory of plug-ins in a standard place.
    ///
    /// **Cost.** Reads the directories of data and libraries, and makes a system call for each directory in them.
    func applicationsWithPlugIns() -> Set<String> {
        var found: Set<String> = []
        for place in directories.data + Self.libraries {
            for name in DirectoryListing(path: place).names.keys
            where FileIdentity(path: Path.join(place, name + "/plugins"))?.isDirectory ?? false {
                found.insert(name)
            }
        }
        return found
    }
}

extension PluginCatalog {
    /// The applications that this user has run, or that have a directory of plug-ins in a standard place: for the
    /// completion of a shell.
    @_spi(Tools) public static func knownApplications() -> [String] {
        var found = SearchEnvironment.process.applicationsWithPlugIns()
        if let directory = IndexFile.userDirectory {
            for name in DirectoryListing(path: directory).names.keys {
                if let application = ApplicationRecord.application(ofFile: name) { found.insert(application) }
            }
        }
        return found.sorted()
    }
}
