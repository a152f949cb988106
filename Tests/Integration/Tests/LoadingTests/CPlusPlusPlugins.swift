import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Plug-ins that are written with plugin.hpp.
@Suite struct CPlusPlusPlugins {
    private static let source = """
        #include "plugin.hpp"
        #include <stdexcept>
        struct point { double x, y; };
        template <> struct plugin::type<point> : plugin::structure<&point::x, &point::y> {};
        static double mean(plugin::bytes data) {
            if (data.size == 0) throw plugin::failure("There are no bytes", "Choose another file", 3, "org.example.Mean");
            double sum = 0;
            for (std::uint8_t byte : data) sum += byte;
            return sum / data.size;
        }
        static std::string join(std::string_view a, std::int32_t n, plugin::bytes b, std::string_view c) {
            if (n < 0) throw std::out_of_range("the number is negative");
            if (n > 100) throw 7;
            return std::string(a) + std::to_string(n) + std::to_string(b.size) + std::string(c);
        }
        static std::vector<std::uint8_t> twice(plugin::bytes b) {
            std::vector<std::uint8_t> all(b.begin(), b.end());
            all.insert(all.end(), b.begin(), b.end());
            return all;
        }
        static point middle(point a, point b) noexcept { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }
        static int calls;
        static void touch() { calls++; }
        static int count() noexcept { return calls; }
        static plugin::bytes tail(plugin::bytes b) noexcept { return {b.data + 1, b.size - 1}; }
        static std::int64_t many(std::int8_t a, plugin::bytes b, std::uint16_t c, plugin::bytes d, bool e, double f,
                                 std::string_view g, std::int64_t h) {
            return a + b.size + c + d.size + e + std::int64_t(f) + g.size() + h;
        }
        static int apply(int (*f)(int), int value) { return f(value); }
        static void refuse_memory() { throw std::bad_alloc(); }

        struct counter {
            explicit counter(const plugin_host *) { living++; }
            ~counter() { living--; }
            std::uint64_t add(std::uint64_t number) {
                if (number == 0) throw std::invalid_argument("zero is not counted");
                return total += number;
            }
            std::uint64_t total = 0;
            static inline int living = 0;
        };
        struct stubborn {
            stubborn() { throw plugin::failure("The device is busy", "Try again later"); }
        };
        static int living() noexcept { return counter::living; }
        struct counter_functions { plugin_header header; std::uint64_t (*add)(void *, std::uint64_t); };
        static const counter_functions functions = {{sizeof(counter_functions), 1}, plugin::method<&counter::add>};

        PLUGIN_ENTRY(registrar) {
            registrar.function<&mean>("mean").function<&join>("join").function<&twice>("twice").function<&middle>("middle");
            registrar.function<&touch>("touch").function<&count>("count").function<&tail>("tail").function<&many>("many");
            registrar.function<&apply>("apply").function<&living>("living").function<&refuse_memory>("refuse_memory");
            registrar.factory<counter>("counter", "org.example.counter", 1, &functions);
            registrar.factory<stubborn>("stubborn", "org.example.counter", 1, &functions, 1);
        }
        // PLUGIN_NOTE is in PLUGIN_ENTRY
        """

    private static let bundle = Result {
        try PluginBundle.open(path: BundleFixture("WrittenInCPlusPlus", code: .cxx(source)).path)
    }

    private func bundle() throws -> PluginBundle { try Self.bundle.get() }

