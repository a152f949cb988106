extension PluginBundle {
    /// The string for a key in the user's language, by the rules of docs/bundle-format.md, "Strings".
    ///
    /// Of an entry of a `.stringsdict` this is the format with the form `other` in the place of each variable. It can be
    /// handed to `String(format:)` with the same arguments; the form that fits them is chosen by
    /// ``localizedString(forKey:value:table:width:arguments:_:)``.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: what to give where there is no translation; nil or empty for the key.
    ///   - tableName: the table without `.strings`; nil or empty for `Localizable`.
    /// - Returns: the translation, else `value`, else the key.
    public func localizedString(forKey key: String, value: String?, table tableName: String?) -> String {
        resources.localizedString(key: key, value: value, table: tableName)
    }

    /// The string for a key in the user's language, with arguments in the place of its conversions, and in the forms that
    /// the numbers among them need: `bundle.localizedString(forKey: "%d files", arguments: 3)`.
    ///
    /// The forms of a `.stringsdict` are chosen by the plural rules of the language that the table is in, which need not
    /// be the user's. A key without a translation is a format itself, or `value` is.
    ///
    /// A format that does not fit its arguments is a warning in the log and never worse: a conversion without an argument
    /// stays as it is written, and an argument that a conversion cannot show is shown as by `%@`. Numbers are written in
    /// ASCII digits with a point, whatever the language.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: the format where there is no translation; nil or empty for the key.
    ///   - tableName: the table without `.strings`; nil or empty for `Localizable`.
    ///   - width: how wide the text may be, in the units of the entry's NSStringVariableWidthRuleType; nil for the widest.
    ///   - argument: the value for the position 1: a number, a text or any other. An array alone stands for its elements.
    ///   - others: those for the positions that follow.
    /// - Returns: the text, formatted.
    public func localizedString(
        forKey key: String, value: String? = nil, table tableName: String? = nil, width: Int? = nil,
        arguments argument: Any, _ others: Any...
    ) -> String {
        let all = others.isEmpty ? argument as? [Any] ?? [argument] : [argument] + others
        return resources.localizedString(key: key, value: value, table: tableName, arguments: all, width: width)
    }
}

/// The string for a key in the user's language, under the name that Foundation has for it.
///
/// A file that also imports Foundation gets this one too, with ``PluginBundle/main`` where it names no bundle: the other
/// form without `bundle:` below decides that.
///
/// - Parameters:
///   - key: the key.
///   - tableName: the table without `.strings`; nil for `Localizable`.
///   - bundle: whose string it is.
///   - value: what to give where there is no translation; empty for the key.
///   - comment: a word to the translator, for tools that gather the keys.
/// - Returns: the translation, else `value`, else the key.
public func NSLocalizedString(
    _ key: String, tableName: String? = nil, bundle: PluginBundle, value: String = "", comment: String
) -> String {
    bundle.localizedString(forKey: key, value: value, table: tableName)
}

/// The string for a key of the main bundle in the user's language.
public func NSLocalizedString(
    _ key: String, tableName: String? = nil, value: String = "", comment: String
) -> String {
    PluginBundle.main.localizedString(forKey: key, value: value, table: tableName)
}
