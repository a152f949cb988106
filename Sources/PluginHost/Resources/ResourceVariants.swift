/// For which device and scale the host wants its resources, if it has such notions.
///
/// `icon~phone@2x.png` serves the device `phone` at scale 2, `icon~phone.png` that device, `icon@2x.png` that scale, in
/// this order; then `icon.png`.
struct ResourceVariants: Sendable, Hashable {
    /// The name after the tilde.
    let device: String?
    /// Pixels to a point; 1 has no files of its own.
    let scale: Int?
    /// What is added to a resource's name, the most fitting first; the last is nothing.
    let suffixes: [String]

    init(device: String? = nil, scale: Int? = nil) {
        self.device = device
        self.scale = scale
        let scales = if let scale, scale > 1 { ["@\(scale)x", ""] } else { [""] }
        let devices = if let device, !device.isEmpty { ["~" + device, ""] } else { [""] }
        suffixes = devices.flatMap { device in scales.map { device + $0 } }
    }
}
