public import HostBasics
public import NibReading
@_spi(PluginHost) internal import PluginABI

extension NibInspection {
    /// Checks the nib with the images and sounds of a bundle.
    ///
    /// - Parameters:
    ///   - classes: the classes that it may name; if empty, only the document itself is checked.
    ///   - bundle: the bundle; nil to skip images and sounds.
    /// - Returns: all findings.
    @_spi(Tools) public func report(classes: Classes, in bundle: PluginBundle?) -> Report {
        bundle.map { report(classes: classes, Self.resources(of: $0)) } ?? report(classes: classes)
    }

    private static func resources(of bundle: PluginBundle) -> NibPlanner.Resources {
        var resources = NibPlanner.Resources()
        resources.image = { bundle.image(named: $0) }
        resources.sound = { bundle.sound(named: $0) }
        return resources
    }

    /// Checks the nib against the classes that loaded code registered: code of its bundle, of the bundles that this one
    /// requires, and of the application.
    ///
    /// File's Owner and the placeholders are assumed to have the classes that the document names.
    ///
    /// - Parameters:
    ///   - bundle: the nib's bundle.
    ///   - elements: the elements that the application leaves out, in addition to those of this process.
    ///   - declared: classes and elements that a list declares. They are not reported if they are not registered here,
    ///     because the application has them.
    /// - Returns: errors and warnings, with their positions. Separately, the first finding about each class or element
    ///   that is not registered, because the application may have it.
    @_spi(Tools) public func findings(
        withCodeOf bundle: PluginBundle, leavingOut elements: Set<String> = [], assuming declared: Set<String> = []
    ) -> (findings: [PluginFinding], unknownClasses: [PluginFinding]) {
        do throws(PluginError) {
            let levels = try BundleNibClasses(bundle: bundle).nibClasses().levels
            let scope = NibScope(
                levels, leavingOut: elements.union(HostEnvironment.current.nibClasses.elementsLeftOut))
            do throws(NibFinding) {
                let planner = try planner(
                    scope, assuming: declared, Self.resources(of: bundle), mode: .declarations)
                return (
                    located(planner.findings, [.error, .warning]), located(planner.findings, [.unknownClass])
                )
            } catch {
                return (located(error), [])
            }
        } catch {
            return (error.findings, [])
        }
    }

    /// The outcome of making a nib's objects.
    @_spi(Tools) public enum Trial: Sendable {
        /// The number of objects, and the ids of those that still exist after everything that owned them was released.
        case made(Int, living: [String])
        /// Only the application can make File's Owner or a placeholder; the reason as a sentence.
        case skipped(String)
        /// Errors.
        case failed([PluginFinding])
    }

    /// Makes the nib's objects, with a new File's Owner of the class that the document names, and releases them.
    @_spi(Tools) public func trial(in bundle: PluginBundle) -> Trial {
        var remains: [(id: String, object: WeakObject)] = []
        var count = 0
        do {
            let file = try NibFile.at(path, in: bundle)
            var owner: (any NibObject)?
            if let name = ownerClass, !NibPlanner.unspecific.contains(name) {
                let levels = try BundleNibClasses(bundle: bundle).nibClasses().levels
                let scope = NibScope(levels, leavingOut: [])
                guard case .found(let member) = scope.aClass(named: name), let context = member.context else {
                    return .skipped("File's Owner is a \(quoted(name)), which only the application can make.")
                }
                owner = try member.aClass.registration.make(context)
            }
            if let name = placeholderNames.first {
                return .skipped("The placeholder \(quoted(name)) is the application's.")
            }
            let made = try file.instantiate(
                owner: owner, placeholders: [:], options: NibOptions(), connected: nil)
            count = made.objects.count
            remains = made.named.map { ($0, WeakObject($1)) }
            if let owner { remains.append(("File's Owner", WeakObject(owner))) }
        } catch let error as PluginError {
            return .failed(error.findings)
        } catch {
            return .failed([PluginFinding(.nibObjectFailed, filePath: path, message: "\(error)")])
        }
        return .made(count, living: remains.filter { $0.object.value != nil }.map(\.id))
    }

    private struct WeakObject {
        weak var value: AnyObject?
        init(_ value: AnyObject) { self.value = value }
    }
}
