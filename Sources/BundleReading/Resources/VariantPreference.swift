/// The device and scale for which the host wants its resources, if any.
///
/// `icon~phone@2x.png` is for the device `phone` at scale 2, `icon~phone.png` for that device, `icon@2x.png` for that
/// scale; they are preferred in this order, then `icon.png`. If there is no file for a scale, the next lower one is
/// used, which has to be enlarged less than the plain one.
package struct VariantPreference: Sendable, Equatable {
    /// The name after the tilde.
    package let device: String?
    /// Pixels per point; scale 1 has no separate files.
    package let scale: Int
    /// The suffixes that are added to a resource's name, the best first; the last one is empty.
    let suffixes: [String]

    /// No screen has a higher scale, and each scale costs one check.
    package static let highestScale = 9

    /// - Parameters:
    ///   - device: nil or empty for none.
    ///   - scale: limited to the range from 1 to ``highestScale``.
    package init(device: String? = nil, scale: Int = 1) {
        self.device = device
        self.scale = min(max(scale, 1), Self.highestScale)
        if self.scale == 1, device?.isEmpty ?? true {
            suffixes = [""]
            return
        }
        let scales = stride(from: self.scale, to: 1, by: -1).map { "@\($0)x" } + [""]
        let devices = if let device, !device.isEmpty { ["~" + device, ""] } else { [""] }
        suffixes = devices.flatMap { device in scales.map { device + $0 } }
    }
}
