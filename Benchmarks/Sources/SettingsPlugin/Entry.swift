import Glibc
import PluginABI

/// Watches its settings.
///
/// It stands alone because only the benchmark of settings declares the settings that it reads.
final class Watcher: Plugin {
    init(context: PluginContext) throws {}

    /// Notes when the setting `step` changes, in the file that the setting `file` names.
    static func activate(context: PluginContext) {
        let path = context.settings[Setting("file", default: "")]
        let file = open(path, O_RDWR)
        guard let memory = mmap(nil, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED else {
            return
        }
        let address = UInt(bitPattern: memory)
        let settings = context.settings
        let changes = settings.changes.makeAsyncIterator()
        Task.detached {
            var changes = changes
            while await changes.next() != nil {
                guard let memory = UnsafeMutableRawPointer(bitPattern: address) else { return }
                memory.storeBytes(of: time(), as: UInt64.self)
                let step = settings[Setting("step", default: 0)]
                memory.storeBytes(of: UInt64(step), toByteOffset: 8, as: UInt64.self)
            }
        }
    }
}

/// Nanoseconds.
private func time() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Registers what the plug-in offers; the host calls it once.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.register(Watcher.self)
    }
}
