internal import CPluginSupport.Shims

/// The words of this program's command line.
public enum ProgramArguments {
    /// The program's name first; empty if nobody passed one.
    ///
    /// Not those of `CommandLine`, which the standard library reads from /proc: without it, there would be none.
    public static let all: [String] = {
        guard var place = phs_arguments() else { return CommandLine.arguments }
        var words: [String] = []
        while let text = place.pointee {
            words.append(String(cString: text))
            place += 1
        }
        return words
    }()
}
