import PluginABI

extension PluginBundle {
    /// The class that stands for the bundle: that of `NSPrincipalClass`, by its own name, qualified by its module or
    /// not; without that key the first class that the entry registered, else the first of the image.
    ///
    /// It loads the bundle if it is not loaded. Nil for a bundle without code, one that fails to load (``loadError``
    /// tells why), and one whose principal class is missing (``makePrincipal(as:)`` tells).
    public var principalClass: AnyClass? {
        guard let code = try? loadedCode() else { return nil }
        return code.principal(named: manifest.principalClass).type
    }

    /// A class of this bundle only, whatever other bundles call theirs.
    ///
    /// - Parameter className: the name it was registered under, or its own: `Reporter`, `Module.Reporter`,
    ///   `Outer.Inner`.
    /// - Returns: the class, or nil; it loads the bundle if it is not loaded.
    public func classNamed(_ className: String) -> AnyClass? {
        (try? loadedCode())?.class(named: className)
    }

    /// Makes an object of the principal class, loading the bundle if it is not loaded.
    ///
    /// - Parameter type: what the object is to be, such as `(any TextFilter).self`.
    /// - Returns: a new object.
    /// - Throws: ``PluginError``: what a load throws; `principalClassMissing` if there is no such class, it is not a
    ///   `Plugin`, or not a `type`; `instantiationFailed` with what the initialiser threw.
    ///
    /// **Cost.** One cast, whose result the Swift runtime keeps for the class.
    public func makePrincipal<T>(as type: T.Type) throws -> T {
        let code = try loadedCode()
        let principal = code.principal(named: manifest.principalClass)
        guard let aClass = principal.type else { throw principalMissing }
        guard let plugin = principal.plugin ?? aClass as? any Plugin.Type else {
            throw principalUnfit(aClass, "it does not conform to the protocol Plugin, so it cannot be made")
        }
        HeldLocks.preconditionNone(before: "an initialiser of a plug-in")
        let object: any Plugin
        do {
            object = try plugin.init(context: code.context)
        } catch {
            throw instantiationFailed("the principal class \(quoted(ImageClasses.qualifiedName(of: aClass)))", error)
        }
        code.objects.count(.pluginClass, ImageClasses.ownName(of: aClass)).add(object)
        guard let result = object as? T else { throw principalUnfit(aClass, "it is not a \(type)", copiesOf: type) }
        return result
    }

    private var principalMissing: PluginError {
        let name = manifest.principalClass
        return PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .principalClassMissing, filePath: executablePath, subject: name,
                message: name.map { "NSPrincipalClass is \(quoted($0)), and the bundle has no class of that name." }
                    ?? "The bundle has no class.",
                remedy: "Register the class in plugin_entry, or correct NSPrincipalClass."))
    }

    private func principalUnfit(_ aClass: AnyClass, _ complaint: String, copiesOf type: Any.Type? = nil) -> PluginError
    {
        let name = ImageClasses.qualifiedName(of: aClass)
        let finding = PluginFinding(
            .principalClassMissing, filePath: executablePath, subject: name,
            message: "The principal class \(quoted(name)) is no use here: \(complaint).",
            remedy: "Name another class by NSPrincipalClass, or let this one conform.")
        return PluginError(bundlePath: bundlePath, findings: [finding] + duplicateModules)
    }

    /// Modules that stand twice in the process, one of them in or for this bundle: the usual reason why a cast that
    /// must hold does not.
    var duplicateModules: [PluginFinding] { findings().filter { $0.code == .duplicateABI } }

    func instantiationFailed(_ what: String, _ error: any Error) -> PluginError {
        pluginFailed(.instantiationFailed, subject: what, "Making an object of \(what)", error)
    }

    /// What a plug-in threw or told, as an error of its bundle. `what`: what failed, as the beginning of a sentence.
    func pluginFailed(_ code: PluginError.Code, subject: String? = nil, _ what: String, _ error: any Error)
        -> PluginError
    {
        HeldLocks.preconditionNone(before: "the description of an error of a plug-in's own type")
        let failure = error as? PluginFailure
        // What the host told the plug-in, such as that a service is missing, stays readable by its code.
        let told = (error as? PluginError)?.findings ?? []
        let reason = failure?.message ?? told.first?.message ?? String(describing: error)
        let finding = PluginFinding(
            code, filePath: executablePath, subject: subject, message: "\(what) failed: \(reason.asSentence)",
            remedy: failure?.remedy.asSentence ?? told.first?.remedy ?? "", systemMessage: reason)
        return PluginError(bundlePath: bundlePath, findings: [finding] + told)
    }
}
