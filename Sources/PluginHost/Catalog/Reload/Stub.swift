public struct LiveObjects: Sendable, Hashable { public let name: String; public let count: Int }
extension PluginBundle { public var liveObjects: [LiveObjects] { [] } }
