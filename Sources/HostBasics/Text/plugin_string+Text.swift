package import CPluginSupport

extension plugin_string {
    /// The bytes; empty if the plug-in passed no pointer.
    package var bytes: UnsafeRawBufferPointer {
        guard let ptr, len > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: ptr, count: len)
    }

    /// The text; invalid UTF-8 is repaired, so that a message always arrives.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text for comparisons and look-ups; nil if it is not UTF-8.
    package var validText: String? { String(validating: bytes, as: UTF8.self) }

    /// The text for a message about text that is not UTF-8.
    package var shown: String { validText ?? bytes.shownBytes }
}
