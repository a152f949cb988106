import HostBasics
import NibReading
@_spi(PluginHost) internal import PluginABI

/// The source of a nib's classes.
///
/// This is everything that a nib's file knows about loading code.
protocol NibClassSource: Sendable {
    /// The classes that a nib may name; earlier levels take precedence. Loads code if necessary.
    ///
    /// - Throws: ``PluginError`` if code does not load.
    func nibClasses() throws(PluginError) -> AvailableNibClasses
    /// Whether these are still the current classes.
    func isCurrent(_ classes: AvailableNibClasses) -> Bool
    /// The bundle that has a class with a name, for a message; nil if no loaded bundle has one.
    func stranger(withNibClass name: String) -> String?
}

/// The classes that a nib may name, and the code that registered them.
struct AvailableNibClasses: Sendable {
    var levels: [NibClassLevel] = []
    /// The code of the nib's own bundle, and of those that it requires.
    var codes: [(bundle: PluginBundle, code: LoadedCode)] = []

    /// Adds the classes that the code of some bundles registered.
    fileprivate mutating func add(_ codes: [(PluginBundle, LoadedCode)], isOwn: Bool) {
        let members = codes.flatMap { bundle, code in
            let context = code.context
            return code.registrations.nibClasses.map { aClass in
                NibClassLevel.Member(
                    aClass: aClass, context: context, count: code.objects.count(.pluginClass, aClass.name),
                    bundlePath: bundle.bundlePath,
                    elements: aClass.registration.element.map { [$0] } ?? [])
            }
        }
        levels.append(NibClassLevel(isOwn: isOwn, members: members))
        self.codes += codes.map { ($0.0, $0.1) }
    }
}

extension ObjectCount: NibObjectCounter {}

/// The classes for the nibs of one bundle: its own, those of the bundles that it requires, and the application's.
struct BundleNibClasses: NibClassSource {
    let bundle: PluginBundle

    func nibClasses() throws(PluginError) -> AvailableNibClasses {
        var available = AvailableNibClasses()
        let isProgram = bundle.isProgram
        if !isProgram, let code = try Self.code(of: bundle) {
            available.add([(bundle, code)], isOwn: true)
        }
        var required: [(PluginBundle, LoadedCode)] = []
        for identifier in bundle.manifest.requires.keys.sorted() {
            guard let other = PluginBundle(identifier: identifier), other !== bundle,
                let code = try Self.code(of: other)
            else { continue }
            required.append((other, code))
        }
        if !required.isEmpty { available.add(required, isOwn: false) }
        let classes = HostEnvironment.current.nibClasses
        let context = try Self.programContext()
        let members = classes.named.values.map { aClass in
            let element = aClass.registration.element.flatMap { classes.byElement[$0] === aClass ? $0 : nil }
            return NibClassLevel.Member(
                aClass: aClass, context: context, count: nil, bundlePath: nil,
                elements: element.map { [$0] } ?? [])
        }
        available.levels.append(NibClassLevel(isOwn: isProgram, members: members))
        return available
    }

    /// The loaded code of a bundle; nil for a bundle without code.
    private static func code(of bundle: PluginBundle) throws(PluginError) -> LoadedCode? {
        if let code = bundle.currentCode { return code }
        // A bundle with only resources stays unloaded; otherwise its state would be that of a failed load.
        if !bundle.isLinked, !bundle.isProgram, bundle.manifest.executable == nil, bundle.manifest.principalClass == nil
        {
            do throws(PluginError) {
                _ = try bundle.openExecutable()
            } catch {
                if error.code == .notCode { return nil }
            }
        }
        do {
            return try bundle.loadedCode()
        } catch {
            guard let error = error as? PluginError else {
                preconditionFailure("a load throws a PluginError, not \(error)")
            }
            if error.code == .notCode { return nil }
            throw error
        }
    }

    /// The context for objects of the application's classes, which is the main bundle's.
    private static func programContext() throws(PluginError) -> PluginContext {
        guard let code = try code(of: PluginBundle.main) else {
            preconditionFailure("the main bundle has code that runs")
        }
        return code.context
    }

    func isCurrent(_ classes: AvailableNibClasses) -> Bool {
        for (bundle, code) in classes.codes where bundle.currentCode !== code { return false }
        return true
    }

    func stranger(withNibClass name: String) -> String? {
        let known = [bundle.bundlePath]
        return BundleTable.shared.all.first { other in
            !known.contains(other.bundlePath)
                && other.currentCode?.registrations.nibClasses.contains { $0.name == name } ?? false
        }?.bundlePath
    }
}
