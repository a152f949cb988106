public import PluginHost
import PluginLinting

/// Checks that a bundle registers exactly what its Info.plist declares: every provider and factory of an extension
/// point is in `PHFactories`, everything in `PHFactories` and `PHFunctions` is registered, and signatures agree.
///
/// Loads the bundle.
///
/// Classes need no declaration.
///
/// - Parameters:
///   - bundle: the bundle.
///   - fileID: the test's file, for the report.
///   - filePath: its path.
///   - line: the line of the call.
///   - column: its column.
public func expectDeclaredRegistrations(
    of bundle: PluginBundle, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
) {
    let place = SourcePlace(fileID, filePath, line, column)
    do { try bundle.loadAndReturnError() } catch {
        return place.fail("\(error)")
    }
    for finding in bundle.loadWarnings { place.fail("\(finding.message) \(finding.remedy)") }
    // With PHFactories, the load above has already refused what is not declared.
    guard bundle.manifest.extensions.isEmpty else { return }
    for one in bundle.registrations {
        guard let point = one.extensionPoint else { continue }
        place.fail(
            """
            The plug-in registered “\(one.name)” at the extension point “\(point)”, and Info.plist has no PHFactories. No \
            catalogue can list it. Declare it in PHFactories with this name, extensionPoint and version.
            """)
    }
}

/// Checks that a body throws a ``/PluginHost/PluginError`` with this code, and that the message has these texts.
///
/// ```swift
/// expectPluginError(.instantiationFailed, saying: "no dictionary for “xx”") { try provider.make() }
/// ```
/// - Parameters:
///   - code: the code of the decisive finding.
///   - words: texts that the error's `description`, which users read, must contain.
///   - fileID: the test's file, for the report.
///   - filePath: its path.
///   - line: the line of the call.
///   - column: its column.
///   - body: the code that must fail.
/// - Returns: the error; nil if the body threw no ``/PluginHost/PluginError``.
@discardableResult
public func expectPluginError<Result>(
    _ code: PluginError.Code, saying words: String..., fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column, when body: () throws -> Result
) -> PluginError? {
    let place = SourcePlace(fileID, filePath, line, column)
    do {
        _ = try body()
        place.fail("There was no error; “\(code)” was expected.")
        return nil
    } catch let error as PluginError {
        if error.code != code {
            place.fail("The error has the code “\(error.code)” and not “\(code)”. Its message is: \(error)")
        }
        for text in words where !"\(error)".contains(text) {
            place.fail("The message does not contain “\(text)”. It is: \(error)")
        }
        return error
    } catch {
        place.fail("The error is none of PluginHost with the code “\(code)”, but: \(error)")
        return nil
    }
}

/// Checks the translations of a bundle: each language has a text for every key of every table, and the placeholders of
/// the texts agree.
///
/// A table with faults fails too. The checks are those of `pluginhost lint`, with one difference: a missing text fails
/// even if the code contains it.
///
/// A text may be the same in two languages. If `pt` has a key, `pt-BR` may lack it.
///
/// - Parameters:
///   - bundle: the bundle.
///   - languages: languages that the bundle must have, spelled like its `.lproj` directories.
///   - fileID: the test's file, for the report.
///   - filePath: its path.
///   - line: the line of the call.
///   - column: its column.
public func expectCompleteLocalizations(
    of bundle: PluginBundle, in languages: String..., fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
    let place = SourcePlace(fileID, filePath, line, column)
    let present = bundle.localizations
    if present.isEmpty {
        place.fail("The bundle “\(bundle.bundlePath)” has no localisation. Put its strings into Resources/en.lproj.")
    }
    for language in languages where !present.contains(language) {
        place.fail("The bundle has no localisation “\(language)”, only: \(present.joined(separator: ", ")).")
    }
    var linter = BundleLinter()
    linter.requiresAllTexts = true
    for finding in linter.lint(bundle).findings where finding.isAboutTexts {
        let line = finding.place?.line.map { ":\($0)" } ?? ""
        place.fail("\(finding.filePath)\(line): \(finding.message) \(finding.remedy)")
    }
}

/// Checks that all plug-in objects created by a body are released when the body ends.
///
/// ```swift
/// try expectObjectsReleased(of: bundle) {
///     let filter = try #require(try bundle.providers(of: .textFilter).first).make()
///     #expect(try filter.filter("a") == "A")
/// }
/// ```
/// It counts the objects of providers, factories and classes, as `liveObjects` does. Services are objects too: they
/// live until the bundle is unloaded.
///
/// - Parameters:
///   - bundle: the bundle.
///   - fileID: the test's file, for the report.
///   - filePath: its path.
///   - line: the line of the call.
///   - column: its column.
///   - body: the code that creates and releases the objects.
/// - Throws: what the body throws.
public func expectObjectsReleased(
    of bundle: PluginBundle, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, after body: () throws -> Void
) rethrows {
    let before = bundle.liveObjects
    try body()
    for left in bundle.liveObjects {
        let known = before.first {
            $0.kind == left.kind && $0.name == left.name && $0.extensionPoint == left.extensionPoint
        }
        guard left.count > known?.count ?? 0 else { continue }
        SourcePlace(fileID, filePath, line, column).fail(
            """
            Not all objects were released: \(left) still live, and \(known?.count ?? 0) lived before. Something still \
            refers to them: a variable of the test, a closure, a cache, or two objects that refer to each other.
            """)
    }
}

extension LintFinding {
    /// Whether the finding is about a text that is missing or unreadable, or whose placeholders differ between
    /// languages.
    fileprivate var isAboutTexts: Bool {
        let isTable = filePath.hasSuffix(".strings") || filePath.hasSuffix(".stringsdict")
        return [.missingText, .placeholderMismatch, .missingPluralCategory].contains(code)
            || isTable && severity == .error
    }
}
