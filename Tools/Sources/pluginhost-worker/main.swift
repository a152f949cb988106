import Glibc
@_spi(Tools) import HostBasics
import PluginABI
import PluginHost

// Hosts read this note to find the worker program of a toolchain without starting it. Printing the note keeps it in the
// file.
let note = plugin_swift_note_address()!
let built = String(
    decoding: UnsafeRawBufferPointer(
        start: UnsafeRawPointer(note).advanced(by: MemoryLayout<plugin_note>.offset(of: \.payload)!),
        count: Int(note.pointee.head.payload_length)), as: UTF8.self)

// If an application started this program, the library runs the worker before main() begins. So this code runs only for
// a user who starts the program by hand.
let text = """
    pluginhost-worker \(PluginVersion.ofThisLibrary) runs plug-ins for applications that use PluginHost. They start it; it does \
    nothing by itself.
    \(built)
    """
_ = write(STDERR_FILENO, text, text.utf8.count)
exit(2)
