#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

/// One file of a resource that has several: an icon for each scale, or a launch image for each device.
public struct ResourceVariant: Sendable, Hashable {
    /// The absolute path of the file.
    public let path: String
    /// The device that the file is for, `phone` for `Icon~phone@2x.png`; nil for any.
    public let device: String?
    /// Pixels per point: 2 for `Icon@2x.png`, 1 for a name without a scale.
    public let scale: Int

    /// The file.
    public var url: URL { URL(filePath: path, directoryHint: .notDirectory) }
}
