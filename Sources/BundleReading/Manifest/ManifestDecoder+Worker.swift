import HostBasics
import PluginABI
internal import PropertyLists

extension ManifestDecoder {
    /// `PHExecution`.
    ///
    /// Code never runs less safely than its bundle requires, so an unknown value is an error.
    package mutating func execution(_ item: ListItem) -> ExecutionRequest? {
        guard let text = string(item) else { return nil }
        if let request = ExecutionRequest(rawValue: text) { return request }
        let known = ExecutionRequest.allCases.map { quoted($0.rawValue) }.joined(separator: ", ")
        complain(item.key, "is \(quoted(text)), not one of its values: \(known)")
        return nil
    }

    /// `PHPermissions` and `PHLimits`; nil if the list has neither.
    package mutating func workerRequest(_ permissions: ListItem, _ limits: ListItem) -> WorkerRequest? {
        if permissions.value == nil, limits.value == nil { return nil }
        return WorkerRequest(permissions: self.permissions(permissions), limits: self.limits(limits))
    }

    // MARK: Permissions

    /// A permission that this version does not know is an error: if it were ignored, nothing would enforce it, or the
    /// plug-in would fail without a reason.
    private mutating func permissions(_ item: ListItem) -> PluginPermissions {
        var permissions = PluginPermissions()
        for (name, value) in items(item, of: "permissions") {
            let value = ListItem(key: item.key, value: value)
            switch PluginPermissions.Name(rawValue: name) {
            case .files: permissions.files = files(value)
            case .network: permissions.network = network(value)
            case .processes: permissions.processes = boolean(value)
            case .devices: permissions.devices = devices(value)
            case .environment: permissions.environment = environment(value)
            case nil where name == PluginPermissions.reasonsKey: permissions.reasons = reasons(value)
            case nil:
                complain(
                    item.key,
                    "asks for the permission \(quoted(name)), which this version does not know; it knows "
                        + PluginPermissions.Name.list)
            }
        }
        return permissions
    }

    private mutating func files(_ item: ListItem) -> [PluginPermissions.File] {
        guard let value = item.value else { return [] }
        guard case .array(let values) = value else {
            return mismatch(item.key, value, expected: "an array of dictionaries for “files”") ?? []
        }
        return few(values, "files", item.key).compactMap { element in
            guard case .dictionary(let dictionary) = element else {
                return mismatch(item.key, element, expected: "dictionaries", in: "for “files” an array of")
            }
            return file(dictionary, item.key)
        }
    }

    private mutating func file(_ dictionary: [String: PropertyList], _ key: String) -> PluginPermissions.File? {
        for name in dictionary.keys.sorted() where name != "path" && name != "access" {
            return invalid(key, "has \(quoted(name)) in “files”, which has only “path” and “access”")
        }
        guard let path = string(ListItem(key: key, value: dictionary["path"])) else {
            return dictionary["path"] == nil ? invalid(key, "has an item of “files” without a path") : nil
        }
        do throws(PermissionPath.Fault) {
            _ = try PermissionPath(path)
        } catch {
            return invalid(key, "has the path \(quoted(path)), which \(error.reason)")
        }
        guard let access = dictionary["access"] else { return PluginPermissions.File(path, .read) }
        guard let name = string(ListItem(key: key, value: access)) else { return nil }
        guard let access = PluginPermissions.Access(rawValue: name) else {
            return invalid(key, "has the access \(quoted(name)), not “read” or “write”")
        }
        return PluginPermissions.File(path, access)
    }

