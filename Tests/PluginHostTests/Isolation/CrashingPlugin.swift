import Foundation
import Testing

@testable import PluginHost

/// A bundle with a plug-in in C that does harm on demand, compiled at test time, which runs in real worker processes.
final class CrashingPlugin: Sendable {
    let directory: URL
    let bundle: PluginBundle

    /// Where the code does harm without being asked.
    enum Place: String, CaseIterable { case nowhere, constructor, entry, activate, deactivate, killed }

    init(_ place: Place = .nowhere, execution: String = "isolated", name: String = "Crashing", info: String = "") throws
    {
        directory = try CPluginSource(
            name: name, info: "PHExecution = \(execution); PHFunctions = { exported = \"() -> int32\"; }; \(info)",
            text: Self.source
        ).build(["-DPLACE_\(place.rawValue)"])
        bundle = try PluginBundle.open(path: directory.appending(path: "\(name).bundle").path)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private static let source = """
        #include <plugin_abi.h>
        #include <fcntl.h>
        #include <spawn.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <sys/wait.h>
        #include <unistd.h>
        PLUGIN_DECLARE_NOTE;

        static int32_t die(int32_t how) {
            if (how == 1) *(volatile int *)0 = 0;
            if (how == 2) abort();
            if (how == 3) _exit(0);
            while (how == 4) usleep(1000);
            return how;
        }

        #if defined(PLACE_constructor)
        __attribute__((constructor)) static void begin(void) { die(1); }
        #endif

        static int32_t add(int32_t a, int32_t b) { return a + b; }
        static int32_t process(void) { return getpid(); }
        static int32_t each(int32_t (*body)(int32_t)) { return body(1) + body(2); }
        static int32_t then_die(int32_t (*body)(int32_t)) { return die(body(1)); }
        static int32_t opens(const char *path) {
            int file = open(path, O_RDONLY);
            if (file >= 0) close(file);
            return file >= 0;
        }
        static const plugin_host *own_host;
        static char *state(void) {
            const plugin_state *state = own_host->get_extension(own_host, PLUGIN_STRING(PLUGIN_STATE_ID));
            return state == NULL ? NULL : state->state_directory(own_host);
        }
        static int32_t keeps(const char *path, uint32_t size) {
            int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
            if (file < 0) return 0;
            char *bytes = calloc(size, 1);
            ssize_t count = write(file, bytes, size);
            free(bytes);
            close(file);
            return count == (ssize_t)size;
        }
        static int32_t waits(uint32_t milliseconds) {
            for (uint32_t i = 0; i < milliseconds; i++) usleep(1000);
            return 1;
        }
        // The signal that ends a child.
        static int32_t forks(void) {
            int status = 0;
            pid_t child = fork();
            if (child == 0) die(1);
            waitpid(child, &status, 0);
            return WTERMSIG(status);
        }
        static int32_t starts(void) {
            char *words[] = {"sleep", "600", 0};
            pid_t child = 0;
            int error = posix_spawn(&child, "/bin/sleep", 0, 0, words, (char *[]){0});
            return error == 0 ? child : -error;
        }
        static void use(uint32_t mebibytes) {
            size_t size = (size_t)mebibytes << 20;
            // Volatile: the compiler leaves out what nobody reads.
            volatile char *bytes = malloc(size);
            for (size_t i = 0; bytes != NULL && i < size; i += 1024) bytes[i] = 1;
        }
        // Uses so much shared memory, which no limit of the kernel bounds, as fast as it can; prints how much it has.
        static int32_t grows(uint32_t mebibytes) {
            char *bytes = mmap(0, (size_t)mebibytes << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            if (bytes == MAP_FAILED) return 0;
            for (uint32_t used = 0; used < mebibytes; used += 8) {
                memset(bytes + ((size_t)used << 20), 1, 8 << 20);
                dprintf(1, "%u\\n", used + 8);
            }
            // The host is to find it even if it was late.
            for (;;) pause();
        }
        // Uses so much memory in this process, and in each of four others, which stay. The last one has no parent.
        static int32_t floods(uint32_t here, uint32_t in_each) {
            use(here);
            for (int i = 0; i < 4; i++) {
                pid_t child = fork();
                if (child < 0) return 0;
                if (child > 0) {
                    // The one in between ends before anybody counts them.
                    if (i == 3) waitpid(child, NULL, 0);
                    continue;
                }
                if (i == 3 && fork() != 0) _exit(0);
                use(in_each);
                for (;;) pause();
            }
            return 1;
        }
        static int32_t prints(void) {
            printf("a line\\n");
            return die(1);
        }
        // Answers the call on the first lane in the worker's place, with a descriptor that does not come.
        static int32_t announces(void) {
            FILE *maps = fopen("/proc/self/maps", "r");
            char line[1024];
            while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
                unsigned long start, end;
                char access[5];
                if (sscanf(line, "%lx-%lx %4s", &start, &end, access) != 3 || strcmp(access, "rw-s") != 0) continue;
                if (end - start != 8 << 20) continue;
                volatile uint32_t *head = (volatile uint32_t *)start;
                head[4] = 0, head[5] = 4, head[8] = 0, head[9] = 1;
                __atomic_store_n(head + 1, head[0], __ATOMIC_SEQ_CST);
                syscall(SYS_futex, head + 1, 1, 64, NULL, NULL, 0);
                for (;;) pause();
            }
            return 0;
        }
        PLUGIN_EXPORT int32_t exported(void) { return 7; }

        static plugin_status activate(const plugin_host *host, void *data) {
        #if defined(PLACE_activate)
            die(1);
        #endif
            return PLUGIN_OK;
        }
        static void deactivate(const plugin_host *host, void *data) {
        #if defined(PLACE_deactivate)
            die(4);
        #endif
        }
        static const plugin_hooks hooks = {{sizeof hooks, 1}, 0, activate, deactivate};

        #define FUNCTION(code, signature) \\
            { \\
                plugin_function function = {{sizeof function, 1}, PLUGIN_STRING(#code), PLUGIN_STRING(signature), \\
                                            (plugin_code)code}; \\
                if (host->register_function(host, &function) != PLUGIN_OK) return PLUGIN_FAILED; \\
            }

        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
        #if defined(PLACE_entry)
            die(2);
        #elif defined(PLACE_killed)
            // Until somebody else ends it.
            die(4);
        #endif
            own_host = host;
            FUNCTION(add, "(int32, int32) -> int32")
            FUNCTION(die, "(int32) -> int32")
            FUNCTION(process, "() -> int32")
            FUNCTION(each, "((int32) -> int32) -> int32")
            FUNCTION(then_die, "((int32) -> int32) -> int32")
            FUNCTION(opens, "(string) -> int32")
            FUNCTION(state, "() -> owned string?")
            FUNCTION(keeps, "(string, uint32) -> int32")
            FUNCTION(waits, "(uint32) -> int32")
            FUNCTION(starts, "() -> int32")
            FUNCTION(forks, "() -> int32")
            FUNCTION(grows, "(uint32) -> int32")
            FUNCTION(floods, "(uint32, uint32) -> int32")
            FUNCTION(announces, "() -> int32")
            FUNCTION(prints, "() -> int32")
            const plugin_lifecycle *life = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
            return life->register_hooks(host, &hooks);
        }
        """
}

/// The source of a plug-in in C, which is compiled at test time.
struct CPluginSource {
    let name: String
    /// Further keys of Info.plist, in the old style.
    let info: String
    let text: String

    /// Makes a bundle.
    ///
    /// - Parameter options: of the compiler.
    /// - Returns: a new directory with the bundle.
    /// - Throws: the error of writing or compiling it.
    func build(_ options: [String] = []) throws -> URL {
        let directory = OtherUser.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)")
        let contents = directory.appending(path: "\(name).bundle/Contents")
        try FileManager.default.createDirectory(
            at: contents.appending(path: "Linux"), withIntermediateDirectories: true)
        try Data("{ CFBundleIdentifier = \"org.example.\(name)\"; NSExecutable = \(name); \(info) }".utf8)
            .write(to: contents.appending(path: "Info.plist"))
        let source = directory.appending(path: "plugin.c")
        try Data(text.utf8).write(to: source)
        let header = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/CPluginSupport/include").standardizedFileURL
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments =
            ["clang", "-shared", "-fPIC", "-O1", "-I", header.path] + options
            + [source.path, "-o", contents.appending(path: "Linux/\(name)").path]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        // The worker of a sandbox has another user where the tests run as root.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
        return directory
    }
}
