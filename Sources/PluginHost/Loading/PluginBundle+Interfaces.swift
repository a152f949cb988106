@_spi(Tools) import BundleReading
import ELFImages
import HostBasics
import InterfaceRecords

extension PluginBundle {
    /// The interfaces that loaded code was compiled against; nil if Info.plist does not state it, or states it of another
    /// executable.
    ///
    /// `address`: an address in the code's file.
    func compiledRecord(ofCodeAt address: UnsafeRawPointer?) -> InterfaceRecord? {
        guard manifest.hasInterfaces, let address, let compiled = try? manifest.compiledInterfaces(),
            BuildIdentifier.ofLibrary(containing: UInt64(UInt(bitPattern: address))) == compiled.code
        else { return nil }
        return compiled.record
    }

    /// The interfaces that a file was compiled against, and a warning if Info.plist has them but they do not count.
    func compiledRecord(ofFile path: String) -> (record: InterfaceRecord?, findings: [PluginFinding]) {
        func warning(_ message: String) -> (InterfaceRecord?, [PluginFinding]) {
            let key = ManifestKey.interfaces.spelling
            let finding = PluginFinding(
                .warning, .manifestInvalid, filePath: manifestPath, subject: key,
                message: "\(key) has no effect: \(message)",
                remedy: "Pack the bundle again: “pluginhost pack” writes the key.")
            return (nil, [finding])
        }
        do throws(InterfaceRecord.Fault) {
            guard let compiled = try manifest.compiledInterfaces() else { return (nil, []) }
            guard let file = try? LinkedFile(path: path) else { return (nil, []) }
            guard file.buildIdentifier == compiled.code else {
                return warning("it describes an executable with another build-id than \(quoted(path)).")
            }
            return (compiled.record, [])
        } catch {
            switch error {
            case .damaged(let reason): return warning("it is damaged. \(reason)")
            // A later version of the packer wrote it, which is no fault.
            case .format: return (nil, [])
            }
        }
    }
}
