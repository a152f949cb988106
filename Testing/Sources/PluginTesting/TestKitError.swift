/// The reason why the test kit cannot provide a bundle.
///
/// The test has not checked anything yet.
///
/// **Threads.** A value; may be shared freely.
public struct TestKitError: Error, Sendable, Hashable {
    /// The kind of error.
    ///
    /// Open: a later version adds codes.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as text.
        public let rawValue: String
        /// A code by its text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code as text.
        public var description: String { rawValue }

        /// There is no package or Info.plist where the kit looks for the source of the bundle.
        public static let sourceMissing = Self(rawValue: "sourceMissing")
        /// The library or the packed bundle has not been built.
        public static let notBuilt = Self(rawValue: "notBuilt")
        /// Info.plist or a resource cannot be read.
        public static let unreadable = Self(rawValue: "unreadable")
        /// Info.plist is not a dictionary, or has a value that no property list can hold.
        public static let manifestInvalid = Self(rawValue: "manifestInvalid")
        /// The name of a bundle or of a resource is not a path inside the bundle.
        public static let nameInvalid = Self(rawValue: "nameInvalid")
        /// The temporary directory cannot be written.
        public static let notWritable = Self(rawValue: "notWritable")
        /// The value of the environment variable `PLUGIN_TEST_EXECUTION` is not an execution.
        public static let executionUnknown = Self(rawValue: "executionUnknown")
        /// The bundle has no Settings.bundle.
        public static let settingsMissing = Self(rawValue: "settingsMissing")
    }

    /// The kind of error.
    public let code: Code
    /// The file or directory that the error is about.
    public let path: String
    /// What went wrong, as a full sentence.
    public let message: String
    /// What to do, as a full sentence.
    public let remedy: String
}

extension TestKitError: CustomStringConvertible {
    /// What went wrong and what to do.
    public var description: String { "\(message) \(remedy)" }
}
