/// The elements of an XML property list.
enum XMLElement: UInt8 {
    case plist, dict, array, key, string, integer, real, `true`, `false`, date, data

    /// The element with a name.
    ///
    /// Names are compared as integers made of their bytes, the first one lowest.
    @inline(__always)
    init?(packedName: UInt64) {
        switch packedName {
        case 0x74_7369_6C70: self = .plist
        case 0x7463_6964: self = .dict
        case 0x79_6172_7261: self = .array
        case 0x79_656B: self = .key
        case 0x676E_6972_7473: self = .string
        case 0x72_6567_6574_6E69: self = .integer
        case 0x6C61_6572: self = .real
        case 0x6575_7274: self = .true
        case 0x65_736C_6166: self = .false
        case 0x6574_6164: self = .date
        case 0x6174_6164: self = .data
        default: return nil
        }
    }

    /// Spelled out, because the runtime takes a microsecond to return the name of a case, and a file can have a fault
    /// every few bytes.
    var name: String {
        switch self {
        case .plist: "plist"
        case .dict: "dict"
        case .array: "array"
        case .key: "key"
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .true: "true"
        case .false: "false"
        case .date: "date"
        case .data: "data"
        }
    }
}

/// A tag of an XML property list.
struct XMLTag {
    enum Kind {
        case open
        case close
        /// `<string/>`: opened and closed at once.
        case empty
    }

    let element: XMLElement
    let kind: Kind
    /// Where the tag's `<` is.
    let offset: Int

    /// The tag as spelled in XML, for messages.
    var description: String {
        switch kind {
        case .open: "<\(element.name)>"
        case .close: "</\(element.name)>"
        case .empty: "<\(element.name)/>"
        }
    }
}
