import Glibc

/// The bundles to damage: compiled at the start, each with its own library in Contents/Frameworks.
struct ELFSamples {
    /// A bundle: the executable's bytes, and those of its library.
    struct Sample {
        let name: String
        let executable: [UInt8]
        let library: [UInt8]?
    }

    let samples: [Sample]
    /// The kinds of files that no linker of this machine can make.
    let absent: [String]

    /// - Parameters:
    ///   - folder: for sources and results.
    ///   - given: executables of plug-ins that were built elsewhere.
    init?(in folder: String, given: [[UInt8]]) {
        var samples: [Sample] = []
        var absent: [String] = []
        Files.write(Array(Self.librarySource.utf8), to: "\(folder)/library.c")
        Files.write(Array(Self.source.utf8), to: "\(folder)/plugin.c")
        for (name, flags, wanted) in Self.kinds {
            let compiler = Self.compiler
            let options = "-shared -fPIC -O1 -w \(flags)"
            let library = "\(compiler) \(options) -Wl,-soname,libpart.so -o \(folder)/libpart.so \(folder)/library.c"
            let plugin =
                "\(compiler) \(options) -Wl,--enable-new-dtags -Wl,-rpath,'$ORIGIN/../Frameworks' "
                + "-o \(folder)/plugin.so \(folder)/plugin.c \(folder)/libpart.so -lm"
            // A linker may refuse an unknown option, or only warn of it.
            guard system(library + " 2>/dev/null") == 0, system(plugin + " 2>/dev/null") == 0,
                let executable = Files.read("\(folder)/plugin.so"), let part = Files.read("\(folder)/libpart.so"),
                [executable, part].allSatisfy({ ELFFields(of: $0).hasTable(wanted) })
            else {
                absent.append(name)
                continue
            }
            samples.append(Sample(name: name, executable: executable, library: part))
        }
        guard !samples.isEmpty else { return nil }
        for (number, bytes) in given.enumerated() {
            samples.append(Sample(name: "given \(number)", executable: bytes, library: nil))
        }
        self.samples = samples
        self.absent = absent
    }

    /// The linkers and their options, each with the tag of the table that shows its kind.
    ///
    /// Each linker lays out a file in its own way: gold puts code and tables into one segment, lld does not.
    private static let kinds: [(name: String, flags: String, table: UInt64)] = [
        ("gnu hash", "-Wl,--hash-style=gnu", gnuHash), ("sysv hash", "-Wl,--hash-style=sysv", 4),
        ("both hashes", "-Wl,--hash-style=both -Wl,-z,now", gnuHash),
        ("lld", "-fuse-ld=lld", gnuHash), ("bfd", "-fuse-ld=bfd", gnuHash),
        ("packed relocations, lld", "-fuse-ld=lld -Wl,-z,pack-relative-relocs", packedRelocations),
        ("packed relocations, bfd", "-fuse-ld=bfd -Wl,-z,pack-relative-relocs", packedRelocations),
    ]
    private static let gnuHash: UInt64 = 0x6FFF_FEF5  // DT_GNU_HASH
    private static let packedRelocations: UInt64 = 36  // DT_RELR

    private static var compiler: String {
        system("command -v clang >/dev/null 2>&1") == 0 ? "clang" : "cc"
    }

    /// How the code of the files shows that it runs: it writes a byte to a descriptor, by a system call of its own, because no
    /// function of a library can be called while relocations are made.
    static let descriptor: CInt = 200

    private static let marker = """
        #if defined(__x86_64__)
        static inline void mark(void) {
            char byte = MARK;
            long result;
            __asm__ volatile("syscall" : "=a"(result) : "a"(1), "D"(200L), "S"(&byte), "d"(1L) : "rcx", "r11", "memory");
        }
        #elif defined(__aarch64__)
        static inline void mark(void) {
            char byte = MARK;
            register long x8 __asm__("x8") = 64, x0 __asm__("x0") = 200, x2 __asm__("x2") = 1;
            register char *x1 __asm__("x1") = &byte;
            __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
        }
        #else
        extern long write(int, const void *, unsigned long);
        static inline void mark(void) { char byte = MARK; write(200, &byte, 1); }
        #endif

        """

    /// The bytes by which constructors and entries show that they run.
    static let libraryMark = UInt8(ascii: "l")
    static let executableMark = UInt8(ascii: "x")

    private static let librarySource =
        "#define MARK 'l'\n" + marker + """
            __thread int part_state = 7;
            int part_numbers[64] = {1, 2, 3};
            int *part_pointers[4] = {part_numbers, part_numbers + 1, part_numbers + 2, part_numbers + 3};
            static int own_numbers[8];
            int *part_own[160] = {[0 ... 70] = own_numbers, [90] = own_numbers + 1, [140 ... 159] = own_numbers + 2};
            static int plain(int value) { return value + part_state; }
            static void *choose(void) { return (void *)plain; }
            int part_chosen(int value) __attribute__((ifunc("choose")));
            int part_plain(int value) { return part_chosen(value) + *part_pointers[value & 3]; }
            __attribute__((constructor)) static void begin(void) { mark(); }
            __attribute__((destructor)) static void end(void) { part_numbers[3] = 0; }

            """

    private static let source =
        "#define MARK 'x'\n" + marker + """
            #include <math.h>
            #include <stddef.h>
            #include <stdio.h>
            #include <stdlib.h>
            extern int part_plain(int);
            extern int part_numbers[];
            extern int absent(void) __attribute__((weak));
            typedef struct { char head[4096]; } plugin_host;
            __thread int state = 3;
            static __thread char buffer[64];
            int *pointers[3] = {part_numbers, &part_numbers[1], NULL};
            static const char *const names[] = {"one", "two", "three"};
            const char *const texts[160] = {[0 ... 70] = "four", [90] = "five", [140 ... 159] = "six"};
            static int chosen_here(int value) { return value; }
            static void *choose_here(void) { return (void *)chosen_here; }
            int chosen(int value) __attribute__((ifunc("choose_here")));
            __attribute__((constructor)) void begin(void) { mark(); state = (int)sqrt(16.0 + part_plain(1)); }
            __attribute__((constructor)) static void begin_more(void) { buffer[0] = names[state & 1][0]; }
            __attribute__((destructor)) void end(void) { pointers[2] = NULL; }
            int plugin_entry(const plugin_host *host) {
                mark();
                if (absent) absent();
                char text[32];
                snprintf(text, sizeof text, "%d%s", chosen(*pointers[0]), names[1]);
                return host ? 0 : atoi(text);
            }

            """
}