    private mutating func network(_ item: ListItem) -> PluginPermissions.Network {
        switch item.value {
        case nil, .string("none")?: return .none
        case .string("any")?: return .any
        case .dictionary(let dictionary)?:
            var ports: [String: Set<UInt16>] = [:]
            for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
                guard name == "connect" || name == "listen" else {
                    complain(item.key, "has \(quoted(name)) in “network”, which has only “connect” and “listen”")
                    continue
                }
                ports[name] = self.ports(value, name, item.key)
            }
            let connect = ports["connect"] ?? [], listen = ports["listen"] ?? []
            return connect.isEmpty && listen.isEmpty ? .none : .ports(connect: connect, listen: listen)
        case .string(let text)?:
            complain(item.key, "has the network \(quoted(text)), not “none”, “any” or ports")
        case let value?:
            let expected = "“none”, “any” or a dictionary of ports for “network”"
            _ = mismatch(item.key, value, expected: expected) as Bool?
        }
        return .none
    }

    private mutating func ports(_ value: PropertyList, _ name: String, _ key: String) -> Set<UInt16> {
        guard case .array(let values) = value else {
            return mismatch(key, value, expected: "an array of ports for “\(name)”") ?? []
        }
        let most = Int(UInt16.max)
        return Set(
            few(values, name, key).map {
                UInt16(
                    number(ListItem(key: key, value: $0), in: 1...most, else: 1, expected: "a port from 1 to \(most)"))
            })
    }

    private mutating func devices(_ item: ListItem) -> Set<String> {
        names(item, "devices") { name in
            guard let path = try? PermissionPath(name), path.base == .root, path.names.count > 1, path.names[0] == "dev"
            else {
                return "the device \(quoted(name)), which is not a path in /dev without “.” and “..”"
            }
            return nil
        }
    }

    private mutating func environment(_ item: ListItem) -> Set<String> {
        names(item, "environment") { name in
            // POSIX, Base Definitions 8.1: a name has no “=”.
            guard !name.isEmpty, !name.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 <= 0x20 || $0 == 0x7F })
            else { return "\(quoted(name)) in “environment”, which cannot be the name of a variable" }
            return nil
        }
    }

    private mutating func names(_ item: ListItem, _ list: String, complaint: (String) -> String?) -> Set<String> {
        let complained = item.key
        return Set(
            few(strings(item), list, complained).filter { name in
                guard let complaint = complaint(name) else { return true }
                complain(complained, "has \(complaint)")
                return false
            })
    }

    private mutating func reasons(_ item: ListItem) -> [String: String] {
        let reasons = stringsByName(item)
        for name in reasons.keys.sorted() where PluginPermissions.Name(rawValue: name) == nil {
            complain(
                item.key,
                "gives a reason for the permission \(quoted(name)), which this version does not know; it knows "
                    + PluginPermissions.Name.list)
        }
        return reasons
    }

    // MARK: Limits

    private mutating func limits(_ item: ListItem) -> WorkerLimits {
        var limits = WorkerLimits()
        for (name, value) in items(item, of: "whole numbers") {
            guard let limit = WorkerLimits.Name(rawValue: name) else {
                let known = WorkerLimits.Name.allCases.map(\.rawValue).joined(separator: ", ")
                complain(
                    item.key, "has the limit \(quoted(name)), which this version does not know; it knows \(known)")
                continue
            }
            let most = WorkerLimits.largest
            let expected = "a whole number from 1 to \(most) for “\(name)”"
            let known = count
            let number = number(ListItem(key: item.key, value: value), in: 1...most, else: 1, expected: expected)
            if count == known { limits[limit] = number }
        }
        return limits
    }

    // MARK: Lists

    private mutating func items(_ item: ListItem, of content: String) -> [(key: String, value: PropertyList)] {
        guard let value = item.value else { return [] }
        guard case .dictionary(let values) = value else {
            return mismatch(item.key, value, expected: "a dictionary of \(content)") ?? []
        }
        // Sorted, so that the findings are always the same.
        return values.sorted { $0.key < $1.key }
    }

    /// The elements of a list; none if it is too long for a person to judge, which is reported.
    private mutating func few<Element>(_ list: [Element], _ name: String, _ key: String) -> [Element] {
        if list.count > PluginPermissions.most {
            complain(key, "has \(list.count) items in “\(name)”; the limit is \(PluginPermissions.most)")
            return []
        }
        return list
    }
}
