import ArgumentParser
import Foundation
import Glibc
import PluginHost
@_spi(Tools) import PluginLinting
import PluginTranslating

/// `pluginhost strings FILE.xib`: writes the table of a nib, or merges it into the translations.
struct NibStringsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nib",
        abstract: "Prints the strings table of a nib, or merges it into translations.",
        discussion: """
            The keys and comments are those of ibtool. The texts are the attributes that a class declares as text, by \
            NibClasses.plist of the bundle that contains the nib, and of the bundles that it requires; --classes names further \
            lists. Without any, they are the attributes that the classes of AppKit and UIKit have as text.

            --merge brings the table of each .lproj directory in a directory up to date, but for Base.lproj: translations \
            and their comments stay, new texts are added as the nib has them, and entries of objects that are gone are kept \
            in a comment, until the nib has the objects again. If one of the tables has a fault, none is written.
            """)

    @Option(
        help: ArgumentHelp("A directory with .lproj directories, or one .lproj directory.", valueName: "directory"),
        completion: .directory)
    var merge: String?

    @Option(
        help: ArgumentHelp(
            "A list of classes in the form of NibClasses.plist; may be repeated.", valueName: "file"),
        completion: .file())
    var classes: [String] = []

    @OptionGroup var nibLimits: NibLimitArguments

    @Argument(help: ArgumentHelp("The nib.", valueName: "file.xib"), completion: .file(extensions: ["xib", "nib"]))
    var nib: String

    mutating func run() throws {
        nibLimits.apply()
        do {
            let table = try NibTable(nib: nib, classLists: classes)
            if !table.findings.isEmpty { Self.report(table.findings, of: nil) }
            guard let merge else { return Terminal.write(table.text) }
            // Read all files before writing any.
            let files = try table.tables(in: Self.localizations(in: merge))
            for file in files where file.isChanged {
                try file.write()
                Terminal.write("\(file.path.relativeToCurrentDirectory)\n")
            }
        } catch let finding as LintFinding {
            var page = Page()
            LintResult.write(finding, of: nil, to: &page)
            Terminal.write(page.text, to: STDERR_FILENO)
            try ExitStatus.unable.finish()
        } catch let error as PluginError {
            Self.report(error.findings, of: error.bundlePath)
            try ExitStatus.unable.finish()
        }
    }

    private static func report(_ findings: [PluginFinding], of bundlePath: String?) {
        var page = Page()
        FindingReport(findings: findings, bundlePath: bundlePath).write(to: &page)
        Terminal.write(page.text, to: STDERR_FILENO)
    }

    private static func localizations(in directory: String) throws -> [String] {
        if URL(filePath: directory).pathExtension == "lproj" { return [directory] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch {
            throw ValidationError("The directory \(directory.escapedForTerminal) cannot be read.")
        }
        let found = names.filter { $0.hasSuffix(".lproj") && $0 != "Base.lproj" }.sorted()
        guard !found.isEmpty else {
            throw ValidationError("The directory \(directory.escapedForTerminal) has no .lproj directories.")
        }
        return found.map { directory + "/" + $0 }
    }
}
