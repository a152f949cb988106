import Foundation
import HostBasics
import NibReading
@_spi(Tools) import PluginHost
import PluginLinting
import PluginTranslating

extension PluginError.Code {
    /// NibClasses.plist does not declare what the code registers.
    ///
    /// A warning.
    static let nibClassesOutdated = Self(rawValue: "nibClassesOutdated")
    /// Objects of a nib still exist after everything that owned them was released.
    ///
    /// A warning.
    static let nibObjectsLeaked = Self(rawValue: "nibObjectsLeaked")
}

/// The work of `pluginhost load` on the nibs of a bundle whose code was loaded.
struct NibLoads {
    private let bundle: PluginBundle
    private(set) var findings: [PluginFinding] = []
    /// The nibs that exceed the limits.
    private var refused: Set<String> = []
    /// The results, for the report: “Summary.xib: made 9 objects”.
    private(set) var lines: [String] = []

    init(of bundle: PluginBundle) { self.bundle = bundle }

    /// Checks every nib, in every localisation and variant, against the classes that the code registered.
    mutating func check() {
        let declared = BundleLinter().nibClassNames(of: bundle)
        findings += declared.unread
        for file in BundledNib.all(in: bundle) {
            do throws(PluginError) {
                let (found, unknown) = try NibInspection(path: file.path, limits: HostEnvironment.current.nibLimits)
                    .findings(
                        withCodeOf: bundle, leavingOut: declared.elementsLeftOut, assuming: declared.names)
                if found.contains(where: { $0.code == .nibUnreadable }) { refused.insert(file.path) }
                findings += found
                for var warning in unknown {
                    warning.severity = .warning
                    warning.message += " The application may have it."
                    findings.append(warning)
                }
            } catch {
                findings += error.findings
            }
        }
        compareClasses()
    }

    /// Makes the objects of each nib and releases them.
    mutating func instantiate() {
        for file in BundledNib.all(in: bundle) {
            // Nibs that cannot be read or exceed the limits have been reported.
            guard !refused.contains(file.path),
                let nib = try? NibInspection(path: file.path, limits: HostEnvironment.current.nibLimits)
            else { continue }
            let name = file.path.relative(to: bundle.resourcePath ?? "")
            switch nib.trial(in: bundle) {
            case .made(let count, let living):
                lines.append("\(name): made and released \(FindingReport.count(count, "object") ?? "no objects")")
                guard !living.isEmpty else { continue }
                findings.append(
                    PluginFinding(
                        .warning, .nibObjectsLeaked, filePath: file.path, subject: living.joined(separator: ", "),
                        message:
                            "The objects \(living.map { "“\($0)”" }.joined(separator: ", ")) live on after everything that "
                            + "owned them was released.",
                        remedy: "Make one outlet of each circle weak."))
            case .skipped(let reason): lines.append("\(name): not made. \(reason)")
            case .failed(let found):
                let own = found.filter { $0.code != .nibClassMissing && $0.code != .nibUnsupported }
                if own.isEmpty {
                    lines.append("\(name): not made. Some of its classes or connections are the application's.")
                }
                // Do not repeat the findings of the check.
                findings += own.filter { !findings.contains($0) }
            }
        }
    }

    // MARK: NibClasses.plist

    private var path: String? { bundle.path(forResource: NibClassList.fileName, ofType: nil) }

    private mutating func compareClasses() {
        guard let path, let registered = NibClassList(registeredBy: bundle) else { return }
        let written: NibClassList?
        do throws(PluginError) { written = try NibClassList(contentsOf: path) } catch {
            // The check that reads the lists of all bundles may have found the same errors.
            findings += error.findings.filter { !findings.contains($0) }
            return
        }
        guard let written else { return }
        let entries = Dictionary(written.entries.map { ($0.name, $0) }) { first, _ in first }
        let differing = registered.entries.filter { !$0.says(entries[$0.name]) }.map(\.name).sorted()
        guard !differing.isEmpty else { return }
        findings.append(
            PluginFinding(
                .warning, .nibClassesOutdated, filePath: path, subject: differing.joined(separator: ", "),
                message:
                    "The list does not declare what the code registers of \(differing.map { "“\($0)”" }.joined(separator: ", ")).",
                remedy: "Write it again with “pluginhost load --write-nib-classes”."))
    }

    /// Writes the classes that the code registered into a file; classes that only the file declares, such as File's
    /// Owners that no code registers, stay in it.
    mutating func writeClasses() {
        guard let registered = NibClassList(registeredBy: bundle), let directory = bundle.resourcePath else { return }
        let target = path ?? directory + "/" + NibClassList.fileName
        do {
            let old = try NibClassList(contentsOf: target) ?? NibClassList([])
            let names = Set(registered.entries.map(\.name))
            let kept = old.entries.filter { !names.contains($0.name) }
            guard !(registered.entries + kept).isEmpty else { return }
            let list = NibClassList(registered.entries + kept, leavingOut: old.elementsLeftOut)
            try OutputFile.write(Array(try list.text().utf8), to: target)
            lines.append(
                "wrote \(target.relative(to: bundle.bundlePath)); copy it into the plug-in's Resources, because the next "
                    + "pack replaces the bundle")
        } catch let error as PluginError {
            findings += error.findings
        } catch let error as LintFinding {
            findings.append(
                PluginFinding(
                    .nibInterfaceInvalid, filePath: target, message: error.message, remedy: error.remedy))
        } catch {
            findings.append(
                PluginFinding(
                    .nibInterfaceInvalid, filePath: target, message: "The list cannot be written: \(error).",
                    remedy: "Make the directory writable."))
        }
    }
}

extension NibClassList.Entry {
    /// Whether two entries declare the same, even if only one lists its inherited members.
    fileprivate func says(_ other: Self?) -> Bool {
        guard var other else { return false }
        // A list may leave the module out.
        if other.module == nil { other.module = module }
        return self == other
    }
}
