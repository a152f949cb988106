@_spi(Tools) import PluginHost

extension ErrorNumber {
    /// What the system says about an operation that it refused, and what to do: the end of a message.
    static func advice(_ number: Int32, to operation: Operation = .read) -> String {
        "\(describe(errno: number)). \(remedy(number, to: operation))"
    }
}
