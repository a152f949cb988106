// What applications see of the rooms below: they import PluginHost alone.
@_exported public import struct HostBasics.PluginError
@_exported public import struct HostBasics.PluginFinding
@_exported public import struct HostBasics.PluginVersion
@_exported public import struct HostBasics.VersionRange
@_exported public import struct HostBasics.WorkerEnd
