import Fixtures
import Foundation
import Testing

/// `pluginhost call`.
@Suite struct CallCommandTests {
    private static let fixture = Result {
        try BundleFixture(
            "Callable",
            info: [
                "PHFunctions": [
                    "declared": "() -> int32", "exported": "(int8) -> int8", "crash": "() -> void",
                ]
            ],
            code: .c(
                """
                #include <stdbool.h>
                #include <stdio.h>
                #include <stdlib.h>
                #include <string.h>
                #include <unistd.h>
                static const plugin_host *host;
                static uint32_t sum(const void *b, size_t n) {
                    uint32_t s = 0;
                    while (n--) s += ((const uint8_t *)b)[n];
                    return s;
                }
                static int64_t subtract(int8_t a, int64_t b) { return a - b; }
                static char *greet(const char *name, bool loudly) {
                    char text[200];
                    snprintf(text, sizeof text, "Hello %s%s", name ? name : "nobody", loudly ? "!" : "");
                    puts("the plug-in prints");
                    char *copy = host->alloc(host, strlen(text) + 1);
                    return strcpy(copy, text);
                }
                static plugin_bytes echo(const void *b, size_t n) { return (plugin_bytes){b, n}; }
                typedef struct { double x, y; } point;
                static point move(point p, float by) { return (point){p.x + by, p.y + by}; }
                static plugin_status fail(int32_t *result) {
                    (void)result;
                    host->set_error(host, PLUGIN_STRING(""), 0, PLUGIN_STRING("It cannot"), PLUGIN_STRING("Do not ask"));
                    return PLUGIN_FAILED;
                }
                static void crash(void) { abort(); }
                static void hang(void) { for (;;) pause(); }
                static uint64_t largest(void) { return UINT64_MAX; }
                static double infinite(void) { return 1e308 * 10; }
                static int32_t ask(int32_t (*f)(void)) { return f(); }
                PLUGIN_EXPORT int8_t exported(int8_t);
                int8_t exported(int8_t v) { return v; }
                #define R(n, s) {{sizeof(plugin_function), 1}, {#n, sizeof #n - 1}, {s, sizeof(s) - 1}, (plugin_code)n}
                static const plugin_function all[] = {
                    R(sum, "(bytes) -> uint32"), R(subtract, "(int8, int64) -> int64"),
                    R(greet, "(string?, bool) -> owned string"), R(echo, "(bytes) -> bytes"),
                    R(move, "({x: double, y: double}, float) -> {x: double, y: double}"), R(fail, "() throws -> int32"),
                    R(crash, "() -> void"), R(hang, "() -> void"), R(largest, "() -> uint64"),
                    R(infinite, "() -> double"), R(ask, "(() -> int32) -> int32")
                };
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    host = h;
                    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
                        plugin_status status = h->register_function(h, &all[i]);
                        if (status) return status;
                    }
                    return PLUGIN_OK;
                }
                """))
    }

    private func call(_ arguments: String...) throws -> Tool.Output {
        try PluginHostTool.run(["call", try Self.fixture.get().path] + arguments)
    }

    private func document(_ arguments: String...) throws -> [String: Any] {
        let output = try PluginHostTool.run(["call", "--json", try Self.fixture.get().path] + arguments)
        let object = try JSONSerialization.jsonObject(with: Data(output.standardOutput.utf8)) as? [String: Any]
        return try #require((object?["bundles"] as? [[String: Any]])?.first)
    }

