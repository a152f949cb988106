import Foundation
import PluginHost
import TestSupport
import Testing

/// The name by which code in the style of Foundation's Bundle refers to a bundle.
///
/// PluginHost is imported as any client imports it.
private typealias Bundle = PluginBundle

@Suite("A file written for Foundation's Bundle compiles, and gets this library's strings")
struct FoundationNamesTests {
    @Test func everyFormOfNSLocalizedStringIsThisLibrarys() async {
        await #expect(processExitsWith: .success) {
            // Only this library's functions write to its log.
            setenv("NSShowNonLocalizedStrings", "YES", 1)
            let heard = HeardKeys()
            HostEnvironment.current.log = { heard.add($0.message) }
            let texts = [
                NSLocalizedString("one", comment: ""),
                NSLocalizedString("two", tableName: "Other", comment: ""),
                NSLocalizedString("three", value: "x", comment: ""),
                NSLocalizedString("four", tableName: nil, value: "x", comment: ""),
                NSLocalizedString("five", bundle: .main, comment: ""),
                NSLocalizedString("six", bundle: Bundle.main, comment: ""),
                NSLocalizedString("seven", tableName: "Other", bundle: Bundle.main, comment: ""),
                NSLocalizedString("eight", bundle: Bundle.main, value: "x", comment: ""),
                NSLocalizedString("nine", tableName: "Other", bundle: Bundle.main, value: "x", comment: ""),
                Bundle.main.localizedString(forKey: "ten", value: nil, table: nil),
            ]
            let expected = ["ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"]
            precondition(texts == expected, "\(texts)")
            precondition(heard.count == 10, "\(heard.count)")
        }
    }

    @Test func foundationsOwnFunctionIsReachedByItsBundle() {
        #expect(NSLocalizedString("none", bundle: Foundation.Bundle.main, value: "x", comment: "") == "x")
    }
}

private final class HeardKeys: Sendable {
    private let messages = FixtureLock<[String]>([])
    var count: Int { messages.withLock { $0.count } }
    func add(_ message: String) { messages.withLock { $0.append(message) } }
}
