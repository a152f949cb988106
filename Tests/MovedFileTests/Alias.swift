// All that a module needs to move. Exported, so that the other files of the module see PluginHost without naming it.
@_exported import PluginHost

typealias Bundle = PluginBundle