    @Test(arguments: [
        (["subtract", "-5", "0x10"], "-21\n"), (["subtract", "5", "-9223372036854775803"], "-9223372036854775808\n"),
        (["greet", "you", "true"], "Hello you!\n"), (["greet", "null", "false"], "Hello nobody\n"),
        (["greet", "-", "0"], "Hello -\n"), (["sum", "AB"], "131\n"), (["largest"], "18446744073709551615\n"),
        (["infinite"], "inf\n"), (["exported", "-128"], "-128\n"),
    ])
    func theResultIsOnStandardOutputAlone(arguments: [String], result: String) throws {
        let output = try PluginHostTool.run(["call", try Self.fixture.get().path] + arguments)
        #expect(output.standardOutput == result)
        #expect(output.status == 0, "\(output)")
        // Standard error has only the library's warning about another function, and the output of the plug-in.
        let lines = output.standardError.split(separator: "\n")
        #expect(lines.allSatisfy { $0 == "the plug-in prints" || $0.hasPrefix("warning [org.example.Callable] ") })
        #expect(lines.filter { $0 == "the plug-in prints" }.count == (arguments[0] == "greet" ? 1 : 0))
    }

    @Test func bytesComeFromAFileAndFromStandardInput() throws {
        let file = Workspace.temporary.appending(path: "call-input")
        try Data([1, 0, 255, 10]).write(to: file)
        #expect(try call("sum", "@\(file.path)").standardOutput == "266\n")
        let program = Workspace.products.appending(path: "pluginhost").path
        let bundle = try Self.fixture.get().path
        let output = try Tool.output(
            "/bin/sh", ["-c", "printf 'a\\000b' | \"$0\" call \"$1\" echo - | od -An -tx1", program, bundle],
            environment: ["LD_LIBRARY_PATH": Workspace.products.path])
        #expect(PluginHostTool.words(output.standardOutput) == "61 00 62")
        let missing = try call("sum", "@/nowhere")
        #expect(missing.status == 2)
        #expect(missing.standardError.contains("“@/nowhere” for bytes cannot be read: No such file or directory."))
    }

    @Test func aStructIsJSONByNameOrInOrder() throws {
        for text in ["[1, 2.5]", "{\"y\": 2.5, \"x\": 1}"] {
            let result = try #require(document("move", text, "0.5")["result"] as? [String: Double])
            #expect(result == ["x": 1.5, "y": 3])
        }
        for (text, complaint) in [
            ("[1]", "has 1 field where"), ("{\"x\": 1}", "lacks a field"), ("{\"x\":1,\"y\":2,\"z\":3}", "field “z”"),
            ("[1, \"2\"]", "has a value that is not of type double"), ("(1, 2)", "is not JSON"),
        ] {
            let output = try call("move", text, "0.5")
            #expect(output.status == 2)
            #expect(PluginHostTool.words(output.standardError).contains(complaint), "\(output)")
        }
    }

