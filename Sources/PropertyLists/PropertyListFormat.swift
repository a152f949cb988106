/// The form in which a property list is written.
public enum PropertyListFormat: Sendable, Hashable {
    /// Apple's XML, the form of most Info.plist files.
    case xml
    /// Apple's binary form, which begins with `bplist00`.
    case binary
    /// The old-style text of NeXTSTEP with GNUstep's typed values; the braces around the outermost dictionary are
    /// optional.
    case openStep
}
