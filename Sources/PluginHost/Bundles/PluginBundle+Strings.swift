extension PluginBundle {
    /// The string for a key in the user's language, following the rules of docs/bundle-format.md, "Strings".
    ///
    /// For an entry of a `.stringsdict`, this is the format with the form `other` in place of each variable. It can be
    /// passed to `String(format:)` with the same arguments. ``localizedString(forKey:value:table:width:arguments:_:)``
    /// chooses the form that fits the arguments.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: what to return if there is no translation; nil or empty for the key.
    ///   - tableName: the table without `.strings`; nil or empty for `Localizable`.
    /// - Returns: the translation, otherwise `value`, otherwise the key.
    public func localizedString(forKey key: String, value: String?, table tableName: String?) -> String {
        resources.localizedString(key: key, value: value, table: tableName)
    }

    /// The string for a key in the user's language, with the arguments in place of its conversions and in the plural
    /// forms that their numbers require: `bundle.localizedString(forKey: "%d files", arguments: 3)`.
    ///
    /// The plural rules of the table's language choose the forms of a `.stringsdict`; that language may differ from the
    /// user's. If the key has no translation, `value` or the key itself is the format.
    ///
    /// A format that does not match its arguments only causes a warning in the log: a conversion without an argument is
    /// left as written, and an argument that does not fit its conversion is shown as by `%@`. Numbers are written in
    /// ASCII digits with a decimal point, in every language.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: the format to use if there is no translation; nil or empty for the key.
    ///   - tableName: the table without `.strings`; nil or empty for `Localizable`.
    ///   - width: the maximum width of the text, in the units of the entry's NSStringVariableWidthRuleType; nil for the
    ///     widest.
    ///   - argument: the value for position 1: a number, a text or any other value. A single array is taken as the list
    ///     of all values.
    ///   - others: the values for the positions that follow.
    /// - Returns: the formatted text.
    public func localizedString(
        forKey key: String, value: String? = nil, table tableName: String? = nil, width: Int? = nil,
        arguments argument: Any, _ others: Any...
    ) -> String {
        let all = others.isEmpty ? argument as? [Any] ?? [argument] : [argument] + others
        return resources.localizedString(key: key, value: value, table: tableName, arguments: all, width: width)
    }
}

/// The string for a key in the user's language, under Foundation's name for this function.
///
/// A file that also imports Foundation sees both functions. A call that names no bundle then uses the form without
/// `bundle:` below, which takes ``PluginBundle/main``.
///
/// - Parameters:
///   - key: the key.
///   - tableName: the table without `.strings`; nil for `Localizable`.
///   - bundle: the bundle that contains the string.
///   - value: what to return if there is no translation; empty for the key.
///   - comment: a note to the translator, for tools that collect the keys.
/// - Returns: the translation, otherwise `value`, otherwise the key.
public func NSLocalizedString(
    _ key: String, tableName: String? = nil, bundle: PluginBundle, value: String = "", comment: String
) -> String {
    bundle.localizedString(forKey: key, value: value, table: tableName)
}

/// The string for a key of the main bundle, in the user's language.
public func NSLocalizedString(
    _ key: String, tableName: String? = nil, value: String = "", comment: String
) -> String {
    PluginBundle.main.localizedString(forKey: key, value: value, table: tableName)
}
