import Glibc

/// What a worker reports to its parent, in shared memory that outlives the worker, however it ends.
struct Progress {
    private let memory: UnsafeMutableRawPointer
    private static let messageStart = 64
    private static let size = 1 << 16

    init() {
        let pages = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let pages, pages != MAP_FAILED else { fatalError("mmap: \(String(cString: strerror(errno)))") }
        memory = pages
    }

    /// The number of the current input.
    var input: Int {
        get { memory.load(fromByteOffset: 0, as: Int.self) }
        nonmutating set { memory.storeBytes(of: newValue, toByteOffset: 0, as: Int.self) }
    }

    /// The longest time that an input took, in nanoseconds of the processor, and which it was.
    var slowest: (time: Int, input: Int) {
        get { (memory.load(fromByteOffset: 8, as: Int.self), memory.load(fromByteOffset: 16, as: Int.self)) }
        nonmutating set {
            memory.storeBytes(of: newValue.time, toByteOffset: 8, as: Int.self)
            memory.storeBytes(of: newValue.input, toByteOffset: 16, as: Int.self)
        }
    }

    /// The most memory that an input took, in bytes, and which it was.
    var largest: (bytes: Int, input: Int) {
        get { (memory.load(fromByteOffset: 24, as: Int.self), memory.load(fromByteOffset: 32, as: Int.self)) }
        nonmutating set {
            memory.storeBytes(of: newValue.bytes, toByteOffset: 24, as: Int.self)
            memory.storeBytes(of: newValue.input, toByteOffset: 32, as: Int.self)
        }
    }

    /// The rule that the input broke; empty if none.
    var message: String {
        get { String(cString: (memory + Self.messageStart).assumingMemoryBound(to: CChar.self)) }
        nonmutating set {
            let bytes = newValue.utf8.prefix(Self.size - Self.messageStart - 1)
            UnsafeMutableRawBufferPointer(start: memory + Self.messageStart, count: bytes.count).copyBytes(from: bytes)
            memory.storeBytes(of: 0, toByteOffset: Self.messageStart + bytes.count, as: UInt8.self)
        }
    }
}