    @Test func signaturesFollowFromTheTypes() throws {
        try bundle().loadAndReturnError()
        let signatures = try bundle().registrations.filter { $0.kind == .function }.map {
            "\($0.name)\($0.signature?.description ?? "")"
        }
        #expect(
            signatures == [
                "apply((int32) -> int32, int32) throws -> int32", "count() -> int32",
                "join(string, int32, bytes, string) throws -> owned string", "living() -> int32",
                "many(int8, bytes, uint16, bytes, bool, double, string, int64) throws -> int64",
                "mean(bytes) throws -> double", "middle({double, double}, {double, double}) -> {double, double}",
                "refuse_memory() throws -> void", "tail(bytes) -> bytes", "touch() throws -> void",
                "twice(bytes) throws -> owned bytes",
            ])
    }

    @Test func valuesCross() throws {
        let bundle = try bundle()
        #expect(try bundle.function("mean", as: (([UInt8]) -> Double).self)([1, 2, 6]) == 3)
        let join = try bundle.function("join", as: ((String, Int32, [UInt8], String) -> String).self)
        #expect(try join("a", 5, [0, 0], "b") == "a52b")
        #expect(try bundle.function("twice")(.bytes([1, 2])) == .bytes([1, 2, 1, 2]))
        #expect(try bundle.function("tail")(.bytes([1, 2])) == .bytes([2]))
        let points: [ForeignValue] = [[0, 2], [4, 8], [2, 5]].map { .structure($0.map(ForeignValue.double)) }
        #expect(try bundle.function("middle")(points[0], points[1]) == points[2])
        let before = try bundle.function("count")().int64 ?? 0
        try bundle.function("touch")()
        #expect(try bundle.function("count")() == .int(before + 1))
        let many = try bundle.function("many")(
            .int(-1), .bytes([1, 2]), .uint(10), .bytes([3]), .bool(true), .double(100), .string("four"), .int(1000))
        #expect(many == .int(-1 + 2 + 10 + 1 + 1 + 100 + 4 + 1000))
        #expect(try bundle.function("apply")(.callback { .int($0[0].int64! * 2) }, .int(21)) == .int(42))
    }

    @Test func exceptionsOfFunctionsAreErrorsThatNameTheBundle() throws {
        let bundle = try bundle()
        func error(_ name: String, _ arguments: ForeignValue...) throws -> PluginError {
            try #require(#expect(throws: PluginError.self) { try bundle.function(name).call(with: arguments) })
        }
        let own = try error("mean", .bytes([]))
        #expect(own.code == .functionFailed && own.bundlePath == bundle.bundlePath)
        #expect(
            own.findings[0].message == "The function “mean” failed (org.example.Mean, code 3): There are no bytes.")
        #expect(own.findings[0].remedy == "Choose another file.")
        let standard = try error("join", .string(""), .int(-1), .bytes([]), .string(""))
        #expect(standard.description.contains("(std::out_of_range, code 0): the number is negative."))
        let number = try error("join", .string(""), .int(101), .bytes([]), .string(""))
        #expect(number.description.contains("(int, code 0): An exception was thrown that has no text."))
        #expect(try error("refuse_memory").description.contains("There is no memory left."))
    }

    @Test func objectsAreMadeAndDeletedAndTheirExceptionsStopped() throws {
        let bundle = try bundle()
        let factories = try bundle.cProviders(at: "org.example.counter", version: 1)
        #expect(factories.map(\.name) == ["counter", "stubborn"])
        do {
            let counter = try factories[0].make()
            #expect(try bundle.function("living")() == .int(1))
            typealias Add = @convention(c) (UnsafeMutableRawPointer, UInt64) -> UInt64
            let table = try #require(counter.functions(as: (plugin_header, Add).self))
            #expect(table.pointee.1(counter.pointer, 5) == 5)
            #expect(table.pointee.1(counter.pointer, 0) == 0, "the exception is logged")
            #expect(table.pointee.1(counter.pointer, 2) == 7)
        }
        #expect(try bundle.function("living")() == .int(0))
        let busy = #expect(throws: PluginError.self) { try factories[1].make() }
        #expect(busy?.code == .instantiationFailed)
        #expect(busy?.description.contains("The device is busy. Try again later.") == true)
    }

    @Test func anExceptionOfTheEntryIsTheErrorOfTheLoad() throws {
        let fixture = try BundleFixture(
            "ThrowingEntry",
            code: .cxx(
                "#include \"plugin.hpp\"\n#include <stdexcept>\n"
                    + "PLUGIN_ENTRY(registrar) { (void)registrar; throw std::runtime_error(\"no licence\"); } // PLUGIN_NOTE"
            ))
        let error = try loadError(fixture)
        #expect(error.code == .entryFailed)
        #expect(error.description.contains("failed (std::runtime_error, code 0): no licence."))
    }

    @Test func aRefusedRegistrationKeepsTheHostsReason() throws {
        let fixture = try BundleFixture(
            "RefusedInCPlusPlus",
            code: .cxx(
                "#include \"plugin.hpp\"\nstatic void f() {}\n"
                    + "PLUGIN_ENTRY(registrar) { registrar.function<&f>(\"f\").function<&f>(\"f\"); } // PLUGIN_NOTE"))
        #expect(try loadError(fixture).code == .duplicateFactory)
    }

    @Test func twoPluginsHaveAHostTableOfTheirOwn() throws {
        func make(_ name: String) throws -> PluginBundle {
            let source =
                "#include \"plugin.hpp\"\nstatic void f() { throw plugin::failure(\"\(name)\"); }\n"
                + "PLUGIN_ENTRY(registrar) { registrar.function<&f>(\"f\"); } // PLUGIN_NOTE"
            return try PluginBundle.open(path: BundleFixture(name, code: .cxx(source)).path)
        }
        let (first, second) = (try make("FirstOfTwo"), try make("SecondOfTwo"))
        let functions = [try first.function("f"), try second.function("f")]
        for (function, name) in zip(functions, ["FirstOfTwo", "SecondOfTwo"]) {
            let error = #expect(throws: PluginError.self) { try function() }
            #expect(error?.description.contains("failed: \(name).") == true)
        }
    }

    @Test func anExceptionThatLeavesAPlainCFunctionIsAnErrorOfTheCall() throws {
        let source = """
            #include <stdexcept>
            static int32_t f() { throw std::runtime_error("out of paper"); }
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                plugin_function x = {{sizeof x, 1}, PLUGIN_STRING("f"), PLUGIN_STRING("() -> int32"), (plugin_code)f};
                return host->register_function(host, &x);
            }
            """
        let fixture = try BundleFixture("LeakingFunction", code: .cxx(source))
        let function = try PluginBundle.open(path: fixture.path).function("f")
        let error = #expect(throws: PluginError.self) { try function() }
        #expect(error?.code == .functionFailed)
        #expect(error?.description.contains("std::runtime_error: out of paper") == true)
    }
}
