public import PluginABI
public import PropertyLists

/// What a Settings.bundle declares about one key.
public struct SettingDeclaration: Sendable, Hashable {
    /// Which values of the type are allowed.
    public enum Allowed: Sendable, Hashable {
        /// Every value.
        case any
        /// Numbers from the first to the second; nil where there is no limit.
        case range(minimum: Double?, maximum: Double?)
        /// These values only, in the order of the file.
        case values([SettingScalar])
    }

    /// The key.
    public let key: String
    /// The type of its values.
    public let type: SettingType
    /// Which values are allowed.
    public let allowed: Allowed
    /// The plug-in's own value, which is allowed.
    public let defaultValue: SettingScalar
    /// Whether the value is never read from a file, nor written to one, nor shown.
    public let isSecret: Bool
    /// The keys that the setting had in earlier versions, the latest first.
    public let formerKeys: [String]
    /// The list that declares the key first.
    public let filePath: String

    /// Why a value cannot be used.
    public enum Fault: Error, Sendable, Hashable {
        /// It has another type.
        case type
        /// It is of the type, but not allowed.
        case notAllowed
        /// The text is too long.
        case tooLong
    }

    /// A value of a list, if the setting can have it.
    public func value(_ list: PropertyList) throws(Fault) -> SettingScalar {
        guard let value = SettingScalar(list, as: type) else { throw .type }
        return try checked(value)
    }

    /// The value itself if the setting can have it.
    ///
    /// A whole number may stand for a real.
    public func checked(_ value: SettingScalar) throws(Fault) -> SettingScalar {
        var value = value
        if type == .real, case .integer(let whole) = value { value = .real(Double(whole)) }
        guard value.type == type else { throw .type }
        if case .real(let number) = value, !number.isFinite { throw .notAllowed }
        if case .text(let text) = value {
            if text.utf8.count > SettingsLimits.longestText { throw .tooLong }
            // Neither a file in XML nor a string of C can hold it.
            if text.utf8.contains(0) { throw .notAllowed }
        }
        switch allowed {
        case .any: return value
        case .values(let values):
            guard values.contains(value) else { throw .notAllowed }
        case .range(let minimum, let maximum):
            guard let number = value.number, minimum ?? number <= number, number <= maximum ?? number else {
                throw .notAllowed
            }
        }
        return value
    }

    /// What the setting can have, for a message: “a number from 0 to 1”.
    public var allowedWords: String {
        switch allowed {
        case .any:
            return type == .text ? "a text of at most \(SettingsLimits.longestText) bytes without NUL" : type.words
        case .values(let values):
            let shown = values.prefix(12).map(\.shown)
            let others = values.count - shown.count
            return "one of " + shown.joined(separator: ", ") + (others > 0 ? " and \(others) others" : "")
        case .range(let minimum, let maximum):
            switch (minimum.map(shown), maximum.map(shown)) {
            case (let minimum?, let maximum?): return "\(type.words) from \(minimum) to \(maximum)"
            case (let minimum?, nil): return "\(type.words) of at least \(minimum)"
            case (nil, let maximum?): return "\(type.words) of at most \(maximum)"
            case (nil, nil): return type.words
            }
        }
    }

    private func shown(_ limit: Double) -> String {
        type == .integer ? Int(exactly: limit).map { "\($0)" } ?? "\(limit)" : "\(limit)"
    }

    /// Whether two elements declare the same setting, apart from texts.
    func isSame(as other: SettingDeclaration) -> Bool {
        (type, allowed, defaultValue, isSecret, formerKeys)
            == (other.type, other.allowed, other.defaultValue, other.isSecret, other.formerKeys)
    }
}

extension SettingScalar {
    /// The value as a number; nil for Booleans and texts.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .boolean, .text: nil
        }
    }
}
