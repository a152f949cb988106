internal import CPluginSupport.Shims

/// The words of this program's command line.
public enum ProgramArguments {
    /// The program's name first; empty if no words were passed.
    ///
    /// Why not `CommandLine`: the standard library reads its words from /proc, and has none without it.
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
