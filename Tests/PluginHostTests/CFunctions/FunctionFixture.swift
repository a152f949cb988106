import Foundation
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// A plug-in in C that has functions with every type, passed in every way.
enum FunctionFixture {
    /// The bundle, which is built once.
    static func bundle() throws -> PluginBundle { try shared.get() }

    private static let shared = Result { try make("Functions", source) }

    /// Makes a separate bundle.
    ///
    /// Its folder exists as long as the process.
    static func make(_ name: String, _ source: String, info: String = "") throws -> PluginBundle {
        let file = try ELFFixtures.c("\(name).so", source, ["-shared", "-pthread"])
        let tree = try TemporaryTree([
            "\(name).bundle/Contents/Info.plist":
                "{ NSExecutable = \(name); CFBundleIdentifier = \"org.example.\(name)\"; \(info) }"
        ])
        _ = Unmanaged.passRetained(tree)
        try tree.write(
            "\(name).bundle/Contents/Linux/\(name)", bytes: try OpenedFile(path: file).bytes(atMost: 1 << 24))
        return try PluginBundle.open(path: tree("\(name).bundle"))
    }

    /// The source of a plug-in in C that registers functions.
    ///
    /// `functions`: definitions in C. `table`: rows of the form `R(name, "signature")`.
    static func source(_ functions: String, _ table: String) -> String {
        """
        #include "plugin_abi.h"
        #include <pthread.h>
        #include <stdbool.h>
        #include <stdlib.h>
        #include <string.h>
        PLUGIN_DECLARE_NOTE;
        static const plugin_host *host;
        \(functions)
        #define R(name, signature) {{sizeof(plugin_function), 1}, {#name, sizeof #name - 1}, \\
            {signature, sizeof(signature) - 1}, (plugin_code)name}
        static const plugin_function all[] = { \(table) };
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
            host = h;
            for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
                plugin_status status = h->register_function(h, &all[i]);
                if (status) return status;
            }
            return PLUGIN_OK;
        }
        """
    }

    private static let source = source(
        numbers + structs + references + failures + callbacks,
        """
        R(e_bool, "(bool) -> bool"), R(e_int8, "(int8) -> int8"), R(e_int16, "(int16) -> int16"),
        R(e_int32, "(int32) -> int32"), R(e_int64, "(int64) -> int64"), R(e_uint8, "(uint8) -> uint8"),
        R(e_uint16, "(uint16) -> uint16"), R(e_uint32, "(uint32) -> uint32"), R(e_uint64, "(uint64) -> uint64"),
        R(e_float, "(float) -> float"), R(e_double, "(double) -> double"),
        R(integers, "(int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool, int64) -> int64"),
        R(floats, "(float, double, float, double, float, double, float, double, float, double) -> double"),
        R(mixed, "(int8, float, int16, double, int32, float, int64, double, uint8, float, uint16, double, uint32, float,"
            " uint64, double, int8, float, int64, double) -> double"),
        R(blend, "(int8, {x: double, y: double}, float, bool, {int64, int64, int64}, uint16) -> double"),
        R(bump, "() -> void"), R(count, "() -> int32"),
        R(add, "({x: double, y: double}, {x: double, y: double}) -> {x: double, y: double}"),
        R(scale, "({float, float}, float) -> {float, float}"),
        R(swap, "({int32, double}) -> {double, int32}"),
        R(grow, "({int64, int64, int64}, int64) -> {int64, int64, int64}"),
        R(turn, "({{float, float}, {int8, int64}, bool}) -> {{int8, int64}, {float, float}, bool}"),
        R(last, "(int64, int64, int64, int64, int64, int64, {int64, int32}) -> int64"),
        R(tiny, "({int8, int16}) -> {int16, int8}"),
        R(describe, "({name: string, data: bytes, next: pointer?}) -> {string, bytes, int32}"),
        R(version, "() -> string"), R(nothing, "() -> string"), R(maybe, "(string?) -> string?"),
        R(spoilt, "() -> string"), R(upper, "(string) -> owned string"), R(none_owned, "() -> owned string?"),
        R(sum, "(bytes) -> uint32"), R(slice, "(bytes, uint32, uint32) -> bytes"),
        R(reverse, "(uint8, bytes, uint8) -> owned bytes"), R(bad_bytes, "() -> bytes"),
        R(maybe_bytes, "(bytes?) -> bytes?"), R(pass, "(pointer?) -> pointer?"), R(null_pointer, "() -> pointer"),
        R(divide, "(int32, int32) throws -> int32"), R(refuse, "(bool) throws -> void"), R(silent, "() throws -> int8"),
        R(divide_point, "({double, double}, double) throws -> {double, double}"),
        R(greet, "(string) throws -> owned string"),
        R(apply, "((int32) -> int32, int32) -> int32"),
        R(map_all, "((int8, float, uint16, double, int64, bool) -> double) -> double"),
        R(move, "(({double, double}) -> {double, double}, {double, double}) -> {double, double}"),
        R(tell, "((string, bytes, pointer?, string?) -> owned string?) -> owned string?"),
        R(sized, "((int8) -> int8, (uint16) -> uint16, (float) -> float, () -> bool, () -> void) -> double"),
        R(attempt, "((int32) throws -> int32, int32) throws -> int32"),
        R(elsewhere, "((int32) -> int32, int32) -> int32"), R(keep, "(kept (int32) -> int32) -> pointer"),
        R(use, "(int32) -> int32"), R(bad_argument, "((string) -> int32) -> int32"),
        """)

