/// The key and type of a setting, declared once.
///
/// ```swift
/// extension Setting where Value == Double {
///     static var rate: Self { .init("rate", default: 1) }
/// }
/// ```
/// Then `context.settings[.rate]` is its value. The Settings.bundle of the plug-in declares the same key.
@frozen
public struct Setting<Value: SettingValue>: Sendable {
    /// The key in the Settings.bundle.
    public let key: String
    /// The value if the Settings.bundle lacks the key or gives it another type, which is logged once.
    public let fallback: Value

    /// - Parameters:
    ///   - key: the key in the Settings.bundle.
    ///   - fallback: the value if the Settings.bundle does not declare the key with this type. Otherwise the
    ///     `DefaultValue` there counts.
    @inlinable
    public init(_ key: String, default fallback: Value) {
        self.key = key
        self.fallback = fallback
    }
}
