/// For which device and scale the host wants its resources, if it has such notions.
///
/// `icon~phone@2x.png` serves the device `phone` at scale 2, `icon~phone.png` that device, `icon@2x.png` that scale, in
/// this order; then `icon.png`. Where there is no file for a scale, that for the next lower one is taken: it has to be
/// enlarged less than the plain one.
struct VariantPreference: Sendable, Equatable {
    /// The name after the tilde.
    let device: String?
    /// Pixels to a point; 1 has no files of its own.
    let scale: Int
    /// What is added to a resource's name, the most fitting first; the last is nothing.
    let suffixes: [String]

    /// No screen has more, and each one costs a look.
    static let highestScale = 9

    /// - Parameters:
    ///   - device: nil or empty for none.
    ///   - scale: read as the nearest of 1 to ``highestScale``.
    init(device: String? = nil, scale: Int = 1) {
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