    private static let numbers = """
        #define ECHO(type, name) static type e_##name(type value) { return value; }
        ECHO(bool, bool) ECHO(int8_t, int8) ECHO(int16_t, int16) ECHO(int32_t, int32) ECHO(int64_t, int64)
        ECHO(uint8_t, uint8) ECHO(uint16_t, uint16) ECHO(uint32_t, uint32) ECHO(uint64_t, uint64)
        ECHO(float, float) ECHO(double, double)
        static int64_t integers(int8_t a, int16_t b, int32_t c, int64_t d, uint8_t e, uint16_t f, uint32_t g, uint64_t h,
                                bool i, int64_t j) {
            return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * (int64_t)g + 8 * (int64_t)h + 9 * i + 10 * j;
        }
        static double floats(float a, double b, float c, double d, float e, double f, float g, double h, float i, double j) {
            return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
        }
        static double mixed(int8_t a, float b, int16_t c, double d, int32_t e, float f, int64_t g, double h, uint8_t i,
                            float j, uint16_t k, double l, uint32_t m, float n, uint64_t o, double p, int8_t q, float r,
                            int64_t s, double t) {
            return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m
                + 14 * n + 15 * o + 16 * p + 17 * q + 18 * r + 19 * s + 20 * t;
        }
        static int32_t counter;
        static void bump(void) { counter++; }
        static int32_t count(void) { return counter; }

        """

    private static let structs = """
        typedef struct { double x, y; } point;
        typedef struct { float x, y; } pair;
        typedef struct { int64_t a, b, c; } triple;
        typedef struct { int8_t a; int64_t b; } gap;
        typedef struct { pair p; gap g; bool f; } nested;
        typedef struct { gap g; pair p; bool f; } turned;
        typedef struct { int32_t i; double d; } int_double;
        typedef struct { double d; int32_t i; } double_int;
        typedef struct { int8_t a; int16_t b; } small;
        typedef struct { int16_t b; int8_t a; } llams;
        typedef struct { int64_t a; int32_t b; } long_int;
        typedef struct { const char *name; plugin_bytes data; void *next; } record;
        typedef struct { const char *text; plugin_bytes data; int32_t sum; } description;
        static double blend(int8_t a, point b, float c, bool d, triple e, uint16_t f) {
            return a + b.x + b.y + c + d + e.a + e.b + e.c + f;
        }
        static point add(point a, point b) { return (point){a.x + b.x, a.y + b.y}; }
        static pair scale(pair a, float by) { return (pair){a.x * by, a.y * by}; }
        static double_int swap(int_double a) { return (double_int){a.d, a.i}; }
        static triple grow(triple t, int64_t by) { return (triple){t.a + by, t.b + by, t.c + by}; }
        static turned turn(nested n) { return (turned){n.g, n.p, n.f}; }
        static int64_t last(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, long_int g) {
            return a + b + c + d + e + f + 100 * g.a + g.b;
        }
        static llams tiny(small s) { return (llams){s.b, s.a}; }
        static description describe(record r) {
            int32_t sum = r.next != NULL;
            for (size_t i = 0; i < r.data.len; i++) sum += ((const uint8_t *)r.data.ptr)[i];
            return (description){r.name, r.data, sum};
        }

        """

