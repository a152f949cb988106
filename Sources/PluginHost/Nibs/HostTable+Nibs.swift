internal import CPluginSupport
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// The implementation of the C table `org.pluginhost.nib/1`.
extension HostTable {
    func register(nibClass pointer: UnsafePointer<plugin_nib_class>?) -> plugin_status {
        do throws(ForeignNibClass.Unusable) {
            let aClass = try ForeignNibClass(pointer, host: self)
            return registering("the class \(quoted(aClass.name))") { $0.add(foreign: aClass.nibClass) }
        } catch {
            return registering("a class for nibs") { _ in .unusable(error.name, error.complaint) }
        }
    }

    func instantiate(
        nib name: plugin_string, ownerClass: UnsafePointer<plugin_nib_class>?, owner: UnsafeMutableRawPointer?,
        into result: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> plugin_status {
        guard let result, let name = name.validText, (ownerClass == nil) == (owner == nil) else {
            return plugin_status(PLUGIN_INVALID_ARGUMENT)
        }
        do {
            var object: NibForeignObject?
            if let owner {
                do throws(ForeignNibClass.Unusable) {
                    object = try ForeignNibClass(ownerClass, host: self).object(owner, nil)
                } catch {
                    return plugin_status(PLUGIN_INVALID_ARGUMENT)
                }
            }
            let instance = try bundle.nib(named: name).instantiate(owner: object)
            result.pointee = ForeignNibInstance.all.insert(ForeignNibInstance(instance: instance, owner: object))
            return plugin_status(PLUGIN_OK)
        } catch {
            logFailure(error)
            return plugin_status((error as? PluginError)?.code == .nibMissing ? PLUGIN_NOT_FOUND : PLUGIN_FAILED)
        }
    }

    func findObject(
        of nib: UnsafeRawPointer?, id: plugin_string, into result: UnsafeMutablePointer<plugin_nib_object>?
    ) -> plugin_status {
        guard let result, result.pointee.header.size >= UInt32(PLUGIN_NIB_OBJECT_SIZE_1_0), let id = id.validText else {
            return plugin_status(PLUGIN_INVALID_ARGUMENT)
        }
        guard let made = ForeignNibInstance.all[nib], let object = made.instance.object(id) else {
            return plugin_status(PLUGIN_NOT_FOUND)
        }
        let known = made.references.all.first { $0.object === object }
        let reference = known ?? ForeignNibReference(object)
        if known == nil { made.references.all.append(reference) }
        let header = result.pointee.header
        result.pointee = reference.foreign
        result.pointee.header = header
        return plugin_status(PLUGIN_OK)
    }

    func release(nib: UnsafeRawPointer?) { ForeignNibInstance.all.remove(nib) }

    func send(_ action: UnsafeRawPointer?, from sender: UnsafePointer<plugin_nib_object>?) -> plugin_status {
        guard let entry = ForeignNibAction.all[action] else { return plugin_status(PLUGIN_NOT_FOUND) }
        var source = ForeignNibReference.of(sender)
        if source == nil { source = entry.sender }
        guard let source else { return plugin_status(PLUGIN_NOT_FOUND) }
        do {
            return plugin_status(try entry.action.send(from: source) ? PLUGIN_OK : PLUGIN_NOT_FOUND)
        } catch {
            logFailure(error)
            return plugin_status(PLUGIN_FAILED)
        }
    }

    private func logFailure(_ error: any Error) {
        HostEnvironment.log(.error, bundleIdentifier: bundle.displayIdentifier, "\(error)")
    }
}
