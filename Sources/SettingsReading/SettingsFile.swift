import Glibc
import HostBasics
public import PropertyLists

/// A file with values of a plug-in's settings.
///
/// ```
/// { Settings = { rate = 0.5; language = fr; }; Locked = ( rate ); }
/// ```
public struct SettingsFile: Sendable {
    /// The key of the values.
    public static let valuesKey = "Settings"
    /// The key of the settings that only the administrator changes.
    public static let lockedKey = "Locked"
    /// As large as the user's other lists may be.
    public static let limits = PropertyListLimits(size: 16 << 20, depth: 64, nodes: 2_000_000)

    /// Where it is.
    public let path: String
    /// Whose it is.
    public let layer: SettingsLayer
    /// The values by key, as written.
    public let values: [String: PropertyList]
    /// The keys that are locked; empty if locks do not count in this file.
    public let locked: Set<String>
    let bytes: [UInt8]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: where it may be.
    ///   - layer: whose it is.
    ///   - lockOwner: who must own a file with locks.
    ///   - findings: receives why it, or a part of it, is not used.
    /// - Returns: nil if there is none, or it cannot be used.
    ///
    /// **Cost.** A few system calls, and linear in its size.
    static func read(
        _ path: String, of layer: SettingsLayer, lockOwner: UInt32, _ findings: inout [PluginFinding]
    ) -> SettingsFile? {
        do throws(OwnFile.Refusal) {
            guard let (bytes, identity) = try OwnFile.content(path: path, atMost: limits.size) else { return nil }
            let list = try parse(bytes)
            guard let values = (list[valuesKey] ?? .dictionary([:])).dictionary else {
                throw OwnFile.Refusal(reason: "has no dictionary as \(valuesKey)", remedy: remedy, isDamage: true)
            }
            noteUnwritable(list, values, path, layer, &findings)
            let locked = locks(list, path, layer, isTrusted: isTrusted(identity, lockOwner), &findings)
            return SettingsFile(path: path, layer: layer, values: values, locked: locked, bytes: bytes)
        } catch {
            findings.append(
                PluginFinding(
                    .warning, .settingsUnreadable, filePath: path,
                    message:
                        "The settings of \(layer.words) in \(quoted(path)) are not used: the file \(error.reason.asSentence)",
                    remedy: error.remedy))
            return nil
        }
    }

    /// The keys whose values, or who themselves, cannot be written as XML: with a NUL, or a number or date outside of it.
    ///
    /// **Cost.** Linear.
    package static func unwritable(in entries: [String: PropertyList]) -> [String] {
        entries.filter { !isWritable($0.key, $0.value) }.map(\.key).sorted()
    }

    private static func isWritable(_ key: String, _ value: PropertyList) -> Bool {
        if key.utf8.contains(0) { return false }
        var left = [value]
        while let value = left.popLast() {
            switch value {
            case .string(let text): if text.utf8.contains(0) { return false }
            case .array(let elements): left += elements
            case .dictionary(let entries):
                if entries.keys.contains(where: { $0.utf8.contains(0) }) { return false }
                left += entries.values
            case .integer, .unsigned, .boolean, .data: break
            case .real, .date, .uid: if (try? PropertyListWriter.xml(value)) == nil { return false }
            }
        }
        return true
    }

    /// Reports what the next change cannot keep in the file.
    private static func noteUnwritable(
        _ list: [String: PropertyList], _ values: [String: PropertyList], _ path: String, _ layer: SettingsLayer,
        _ findings: inout [PluginFinding]
    ) {
        let others = list.filter { $0.key != valuesKey }
        let keys = unwritable(in: values) + unwritable(in: others)
        guard let first = keys.first else { return }
        findings.append(
            PluginFinding(
                .warning, .settingInvalid, filePath: path, subject: first,
                message: """
                    \(keys.count == 1 ? "The entry" : "\(keys.count) entries, the first of them") \(quoted(first)) in the settings \
                    of \(layer.words) in \(quoted(path)) cannot be written: XML has no NUL, and no number or date as this. A \
                    change of the file keeps it as \(quoted(path + ".damaged")), and writes it without them.
                    """,
                remedy: "Remove the entry."))
    }

    private static let remedy = "Correct it, or remove it; it is a dictionary with the key \(valuesKey)."

    private static func parse(_ bytes: [UInt8]) throws(OwnFile.Refusal) -> [String: PropertyList] {
        do {
            if case .dictionary(let list) = try PropertyListReader.read(bytes, limits: limits).value { return list }
        } catch {
            throw OwnFile.Refusal(reason: "has a fault: \(error)", remedy: remedy, isDamage: true)
        }
        throw OwnFile.Refusal(reason: "is no dictionary", remedy: remedy, isDamage: true)
    }

    /// Only root may lock, and nobody else may be able to write what counts as root's.
    private static func isTrusted(_ identity: FileIdentity, _ owner: UInt32) -> Bool {
        identity.owner == owner && identity.mode & (S_IWGRP | S_IWOTH) == 0
    }

    private static func locks(
        _ list: [String: PropertyList], _ path: String, _ layer: SettingsLayer, isTrusted: Bool,
        _ findings: inout [PluginFinding]
    ) -> Set<String> {
        guard let value = list[lockedKey] else { return [] }
        let keys = value.array?.map(\.string)
        let reason: String
        if layer != .administrator {
            reason = "only a file of the administrator can lock settings"
        } else if !isTrusted {
            reason = "the file must belong to root, and nobody else may be able to write to it"
        } else if let keys, !keys.contains(nil) {
            return Set(keys.compactMap(\.self))
        } else {
            reason = "it is not an array of keys"
        }
        findings.append(
            PluginFinding(
                .warning, .settingsUnreadable, filePath: path, subject: lockedKey,
                message: "\(lockedKey) in \(quoted(path)) has no effect: \(reason).",
                remedy: layer == .administrator ? "Let root own the file: chown root and chmod 644." : "Remove it."))
        return []
    }
}
