/// A change of a thread's ``FloatState`` by a plug-in, which the host has undone.
package struct FloatChange: Sendable {
    /// What the plug-in did when it made the change.
    package enum Step: Sendable {
        /// The constructors of a file, or of a library that it needs, ran.
        case opening
        case entry, activation, deactivation
    }

    let step: Step
    /// The changed bits in words.
    let words: [String]

    /// The warning about it.
    ///
    /// `file`: the file that was opened, or that contains the function.
    package func finding(in file: String) -> PluginFinding {
        let (what, remedy) =
            switch step {
            case .opening:
                (
                    "Loading \(quoted(file)), with the libraries that it needs,",
                    "Link it without -ffast-math, -funsafe-math-optimizations and -Ofast: they add a constructor that "
                        + "changes the thread. They may be used for compiling."
                )
            case .entry: ("The entry of \(quoted(file))", Self.remedy)
            case .activation: ("The activation of \(quoted(file))", Self.remedy)
            case .deactivation: ("The deactivation of \(quoted(file))", Self.remedy)
            }
        return CopiedPaths.withOriginalPaths(
            PluginFinding(
                .warning, .processChanged, filePath: file, subject: Self.subject,
                message:
                    "\(what) changed how its thread calculates: \(words.joined(separator: "; ")). The host has undone it.",
                remedy: remedy))
    }

    private static let remedy =
        "Save the state with fegetenv() before the change, and set it again with fesetenv() before the function returns."

    /// The subject of findings about the state of floating-point numbers.
    package static let subject = "floating point"
}
