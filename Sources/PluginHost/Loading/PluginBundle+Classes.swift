import ELFImages
import HostBasics
import PluginABI

extension PluginBundle {
    /// The bundle's main class: the one that `NSPrincipalClass` names, with or without its module; without that key,
    /// the first class that the entry registered, otherwise the first class of the library.
    ///
    /// Loads the bundle if necessary. Nil for a bundle without code, a bundle that fails to load (see ``loadError``),
    /// one whose principal class is missing (``makePrincipal(as:)`` throws the reason), and one that runs in a worker
    /// process.
    public var principalClass: AnyClass? {
        guard let code = try? loadedCode() else { return nil }
        return code.principal(named: manifest.principalClass).type
    }

    /// A class of this bundle, even if other bundles have a class with the same name.
    ///
    /// Never a class of another bundle.
    ///
    /// - Parameter className: the name under which it was registered, or its own name: `Reporter`, `Module.Reporter`,
    ///   `Outer.Inner`.
    /// - Returns: the class, or nil; always nil for a bundle that runs in a worker process. Loads the bundle if
    ///   necessary.
    public func classNamed(_ className: String) -> AnyClass? {
        (try? loadedCode())?.class(named: className)
    }

    /// Creates an object of the principal class, after loading the bundle if necessary.
    ///
    /// - Parameter type: the type that the object must have, such as `(any TextFilter).self`.
    /// - Returns: a new object.
    /// - Throws: ``PluginError``: the errors of a load; `principalClassMissing` if there is no such class, or it is not
    ///   a `Plugin` or not a `type`; `instantiationFailed` with the error of the initialiser; `notRemote` if the
    ///   plug-in runs in a worker process.
    ///
    /// **Cost.** One cast; the Swift runtime caches its result for the class.
    public func makePrincipal<T>(as type: T.Type) throws -> T {
        let code = try loadedCode()
        let principal = code.principal(named: manifest.principalClass)
        guard let aClass = principal.type else { throw code.isolated == nil ? principalMissing : principalElsewhere }
        guard let plugin = principal.plugin ?? aClass as? any Plugin.Type else {
            throw principalUnfit(aClass, "it does not conform to Plugin, so no object of it can be created")
        }
        HeldLocks.preconditionNone(before: "an initialiser of a plug-in")
        let object: any Plugin
        do {
            object = try plugin.init(context: code.context)
        } catch {
            throw instantiationFailed("the principal class \(quoted(LibraryClasses.qualifiedName(of: aClass)))", error)
        }
        code.objects.count(.pluginClass, LibraryClasses.ownName(of: aClass)).add(object)
        guard let result = object as? T else { throw principalUnfit(aClass, "it is no \(type)", copiesOf: type) }
        return result
    }

    private var principalMissing: PluginError {
        let name = manifest.principalClass
        let known = classNames.sorted().prefix(5).map(quoted)
        return PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .principalClassMissing, filePath: executablePath, subject: name,
                message: name.map { "NSPrincipalClass is \(quoted($0)), but the bundle has no class with that name." }
                    ?? "The bundle has no class.",
                remedy: "Register the class in plugin_entry, or correct NSPrincipalClass"
                    + (known.isEmpty ? "." : ": the bundle has \(known.joined(separator: ", ")).")))
    }

    private var principalElsewhere: PluginError {
        PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .notRemote, filePath: executablePath, subject: manifest.principalClass,
                message: "The plug-in runs in a process of its own, and a class cannot be used from another process.",
                remedy: "Offer the objects at an extension point, and use its providers."))
    }

    private func principalUnfit(_ aClass: AnyClass, _ complaint: String, copiesOf type: Any.Type? = nil) -> PluginError
    {
        let name = LibraryClasses.qualifiedName(of: aClass)
        let finding = PluginFinding(
            .principalClassMissing, filePath: executablePath, subject: name,
            message: "The principal class \(quoted(name)) cannot be used here: \(complaint).",
            remedy: "Name another class in NSPrincipalClass, or add the conformance to this one.")
        return PluginError(bundlePath: bundlePath, findings: [finding] + duplicateModules)
    }

    /// The findings about modules that the process contains twice, one copy in or for this bundle.
    ///
    /// They are the usual reason why a cast unexpectedly fails.
    var duplicateModules: [PluginFinding] { findings().filter { $0.code == .duplicateABI } }

    func instantiationFailed(_ what: String, _ error: any Error) -> PluginError {
        pluginFailed(.instantiationFailed, subject: what, "Creating an object of \(what)", error)
    }

    /// Wraps an error of the plug-in in an error of its bundle.
    ///
    /// `what`: the operation that failed, as the beginning of a sentence.
    func pluginFailed(_ code: PluginError.Code, subject: String? = nil, _ what: String, _ error: any Error)
        -> PluginError
    {
        HeldLocks.preconditionNone(before: "the description of an error of a plug-in's own type")
        let failure = error as? PluginFailure
        // Errors that the host itself reported to the plug-in, such as a missing service, keep their code.
        let own = (error as? PluginError)?.findings ?? []
        let reason = failure?.message ?? own.first?.message ?? String(describing: error)
        let finding = PluginFinding(
            code, filePath: executablePath, subject: subject, message: "\(what) failed: \(reason.asSentence)",
            remedy: failure?.remedy.asSentence ?? own.first?.remedy ?? "", systemMessage: reason)
        return PluginError(bundlePath: bundlePath, findings: [finding] + own)
    }
}
