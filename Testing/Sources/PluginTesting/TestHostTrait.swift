public import Testing

/// Runs each test in its own ``TestHost``.
public struct TestHostTrait: TestTrait, SuiteTrait, TestScoping {
    let settings: TestHost.Settings

    /// In a suite, every test gets its own host.
    public var isRecursive: Bool { true }

    /// Runs one test in its host.
    ///
    /// Swift Testing calls it.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTestHost(settings) { _ in try await function() }
    }
}

extension Trait where Self == TestHostTrait {
    /// Runs each test in its own ``TestHost``, which is `TestHost.current`.
    public static var testHost: Self { Self(settings: .init()) }

    /// Runs each test in its own ``TestHost`` for a user with these languages.
    public static func testHost(languages: [String]) -> Self { Self(settings: .init(languages: languages)) }

    /// Runs each test in its own ``TestHost`` with these settings.
    public static func testHost(_ settings: TestHost.Settings) -> Self { Self(settings: settings) }
}
