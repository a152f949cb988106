/// How a property list is written down.
public enum PropertyListFormat: Sendable, Hashable {
    /// Apple's XML, as most Info.plist files are.
    case xml
    /// Apple's binary form, which begins with `bplist00`.
    case binary
    /// The old-style text of NeXTSTEP with GNUstep's typed values, braces optional around the outermost dictionary.
    case openStep
}
