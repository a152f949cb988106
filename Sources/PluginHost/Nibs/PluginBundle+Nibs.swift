import HostBasics
@_spi(PluginHost) public import PluginABI

extension PluginBundle {
    /// A nib of the bundle, read and ready to be instantiated.
    ///
    /// The search follows the search order of resources (the resources directory, the user's first language,
    /// `Base.lproj`, the other languages), in each place with the extension `nib` and then `xib`. In the place where
    /// the nib is found, the variant for the host's device, scale and platform is used: `Summary~terminal.xib`. The
    /// content of the file determines its format.
    ///
    /// A nib in the `.lproj` of a language is complete. A nib in `Base.lproj` or outside of every `.lproj` is
    /// translated by the table with its name: `Summary.strings`, with the keys `<id>.<attribute>`.
    ///
    /// - Parameter name: the file's name, without extension or with `.nib` or `.xib`.
    /// - Returns: a new object, which reads the file once.
    /// - Throws: ``PluginError`` of code `nibMissing`, `nibUnreadable` or `nibUnsupported`.
    ///
    /// **Threads.** Any. **Cost.** The file is read and parsed.
    public func nib(named name: String) throws -> Nib { Nib(services: try NibFile.named(name, in: self)) }

    /// Instantiates the nib that `NSMainNibFile` names, with or without extension.
    ///
    /// - Parameter owner: the application object, which becomes File's Owner.
    /// - Returns: the instance; nil if Info.plist has no such key.
    /// - Throws: the errors of ``nib(named:)`` and `Nib.instantiate(owner:placeholders:options:)`.
    @discardableResult
    public func loadMainNib(owner: any NibObject) throws -> NibInstance? {
        guard let name = manifest.mainNibFile else { return nil }
        return try nib(named: name).instantiate(owner: owner)
    }

    /// Instantiates a nib of the bundle, like AppKit's function of this name.
    ///
    /// An error is logged.
    ///
    /// - Parameters:
    ///   - nibName: the nib's name.
    ///   - owner: File's Owner, a `NibObject`; nil for a nib that does not connect it.
    ///   - topLevelObjects: receives the objects that no other object contains. A caller that passes nil must have
    ///     strong outlets to them.
    /// - Returns: whether it succeeded.
    @discardableResult
    public func loadNibNamed(
        _ nibName: String, owner: Any?, topLevelObjects: UnsafeMutablePointer<[Any]?>?
    ) -> Bool {
        let made = logging { try instantiate(nibName, owner: owner, placeholders: [:]) }
        guard let made else { return false }
        topLevelObjects?.pointee = made.topLevelObjects
        return true
    }

    /// Instantiates a nib of the bundle, like UIKit's function of this name.
    ///
    /// An error is logged.
    ///
    /// - Parameters:
    ///   - name: the nib's name.
    ///   - owner: File's Owner, a `NibObject`; nil for a nib that does not connect it.
    ///   - options: `.externalObjects` is a dictionary of the objects for the placeholders, by their identifiers.
    /// - Returns: the objects that no other object contains; nil after an error. Nothing else owns them.
    public func loadNibNamed(_ name: String, owner: Any?, options: [Nib.OptionsKey: Any]? = nil) -> [Any]? {
        let externals = options?[.externalObjects] as? [String: Any] ?? [:]
        return logging { try instantiate(name, owner: owner, placeholders: externals).topLevelObjects }
    }

    /// Instantiates a nib of the bundle that defines the owner's class; if it has no such nib, one of the main bundle.
    ///
    /// An error is logged.
    ///
    /// - Parameters:
    ///   - nibName: the nib's name.
    ///   - owner: File's Owner, a `NibObject`.
    /// - Returns: whether it succeeded.
    @discardableResult
    public static func loadNibNamed(_ nibName: String, owner: Any) -> Bool {
        let bundle = PluginBundle(for: type(of: owner as AnyObject))
        let made = bundle.logging {
            do {
                return try bundle.instantiate(nibName, owner: owner, placeholders: [:])
            } catch let error as PluginError where error.code == .nibMissing && bundle !== main {
                return try main.instantiate(nibName, owner: owner, placeholders: [:])
            }
        }
        return made != nil
    }

    private func instantiate(_ name: String, owner: Any?, placeholders: [String: Any]) throws -> NibInstance {
        let nib = try nib(named: name)
        var objects: [String: any NibObject] = [:]
        for (identifier, value) in placeholders {
            guard let object = value as? any NibObject else {
                throw notAnObject("The placeholder \(quoted(identifier))", value)
            }
            objects[identifier] = object
        }
        guard let owner else { return try nib.instantiate(owner: nil, placeholders: objects) }
        guard let object = owner as? any NibObject else { throw notAnObject("File's Owner", owner) }
        return try nib.instantiate(owner: object, placeholders: objects)
    }

    private func notAnObject(_ what: String, _ value: Any) -> PluginError {
        PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .nibOwnerInvalid, message: "\(what) is a \(quoted("\(type(of: value))")), which is not a NibObject.",
                remedy: "Let the class conform to NibObject."))
    }

    fileprivate func logging<Value>(_ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            HostEnvironment.log(.error, bundleIdentifier: displayIdentifier, "\(error)")
            return nil
        }
    }
}

extension Nib {
    /// Options of `loadNibNamed(_:owner:options:)`.
    public struct OptionsKey: RawRepresentable, Hashable, Sendable {
        /// The option's name.
        public let rawValue: String
        /// An option by its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The objects for the nib's placeholders: a dictionary by their identifiers.
        public static let externalObjects = OptionsKey(rawValue: "UINibExternalObjects")
    }

    /// The nib with a name in a bundle, like `PluginBundle.nib(named:)`; nil after an error, which is logged.
    ///
    /// - Parameters:
    ///   - name: the nib's name.
    ///   - bundle: the bundle; nil for the main bundle.
    public convenience init?(nibNamed name: String, bundle: PluginBundle?) {
        let bundle = bundle ?? .main
        guard let file = bundle.logging({ try NibFile.named(name, in: bundle) }) else { return nil }
        self.init(services: file)
    }

    /// A nib from bytes in memory.
    ///
    /// - Parameters:
    ///   - data: the content of a XIB document.
    ///   - bundle: the bundle whose classes and resources it uses; nil for the main bundle.
    /// - Throws: `PluginError` of code `nibUnreadable` or `nibUnsupported`.
    public convenience init(nibData data: some Sequence<UInt8>, bundle: PluginBundle?) throws {
        self.init(
            services: try NibFile(Array(data), name: "", path: nil, bundle: bundle ?? .main, isTranslated: false))
    }

    /// The nib in a file, which may be outside of every bundle's resources.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bundle: the bundle whose classes, tables and resources it uses; nil for the main bundle.
    /// - Throws: `PluginError` of code `nibMissing`, `nibUnreadable` or `nibUnsupported`.
    public convenience init(contentsOf path: String, bundle: PluginBundle? = nil) throws {
        self.init(services: try NibFile.at(path, in: bundle ?? .main))
    }
}
