import ELFImages
import HostBasics
internal import PropertyLists

#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

extension PluginBundle {
    /// `CFBundleIdentifier`, or nil if there is none.
    public var bundleIdentifier: String? { manifest.identifier }

    /// The bundle's name in a log: its identifier, or the name of its directory.
    var displayIdentifier: String { manifest.identifier ?? Path.stem(bundlePath) }

    /// The name to show to the user: `CFBundleDisplayName` or `CFBundleName` in the user's language, or the directory's
    /// name.
    public var displayName: String {
        for (key, name) in [("CFBundleDisplayName", manifest.displayName), ("CFBundleName", manifest.name)] {
            if let name = resources.localizedInfo(forKey: key) ?? name, !name.isEmpty { return name }
        }
        return Path.stem(bundlePath)
    }

    /// Info.plist with the values for this platform; empty if there is none or it cannot be read.
    ///
    /// ``manifestError`` gives the reason. Never nil; it is optional because Foundation's `Bundle` declares it so.
    ///
    /// Values are `String`, `Int` (`UInt64` above `Int.max`), `Double`, `Bool`, `Date`, `Data`, arrays and
    /// dictionaries.
    ///
    /// **Cost.** Converts the whole list at each call; ``manifest`` and ``object(forInfoDictionaryKey:)`` do not.
    public var infoDictionary: [String: Any]? { manifest.dictionary.mapValues(\.foundationValue) }

    /// The values of InfoPlist.strings in the user's language, or nil if there is none.
    public var localizedInfoDictionary: [String: Any]? { resources.localizedInfo }

    /// A value from Info.plist, in the user's language if InfoPlist.strings has one.
    public func object(forInfoDictionaryKey key: String) -> Any? {
        resources.localizedInfo(forKey: key) ?? manifest.dictionary[key]?.foundationValue
    }

    #if FullFoundation
    /// The machine of the executable, as one of NSBundle's Mach-O numbers; nil if there is no executable.
    ///
    /// ELF has its own numbers, and NSBundle has none for Linux. These are NSBundle's numbers for the same processors.
    public var executableArchitectures: [NSNumber]? {
        guard let path = executablePath, let file = try? OpenedFile(path: path),
            let machine = ELFInspector.machine(of: file)
        else { return nil }
        return MachineNumbers.cpuType(elfMachine: machine).map { [NSNumber(value: $0)] } ?? []
    }
    #endif
}

extension PropertyList {
    /// The value as Foundation's reader returns it.
    fileprivate var foundationValue: Any {
        switch self {
        case .string(let text): text
        case .integer(let number): Int(number)
        case .unsigned(let number), .uid(let number): number
        case .real(let number): number
        case .boolean(let value): value
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): Data(bytes)
        case .array(let values): values.map(\.foundationValue)
        case .dictionary(let values): values.mapValues(\.foundationValue)
        }
    }
}

#if FullFoundation
/// Maps ELF's processor numbers (e_machine) to Mach-O's (cputype), for ``PluginBundle/executableArchitectures``.
private enum MachineNumbers {
    static func cpuType(elfMachine: UInt16) -> Int? {
        switch elfMachine {
        case 62: NSBundleExecutableArchitectureX86_64
        case 183: NSBundleExecutableArchitectureARM64
        case 3: NSBundleExecutableArchitectureI386
        default: nil
        }
    }
}
#endif
