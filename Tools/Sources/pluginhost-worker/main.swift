import Glibc
import PluginABI
@_spi(PluginHost) import PluginHost

// By this note a host finds the worker program of a toolchain without starting it. Printing it keeps it in the file.
let note = plugin_swift_note_address()!
let built = String(
    decoding: UnsafeRawBufferPointer(
        start: UnsafeRawPointer(note).advanced(by: MemoryLayout<plugin_note>.offset(of: \.payload)!),
        count: Int(note.pointee.head.payload_length)), as: UTF8.self)

// The library runs the worker before main() begins, if an application has started this program. So only a user who starts
// it by hand gets here.
let text = """
    pluginhost-worker \(PluginVersion.ofThisLibrary) runs plug-ins for applications that use PluginHost. They start it; it does \
    nothing by itself.
    \(built)
    """
_ = write(STDERR_FILENO, text, text.utf8.count)
exit(2)
