import BundleReading
internal import CPluginSupport
import ELFImages
import HostBasics

extension PluginBundle {
    /// Finds a C function of this bundle, after loading the bundle if necessary.
    ///
    /// It is a function that the entry registered, or a function that `PHFunctions` in Info.plist names and the
    /// executable exports under that name.
    ///
    /// - Parameters:
    ///   - name: the function's name.
    ///   - signature: the signature that the caller expects; nil for the one that the plug-in states.
    /// - Returns: the function, to be called with values that match its signature.
    /// - Throws: ``PluginError``: the errors of a load; `functionUnavailable` if there is no such function, or if the
    ///   plug-in runs in a worker process and the signature has an address or a kept callback; `signatureMismatch` if
    ///   its signature differs from the expected one; `signatureInvalid` if a text is not a signature.
    public func function(_ name: String, _ signature: String? = nil) throws -> ForeignFunction {
        let code = try loadedCode()
        let registered = code.registrations.functions[name]
        let own: ForeignSignature
        if let registered {
            own = registered.signature
        } else if let text = manifest.functions[name] {
            own = try declaredSignature(of: name, text)
        } else {
            let known = Set(code.registrations.functions.keys).union(manifest.functions.keys).sorted()
            throw functionError(
                .functionUnavailable, name,
                "is not offered; the bundle offers \(known.isEmpty ? "none" : known.joined(separator: ", "))")
        }
        if let signature { try require(signature, of: name, toBe: own) }
        if let isolated = code.isolated, registered != nil || isolated.report.exports.contains(name) {
            return try ForeignFunction(elsewhere: name, own, bundle: self, loaded: code)
        }
        guard let address = registered?.code ?? code.library?.code(of: name) else {
            throw functionError(
                .functionUnavailable, name,
                code.library == nil && code.isolated == nil
                    ? "is declared in PHFunctions but not registered by the linked plug-in"
                    : "is declared in PHFunctions but not exported by the executable")
        }
        return try ForeignFunction(name: name, signature: own, code: address, bundle: self, loaded: code)
    }

    private func declaredSignature(of name: String, _ text: String) throws(PluginError) -> ForeignSignature {
        do throws(ForeignSignature.Fault) { return try ForeignSignature(text) } catch {
            throw functionError(
                .signatureInvalid, name, "has the signature \(quoted(text)) in PHFunctions, \(error.reason)",
                remedy: ForeignSignature.remedy)
        }
    }

    private func require(
        _ text: String, of name: String, toBe own: ForeignSignature
    ) throws(PluginError) {
        let requested: ForeignSignature
        do throws(ForeignSignature.Fault) { requested = try ForeignSignature(text) } catch {
            throw functionError(
                .signatureInvalid, name, "was requested as \(quoted(text)), \(error.reason)",
                remedy: ForeignSignature.remedy)
        }
        if requested == own { return }
        throw functionError(
            .signatureMismatch, name,
            "was requested as \(quoted(text)), but the plug-in states \(quoted(own.description))",
            remedy: "Request it as \(quoted(own.description)), or without a signature.")
    }

    func functionError(
        _ code: PluginError.Code, _ name: String, _ complaint: String,
        remedy: String = "“pluginhost call --list” lists the bundle's functions and their signatures.",
        systemMessage: String? = nil
    ) -> PluginError {
        // Report the original path: the private copy of a replaced generation may be gone, and its path means nothing
        // to users.
        let file = executablePath.map { path in
            Path.part(of: path, in: bundlePath).map { Path.join(originalPath, String($0)) } ?? path
        }
        return PluginError(
            bundlePath: originalPath,
            PluginFinding(
                code, filePath: file, subject: name,
                message: "The function \(quoted(name)) \(complaint.asSentence)", remedy: remedy.asSentence,
                systemMessage: systemMessage))
    }

    /// Compares the functions that the entry registered with those that `PHFunctions` declares.
    ///
    /// - Returns: an error for each function whose two signatures differ, and a warning for each declared function that
    ///   is neither registered nor exported.
    func functionDifferences(of registrations: borrowing Registrations, in library: LoadedLibrary?) -> [PluginFinding] {
        if manifest.functions.isEmpty { return [] }
        var findings: [PluginFinding] = []
        for (name, declared) in manifest.functions.sorted(by: { $0.key < $1.key }) {
            if let registered = registrations.functions[name]?.signature {
                // If the text is not a signature, a finding about Info.plist reports that.
                guard let signature = try? ForeignSignature(declared), signature != registered else { continue }
                findings.append(
                    PluginFinding(
                        .signatureMismatch, filePath: manifestPath, subject: name,
                        message: """
                            PHFunctions declares \(quoted(name)) as \(quoted(declared)), and the plug-in registered it as \
                            \(quoted(registered.description)).
                            """,
                        remedy: "Correct the one that is not the C function's own."))
            } else if library?.code(of: name) == nil {
                findings.append(
                    PluginFinding(
                        .warning, .unfulfilledDeclaration, filePath: manifestPath, subject: name,
                        message: """
                            PHFunctions declares \(quoted(name)), and the plug-in neither registered it nor exports it.
                            """,
                        remedy: "Register it in plugin_entry, export it, or remove it from PHFunctions."))
            }
        }
        return findings
    }
}
