// All that a module needs to move. It is exported, so that the module's other files see PluginHost without importing it.
@_exported import PluginHost

typealias Bundle = PluginBundle
