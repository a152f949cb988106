#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

extension PluginBundle {
    /// Always nil: there is no App Store on Linux. It is here because Foundation's `Bundle` has it.
    public var appStoreReceiptURL: URL? { nil }
}