    @Test func theDocumentHasEveryKey() throws {
        let sum = try document("sum", "AB")
        #expect(sum["result"] as? Int == 131 && sum["returned"] as? Bool == true)
        #expect(sum["signature"] as? String == "(bytes) -> uint32" && sum["function"] as? String == "sum")
        #expect(sum["milliseconds"] is Double || sum["milliseconds"] is Int)
        #expect(
            Set(sum.keys) == [
                "path", "identifier", "function", "signature", "execution", "returned", "result", "milliseconds",
                "functions",
                "findings",
            ])
        #expect(try document("largest")["result"] as? UInt64 == .max)
        #expect(try document("infinite")["result"] as? String == "inf")
        #expect(try document("echo", "ab")["result"] as? String == "YWI=")
        let failed = try document("fail")
        #expect(failed["returned"] as? Bool == false && failed["result"] is NSNull)
        #expect((failed["findings"] as? [[String: Any]])?.first?["code"] as? String == "functionFailed")
    }

    @Test(arguments: ["in-process", "isolated", "sandboxed"])
    func aCallHasTheSameResultInEveryPlace(_ place: String) throws {
        let sum = try document("--\(place)", "sum", "AB")
        #expect(sum["result"] as? Int == 131 && sum["execution"] as? String == place, "\(sum)")
        let greeting = try call("--\(place)", "greet", "you", "true")
        #expect(greeting.standardOutput == "Hello you!\n" && greeting.status == 0, "\(greeting)")
        let failed = try call("--\(place)", "fail")
        #expect(failed.status == 1)
        #expect(
            PluginHostTool.words(failed.standardError).contains("The function “fail” failed: It cannot."), "\(failed)")
        let crashed = try call("--\(place)", "crash")
        #expect(crashed.status == 1 && crashed.standardError.contains("SIGABRT"), "\(crashed)")
    }

    @Test func aSandboxedCallReachesOnlyWhatWasGranted() throws {
        let file = Workspace.temporary.appending(path: "call-secret")
        try Data("secret".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let fixture = try BundleFixture(
            "Curious", info: ["PHPermissions": ["files": [["path": file.path, "access": "read"]]]],
            code: .c(
                """
                #include <fcntl.h>
                #include <unistd.h>
                static int32_t opens(const char *path) {
                    int file = open(path, O_RDONLY);
                    if (file >= 0) close(file);
                    return file >= 0;
                }
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("opens"), PLUGIN_STRING("(string) -> int32"),
                        (plugin_code)opens};
                    return h->register_function(h, &f);
                }
                """))
        func opens(_ options: String...) throws -> String {
            try PluginHostTool.run(["call"] + options + [fixture.path, "opens", file.path]).standardOutput
        }
        #expect(try opens() == "1\n")
        #expect(try opens("--sandboxed") == "0\n")
        #expect(try opens("--sandboxed", "--grant", "files=\(file.path)") == "1\n")
        #expect(try opens("--sandboxed", "--grant", "all") == "1\n")
    }

    @Test func aFailureACrashAndAHangAreProblems() throws {
        let failed = try call("fail")
        #expect(failed.status == 1 && failed.standardOutput.isEmpty)
        #expect(
            PluginHostTool.words(failed.standardError).contains(
                "The function “fail” failed: It cannot. To do: Do not ask."))
        let crashed = try call("crash")
        #expect(crashed.status == 1)
        let words = PluginHostTool.words(crashed.standardError)
        #expect(words.contains("The signal SIGABRT ended the process in the function that was called."), "\(words)")
        let hung = try PluginHostTool.run(["call", "--timeout", "0.5", try Self.fixture.get().path, "hang"])
        #expect(hung.status == 1)
        #expect(PluginHostTool.words(hung.standardError).contains("The call had not ended after 0.5 s."))
    }

    @Test(arguments: [
        (["nothing"], "The function “nothing” is not offered"),
        (["sum"], "was given 0 arguments, and its signature is"),
        (["sum", "a", "b"], "was given 2 arguments"), (["subtract", "300", "1"], "is outside of the range of int8"),
        (["subtract", "x", "1"], "“x” for int8 is not a whole number"),
        (["greet", "a", "yes"], "is neither true nor false"),
        (["ask", "f"], "cannot be a callback"), ([], "Name the function to call"),
        (["declared"], "but not exported by the executable"),
    ])
    func aWrongCallIsTwo(arguments: [String], complaint: String) throws {
        let output = try PluginHostTool.run(["call", try Self.fixture.get().path] + arguments)
        #expect(output.status == 2)
        #expect(PluginHostTool.words(output.standardError).contains(complaint), "\(output)")
    }

    @Test func theFunctionsAreListedWithTheirSignatures() throws {
        let output = try PluginHostTool.run("call", "--list", try Self.fixture.get().path)
        let rows = output.standardOutput.split(separator: "\n").map(String.init)
        #expect(rows.contains { PluginHostTool.words($0) == "sum (bytes) -> uint32" }, "\(output)")
        #expect(rows.contains { PluginHostTool.words($0) == "declared () -> int32 declared only" }, "\(output)")
        #expect(rows.contains { PluginHostTool.words($0) == "exported (int8) -> int8" })
        let document = try PluginHostTool.document("call", "--list", try Self.fixture.get().path)
        let functions = document.bundles.first?["functions"] as? [[String: Any]] ?? []
        #expect(functions.count == 13)
        let declared = functions.first { $0["name"] as? String == "declared" }
        #expect(declared?["callable"] as? Bool == false && declared?["declared"] as? Bool == true)
        #expect(try PluginHostTool.run("call", "--list", "/nowhere").status == 2)
    }
}
