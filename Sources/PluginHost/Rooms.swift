// What applications see of the rooms below: they import PluginHost alone.
@_exported public import struct BundleReading.Manifest
@_exported public import enum BundleReading.PluginExecution
@_exported public import struct BundleReading.PluginPermissions
@_exported public import struct BundleReading.ResourceVariant
@_exported public import struct BundleReading.WorkerLimits
@_exported public import struct ELFImages.PluginNote
@_exported public import struct HostBasics.PluginError
@_exported public import struct HostBasics.PluginFinding
@_exported public import struct HostBasics.PluginVersion
@_exported public import struct HostBasics.VersionRange
@_exported public import struct HostBasics.WorkerEnd
@_exported public import struct NibReading.NibLimits
@_exported public import struct PluginWorkers.Confinement
@_exported public import enum PluginWorkers.LoadStep
@_exported public import class PluginWorkers.PluginWorker
@_exported public import struct PluginWorkers.WorkerEvent
@_exported public import enum PluginWorkers.WorkerProgram
