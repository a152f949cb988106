import Glibc
import PluginABI

/// A host would have an interface of its own; the benchmark needs none.
final class Sample: Plugin {
    init(context: PluginContext) throws {}

    /// Notes when the setting `step` changes, in the file that another setting names, if there is one.
    static func activate(context: PluginContext) {
        let path = context.settings[Setting("file", default: "")]
        guard !path.isEmpty else { return }
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
        plugin.register(Sample.self)
    }
}

/// Writes the time into the file at a path, and ends the process: the host measures how soon it learns of the end.
@c(benchmark_die)
public func die(_ path: UnsafePointer<CChar>, _ isCrash: Int32) -> Int32 {
    let file = open(path, O_RDWR)
    guard let memory = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED else { return 1 }
    memory.storeBytes(of: time(), as: UInt64.self)
    if isCrash != 0 { UnsafeMutablePointer<Int>(bitPattern: MemoryLayout<Int>.alignment)!.pointee = 0 }
    kill(getpid(), SIGKILL)
    return 0
}