    private static let references = """
        static const char *version(void) { return "1.2 – β"; }
        static const char *nothing(void) { return NULL; }
        static const char *maybe(const char *text) { return text; }
        static const char *spoilt(void) { return "a\\xff" "b"; }
        static char *owned(const char *text) {
            char *copy = host->alloc(host, strlen(text) + 1);
            return strcpy(copy, text);
        }
        static char *upper(const char *text) {
            char *copy = owned(text);
            for (char *c = copy; *c; c++) if (*c >= 'a' && *c <= 'z') *c -= 32;
            return copy;
        }
        static char *none_owned(void) { return NULL; }
        static uint32_t sum(const void *bytes, size_t count) {
            uint32_t total = bytes == NULL ? 1000 : 0;
            for (size_t i = 0; i < count; i++) total += ((const uint8_t *)bytes)[i];
            return total;
        }
        static plugin_bytes slice(const void *bytes, size_t count, uint32_t from, uint32_t length) {
            return (plugin_bytes){(const char *)bytes + from, from + length <= count ? length : 0};
        }
        static plugin_bytes reverse(uint8_t first, const void *bytes, size_t count, uint8_t last) {
            uint8_t *copy = host->alloc(host, count + 2);
            copy[0] = last, copy[count + 1] = first;
            for (size_t i = 0; i < count; i++) copy[count - i] = ((const uint8_t *)bytes)[i];
            return (plugin_bytes){copy, count + 2};
        }
        static plugin_bytes bad_bytes(void) { return (plugin_bytes){NULL, 5}; }
        static plugin_bytes maybe_bytes(const void *bytes, size_t count) { return (plugin_bytes){bytes, count}; }
        static void *pass(void *pointer) { return pointer; }
        static void *null_pointer(void) { return NULL; }

        """

    private static let failures = """
        static plugin_status fail(const char *why) {
            host->set_error(host, PLUGIN_STRING("org.example.Functions"), 7, (plugin_string){why, strlen(why)},
                            PLUGIN_STRING("Use another number"));
            return PLUGIN_FAILED;
        }
        static plugin_status divide(int32_t a, int32_t b, int32_t *result) {
            if (b == 0) return fail("The divisor is zero");
            *result = a / b;
            return PLUGIN_OK;
        }
        static plugin_status refuse(bool all) { return all ? fail("It is refused") : PLUGIN_OK; }
        static plugin_status silent(int8_t *result) { *result = 1; return -42; }
        static plugin_status divide_point(point p, double by, point *result) {
            if (by == 0) return fail("The divisor is zero");
            *result = (point){p.x / by, p.y / by};
            return PLUGIN_OK;
        }
        static plugin_status greet(const char *name, char **result) {
            if (*name == 0) return fail("Nobody is named");
            *result = owned(name);
            return PLUGIN_OK;
        }

        """

    private static let callbacks = """
        static int32_t apply(int32_t (*f)(int32_t), int32_t value) { return f(value) + f(value + 1); }
        static double map_all(double (*f)(int8_t, float, uint16_t, double, int64_t, bool)) {
            return f(-1, 0.5f, 65535, 0.25, INT64_MIN / 2, true);
        }
        static point move(point (*f)(point), point p) { return f(p); }
        static char *tell(char *(*f)(const char *, const void *, size_t, void *, const char *)) {
            return f("naïve", "\\0\\1\\2", 3, NULL, NULL);
        }
        static double sized(int8_t (*a)(int8_t), uint16_t (*b)(uint16_t), float (*c)(float), bool (*d)(void), void (*e)(void)) {
            e();
            return a(-100) + b(65000) + c(0.5f) + (d() ? 1000 : 0);
        }
        static plugin_status attempt(plugin_status (*f)(int32_t, int32_t *), int32_t value, int32_t *result) {
            int32_t got = 99;
            plugin_status status = f(value, &got);
            if (status != PLUGIN_OK) return fail(got == 0 ? "The callback failed" : "The result is not zero");
            *result = got;
            return PLUGIN_OK;
        }
        typedef struct { int32_t (*f)(int32_t); int32_t value; } work;
        static void *run(void *context) { work *w = context; w->value = w->f(w->value); return NULL; }
        static int32_t elsewhere(int32_t (*f)(int32_t), int32_t value) {
            work w = {f, value};
            pthread_t thread;
            pthread_create(&thread, NULL, run, &w);
            pthread_join(thread, NULL);
            return w.value;
        }
        static int32_t (*kept)(int32_t);
        static void *keep(int32_t (*f)(int32_t)) { kept = f; return (void *)f; }
        static int32_t use(int32_t value) { return kept(value); }
        static int32_t bad_argument(int32_t (*f)(const char *)) { return f(NULL); }
        """
}
