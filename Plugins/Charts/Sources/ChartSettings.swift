import PluginABI

/// In which order a chart shows its bars.
enum BarOrder: String, SettingValue {
    case given, largest, smallest
}

// What the Settings.bundle declares. The defaults here count only if it lacks a key.

extension Setting where Value == BarOrder {
    /// The order of the bars.
    static var order: Self { .init("order", default: .given) }
}

extension Setting where Value == Bool {
    /// Whether each bar has its number beside it.
    static var numbers: Self { .init("numbers", default: true) }
}

extension Setting where Value == Double {
    /// The height of a line chart.
    static var height: Self { .init("height", default: 300) }
}
