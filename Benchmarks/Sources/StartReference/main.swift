// What the start of a worker is compared with: a program that is linked to the library and does nothing. As every program
// with the library, it can also be a worker; then main() does not run.

import Glibc
import PluginHost

_ = write(STDOUT_FILENO, "x", 1)
if CommandLine.arguments.count > 1 {
    // Without a use of it, the linker could leave out the library.
    print(PluginWorker.all.count)
    while true { pause() }
}
