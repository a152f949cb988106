import Fixtures
import Foundation

/// A library that kills the process at its nth system call that changes something.
enum Killer {
    /// `more`: other calls at which the process is killed, by the macro CALL.
    static func build(_ more: String = "") throws -> URL {
        let folder = Workspace.temporary.appending(path: "killer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (source, library) = (folder.appending(path: "killer.c"), folder.appending(path: "killer.so"))
        try (text + more).write(to: source, atomically: true, encoding: .utf8)
        try Tool.run(try Tool.find("clang"), ["-shared", "-fPIC", "-O1", source.path, "-o", library.path])
        return library
    }

    private static let text = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdarg.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <unistd.h>
        static int calls;
        static void step(void) {
            const char *at = getenv("KILL_AT");
            if (at != NULL && ++calls == atoi(at)) kill(getpid(), SIGKILL);
        }
        #define CALL(type, name, parameters, arguments) \\
            type name parameters { step(); return ((type(*) parameters)dlsym(RTLD_NEXT, #name))arguments; }
        CALL(int, mkdir, (const char *p, mode_t m), (p, m))
        CALL(int, chmod, (const char *p, mode_t m), (p, m))
        CALL(int, symlink, (const char *a, const char *b), (a, b))
        CALL(int, renameat2, (int a, const char *b, int c, const char *d, unsigned e), (a, b, c, d, e))
        CALL(int, unlinkat, (int a, const char *b, int c), (a, b, c))
        CALL(int, utimensat, (int a, const char *b, const struct timespec c[2], int d), (a, b, c, d))
        CALL(int, syncfs, (int a), (a))
        CALL(int, flock, (int a, int b), (a, b))
        CALL(char *, mkdtemp, (char *a), (a))

        """
}
