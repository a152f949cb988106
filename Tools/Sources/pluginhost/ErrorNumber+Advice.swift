import HostBasics

extension ErrorNumber {
    /// The system's reason for refusing an operation, and what to do about it: the end of a message.
    static func advice(_ number: Int32, to operation: Operation = .read) -> String {
        "\(describe(errno: number)). \(remedy(number, to: operation))"
    }
}
