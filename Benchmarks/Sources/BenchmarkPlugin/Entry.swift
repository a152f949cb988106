import Glibc
import PluginABI

/// A host would have an interface of its own; the benchmark needs none.
final class Sample: Plugin {
    init(context: PluginContext) throws {}
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
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    memory.storeBytes(of: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec), as: UInt64.self)
    if isCrash != 0 { UnsafeMutablePointer<Int>(bitPattern: MemoryLayout<Int>.alignment)!.pointee = 0 }
    kill(getpid(), SIGKILL)
    return 0
}
