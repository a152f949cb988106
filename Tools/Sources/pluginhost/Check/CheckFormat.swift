import ArgumentParser
import PluginHost

/// The output format of a report.
enum CheckFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    /// The XML that build servers read: a suite for each bundle, a test for each rule.
    case junit
    /// Static Analysis Results Interchange Format, version 2.1.0.
    case sarif
}

/// The option for the format of a report.
///
/// Every command also has --json.
struct FormatArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The form of the report: text, json, junit or sarif.", valueName: "format"))
    var format: CheckFormat?

    /// The format to write.
    ///
    /// `isJSON`: whether --json was given.
    func form(isJSON: Bool) -> CheckFormat { isJSON ? .json : format ?? .text }

    func validate(isJSON: Bool) throws {
        if isJSON, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) exclude each other.")
        }
    }
}
