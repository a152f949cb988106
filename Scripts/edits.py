#!/usr/bin/env python3
"""Changes a plug-in API in more than sixty ways, and compares what happens to compiled plug-ins with what “pluginhost diff” says.

Each edit is compiled with and without library evolution, with and without the optimiser. Two plug-ins were compiled and
packed with the API before it: one implements its protocols and has a subclass of its class, the other calls them and uses
its types and functions. A program that was compiled with the changed and recorded API loads each of them, calls everything,
and prints what it gets. An edit fails if

- the outcome is another one than “pluginhost diff” predicts for implementers or for callers;
- the plug-in loads, and then crashes or returns a wrong value;
- the plug-in is refused, although library evolution allows the change.

At the end, protocols with random requirements are compiled: their order must be the same in the record of the API, which
comes from its module, and in the record of a plug-in, which comes from the symbols of its functions.

usage: Scripts/edits.py [--every N] [--one] [--only NUMBER…] [--orders N] [--keep]
    --every N   only every Nth edit; --one: only one of the four configurations for each edit, each in turn
    --only      only these edits; --orders N: the number of protocols, 300 by default; --keep: leave the directory
The library and the tool must have been built: make tool. EDITS_PRODUCTS names another folder with them.
"""
import argparse, collections, concurrent.futures, dataclasses, itertools, json, os, pathlib, plistlib, random, shutil, struct
import subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCTS = pathlib.Path(os.environ.get("EDITS_PRODUCTS", ROOT / ".build-all/release")).resolve()
TOOL = str(PRODUCTS / "pluginhost")
NICE = shutil.which("nice")
CONFIGURATIONS = [(evolution, optimised) for evolution in (True, False) for optimised in (True, False)]

API = """public import PluginABI
public protocol Root { func z() -> Int }
extension Root { public func z() -> Int { 10 } }
public protocol Filter: Root {
    func a(_ x: Int) -> Int
    func b(_ x: Int) -> Int
    var tag: Int { get }
    static func s() -> Int
    func d(_ x: Int) -> Int
    func e(_ x: Int) throws -> Int
    func g<T: Equatable>(_ x: T) -> Int
    var risky: Int { get throws }
}
extension Filter { public func d(_ x: Int) -> Int { 500 + x } }
public protocol Pair {
    associatedtype First: Equatable
    associatedtype Second: Equatable
    func first() -> First
    func second() -> Second
}
public struct Opt {
    public var x: Int
    public var y: Int
    public init(x: Int, y: Int) { self.x = x; self.y = y }
}
public enum Mode {
    case one
    case two(Int)
}
open class Node {
    public init() {}
    open func p() -> Int { 1 }
    open func q() -> Int { 2 }
    public var v: Int = 7
}
@frozen public struct Fixed {
    public var x: Int
    public init(x: Int) { self.x = x }
}
@inline(never) public func number(_ f: Fixed) -> Int { f.x }
public func sum(_ o: Opt) -> Int { o.x * 10 + o.y }
public func value(_ m: Mode) -> Int {
    switch m {
    case .one: return 1
    case .two(let n): return 20 + n
    }
}
public func free(_ x: Int) -> Int { x + 1 }
public func standard(_ x: Int = 5) -> Int { x }
@inlinable public func inlined(_ x: Int) -> Int { x * 3 }
public protocol Maker: Plugin {
    func filter() -> any Filter
    func pair() -> any Pair
    func node() -> Node
}
public protocol User: Plugin {
    func filter(_ f: any Filter) -> [String]
    func pair(_ p: any Pair) -> [String]
    func opt(_ opt: Opt) -> [String]
    func mode(_ modes: [Mode]) -> [String]
    func node(_ n: Node) -> [String]
    func functions() -> [String]
}
extension ExtensionPoint where Interface == any Maker {
    public static var maker: Self { .init("org.example.maker") }
}
extension ExtensionPoint where Interface == any User {
    public static var user: Self { .init("org.example.user") }
}
"""
ENTRY = """
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in plugin.provide(.%s, named: "own", Own.init) }
}
"""
IMPLEMENTER = """import API
import PluginABI
struct Refusal: Error {}
struct F: Filter {
    func a(_ x: Int) -> Int { 100 + x }
    func b(_ x: Int) -> Int { 200 + x }
    var tag: Int { 300 }
    static func s() -> Int { 400 }
    func e(_ x: Int) throws -> Int { if x < 0 { throw Refusal() }; return 600 + x }
    func g<T: Equatable>(_ x: T) -> Int { x == x ? 700 : 0 }
    var risky: Int { get throws { throw Refusal() } }
}
struct P: Pair {
    func first() -> Int { 1 }
    func second() -> String { "two" }
}
final class N: Node { override func q() -> Int { 22 } }
final class Own: Maker {
    init(context: PluginContext) throws {}
    func filter() -> any Filter { F() }
    func pair() -> any Pair { P() }
    func node() -> Node { N() }
}
""" + ENTRY % "maker"
CALLER = """import API
import PluginABI
final class Own: User {
    init(context: PluginContext) throws {}
    func filter(_ f: any Filter) -> [String] {
        var lines = ["a \\(f.a(1))", "b \\(f.b(1))", "tag \\(f.tag)", "s \\(type(of: f).s())", "d \\(f.d(1))"]
        lines += ["e \\((try? f.e(1)) ?? -1)", "g \\(f.g(1))", "risky \\((try? f.risky) ?? -1)", "z \\(f.z())"]
        return lines
    }
    func pair(_ p: any Pair) -> [String] {
        func both<T: Pair>(_ p: T) -> [String] {
            ["first \\(p.first() == p.first()) \\(p.first())", "second \\(p.second() == p.second()) \\(p.second())"]
        }
        return both(p)
    }
    func opt(_ opt: Opt) -> [String] {
        var o = opt
        o.x += 10
        return ["x \\(o.x)", "y \\(o.y)", "sum \\(sum(o))", "own \\(sum(Opt(x: 1, y: 2)))"]
    }
    func mode(_ modes: [Mode]) -> [String] {
        modes.map { mode in
            switch mode {
            case .one: return "one \\(value(.one))"
            case .two(let n): return "two \\(n) \\(value(.two(5)))"
            @unknown default: return "another"
            }
        }
    }
    func node(_ n: Node) -> [String] {
        let own = Node()
        own.v += 1
        return ["p \\(n.p())", "q \\(n.q())", "v \\(n.v)", "ownNode \\(own.p()) \\(own.q()) \\(own.v)"]
    }
    func functions() -> [String] {
        ["free \\(free(4))", "standard \\(standard())", "inlined \\(inlined(5))", "fixed \\(number(Fixed(x: 6)))"]
    }
}
""" + ENTRY % "user"
HOST = """import API
@preconcurrency import Glibc
import PluginHost
struct Refusal: Error {}
struct H: Filter {
    func a(_ x: Int) -> Int { 1100 + x }
    func b(_ x: Int) -> Int { 1200 + x }
    var tag: Int { 1300 }
    static func s() -> Int { 1400 }
    func e(_ x: Int) throws -> Int { 1600 + x }
    func g<T: Equatable>(_ x: T) -> Int { 1700 }
    var risky: Int { get throws { 1800 } }
}
struct HP: Pair {
    func first() -> Int { 11 }
    func second() -> String { "twelve" }
}
setvbuf(stdout, nil, _IONBF, 0)
do {
    let bundle = try PluginBundle.open(path: CommandLine.arguments[2])
    if CommandLine.arguments[1] == "implementer" {
        let maker = try bundle.providers(of: .maker)[0].make()
        let f = maker.filter()
        print("a \\(f.a(1))")
        print("b \\(f.b(1))")
        print("tag \\(f.tag)")
        print("s \\(type(of: f).s())")
        print("d \\(f.d(1))")
        print("e \\((try? f.e(-1)) ?? -1) \\((try? f.e(1)) ?? -1)")
        print("g \\(f.g(1))")
        print("risky \\((try? f.risky) ?? -1)")
        print("z \\(f.z())")
        func both<T: Pair>(_ p: T) {
            print("first \\(p.first() == p.first()) \\(p.first())")
            print("second \\(p.second() == p.second()) \\(p.second())")
        }
        both(maker.pair())
        let n = maker.node()
        print("p \\(n.p())")
        print("q \\(n.q())")
        print("v \\(n.v)")
    } else {
        let user = try bundle.providers(of: .user)[0].make()
        let texts = user.filter(H()) + user.pair(HP()) + user.opt(Opt(x: 3, y: 4)) + user.mode([.one, .two(3)])
            + user.node(Node()) + user.functions()
        for text in texts { print(text) }
    }
    print("done")
} catch let error as PluginError {
    print("refused", error.code)
    print("why", error)
}
"""
# What the calls give, by the first word of a line.
EXPECTED = {
    "implementer": {"a": "101", "b": "201", "tag": "300", "s": "400", "d": "501", "e": "-1 601", "g": "700", "risky": "-1",
                    "z": "10", "first": "true 1", "second": "true two", "p": "1", "q": "22", "v": "7"},
    "caller": {"a": "1101", "b": "1201", "tag": "1300", "s": "1400", "d": "501", "e": "1601", "g": "1700",
               "risky": "1800", "z": "10", "first": "true 11", "second": "true twelve", "x": "13", "y": "4",
               "sum": "134", "own": "12", "one": "1", "two": "3 25", "p": "1", "q": "2", "v": "7", "ownNode": "1 2 8",
               "free": "5", "standard": "5", "inlined": "15", "fixed": "6"},
}
# What a plug-in depends on: its findings are about these.
SUBJECTS = {
    "implementer": ["API.Filter", "API.Root", "API.Pair", "API.Node", "API.Maker"],
    "caller": ["API.Filter", "API.Root", "API.Pair", "API.Node", "API.User", "API.Opt", "API.Mode", "API.sum", "API.value",
               "API.free", "API.standard", "API.inlined", "API.Fixed", "API.number"],
}
EDITS = []


@dataclasses.dataclass
class Edit:
    number: int
    name: str
    api: list
    host: list
    # A later compiler run of the plug-in would give these; one that gives the former value keeps it.
    fresh: dict
    # What a new requirement's default gives.
    default: dict
    # Whether library evolution allows it: for implementers and callers, or for one of them.
    allowed: tuple
    # Lines of the host that a plug-in does not answer any more.
    gone: list

    @staticmethod
    def replaced(text, replacements):
        for old, new in replacements:
            assert old in text, f"edits.py: {old!r} is not in the text"
            text = text.replace(old, new)
        return text


def edit(number, name, *api, host=(), fresh=None, default=None, allowed="", gone=()):
    roles = {"": (), "both": ("implementer", "caller"), "caller": ("caller",), "implementer": ("implementer",)}[allowed]
    EDITS.append(Edit(number, name, list(api), list(host), fresh or {}, default or {}, roles, list(gone)))


A, B = "    func a(_ x: Int) -> Int\n", "    func b(_ x: Int) -> Int\n"
TAG, S, LAST = "    var tag: Int { get }\n", "    static func s() -> Int\n", "    var risky: Int { get throws }\n"
HA, HB = "    func a(_ x: Int) -> Int { 1100 + x }\n", "    func b(_ x: Int) -> Int { 1200 + x }\n"
CALL_B = 'print("b \\(f.b(1))")'
OWN = ("    var tag: Int { 1300 }\n", "    var tag: Int { 1300 }\n    func n() -> Int { 9 }\n")
CALL_N = ('print("tag', 'print("n \\(f.n())"); print("tag')
FIELDS = "    public var x: Int\n    public var y: Int\n"
CASES = "    case one\n    case two(Int)\n"
METHODS = "    open func p() -> Int { 1 }\n    open func q() -> Int { 2 }\n"
V = "    public var v: Int = 7\n"

edit(1, "nothing", allowed="both")
edit(2, "a comment", (A, "    /// Text.\n" + A), allowed="both")
edit(3, "methods swapped", (A + B, B + A), allowed="both")
edit(4, "a getter and a method swapped", (B + TAG, TAG + B), allowed="both")
edit(5, "a static method moved", (S, ""), (A, S + A), allowed="both")
edit(6, "a requirement added last", (LAST, LAST + "    func n() -> Int\n"), host=[OWN, CALL_N], allowed="caller")
edit(7, "a requirement added inside", (B, "    func n() -> Int\n" + B), host=[OWN, CALL_N], allowed="caller")
edit(8, "a requirement with a default added", (LAST, LAST + "    func n() -> Int\n"),
     ("extension Filter {", "extension Filter { public func n() -> Int { 9 };"), host=[CALL_N], default={"n": "9"},
     allowed="both")
edit(9, "a setter added", (TAG, "    var tag: Int { get set }\n"),
     host=[("var tag: Int { 1300 }", "var tag: Int { get { 1300 } set {} }"), ("let f =", "var f ="),
           ('print("tag', 'f.tag = 1; print("tag')], allowed="caller")
edit(10, "a requirement removed", (B, ""), host=[(HB, ""), (CALL_B, "")], gone=["b"])
edit(11, "a requirement replaced", (B, "    var c: Int { get }\n"), host=[(HB, "    var c: Int { 1 }\n"), ("f.b(1)", "f.c")])
edit(12, "a requirement renamed", (B, "    func c(_ x: Int) -> Int\n"), host=[("func b(", "func c("), ("f.b(1)", "f.c(1)")])
edit(13, "a label", (B, "    func b(x: Int) -> Int\n"), host=[("func b(_ x", "func b(x"), ("f.b(1)", "f.b(x: 1)")])
edit(14, "the type of a parameter", (B, "    func b(_ x: Double) -> Int\n"),
     host=[("func b(_ x: Int) -> Int { 1200 + x }", "func b(_ x: Double) -> Int { 1200 + Int(x) }")])
edit(15, "the type of a result", (B, "    func b(_ x: Int) -> Int32\n"),
     host=[("func b(_ x: Int) -> Int { 1200 + x }", "func b(_ x: Int) -> Int32 { 1200 + Int32(x) }")])
edit(16, "an optional result", (B, "    func b(_ x: Int) -> Int?\n"),
     host=[("func b(_ x: Int) -> Int {", "func b(_ x: Int) -> Int? {"), ("f.b(1)", "f.b(1)!")])
edit(17, "a method that may throw now", (B, "    func b(_ x: Int) throws -> Int\n"),
     host=[("func b(_ x: Int) -> Int {", "func b(_ x: Int) throws -> Int {"), ("f.b(1)", "(try? f.b(1)) ?? -1")])
edit(18, "a method that may no longer throw", ("func e(_ x: Int) throws", "func e(_ x: Int)"),
     host=[("func e(_ x: Int) throws", "func e(_ x: Int)"), ("(try? f.e(-1)) ?? -1", "f.e(-1)"),
           ("(try? f.e(1)) ?? -1", "f.e(1)")])
edit(19, "an asynchronous method", (B, "    func b(_ x: Int) async -> Int\n"),
     host=[("func b(_ x: Int) -> Int {", "func b(_ x: Int) async -> Int {"), ("f.b(1)", "await f.b(1)")])
edit(20, "a getter that may throw now", (TAG, "    var tag: Int { get throws }\n"),
     host=[("var tag: Int { 1300 }", "var tag: Int { get throws { throw Refusal() } }"), ("f.tag", "(try? f.tag) ?? -1")],
     allowed="implementer")
edit(21, "an inout parameter", (B, "    func b(_ x: inout Int) -> Int\n"),
     host=[("func b(_ x: Int)", "func b(_ x: inout Int)"), ("f.b(1)", "{ var v = 1; return f.b(&v) }()")])
edit(22, "a method made static", (B, "    static func b(_ x: Int) -> Int\n"),
     host=[("func b(", "static func b("), ("f.b(1)", "type(of: f).b(1)")])
edit(23, "a mutating method", (B, "    mutating func b(_ x: Int) -> Int\n"),
     host=[("func b(", "mutating func b("), ("let f =", "var f =")])
edit(24, "a constraint of a method", ("g<T: Equatable>", "g<T: Hashable>"), host=[("g<T: Equatable>", "g<T: Hashable>")])
edit(25, "an associated type with a default", ("    associatedtype Second", "    associatedtype Third = Int\n"
     "    associatedtype Second"), host=[('print("second', 'print("n \\(T.Third.self)"); print("second')], default={"n": "Int"},
     allowed="both")
edit(26, "associated types swapped",
     ("    associatedtype First: Equatable\n    associatedtype Second: Equatable\n",
      "    associatedtype Second: Equatable\n    associatedtype First: Equatable\n"), allowed="both")
edit(27, "the constraint of an associated type", ("associatedtype Second: Equatable", "associatedtype Second: Hashable"))
edit(28, "a parent added", ("public protocol Filter: Root {",
     "public protocol Extra { func x() -> Int }\nextension Extra { public func x() -> Int { 8 } }\n"
     "public protocol Filter: Root, Extra {"), host=[CALL_N, ("f.n()", "f.x()")])
edit(29, "a parent removed", ("public protocol Filter: Root {", "public protocol Filter {"),
     host=[('        print("z \\(f.z())")\n', "")], gone=["z"])
edit(30, "a requirement moved to the parent", (A, ""), ("func z() -> Int }", "func z() -> Int; func a(_ x: Int) -> Int }"))
edit(31, "only classes may conform", ("protocol Filter: Root", "protocol Filter: AnyObject, Root"),
     host=[("struct H: Filter", "final class H: Filter")])
edit(32, "Sendable", ("protocol Filter: Root", "protocol Filter: Root, Sendable"), allowed="both")
edit(33, "the main actor", ("public protocol Filter", "@MainActor public protocol Filter"), allowed="both")
edit(34, "a default removed", ("extension Filter { public func d(_ x: Int) -> Int { 500 + x } }\n", ""),
     host=[(HA, HA + "    func d(_ x: Int) -> Int { 500 + x }\n")], allowed="caller")
edit(35, "a default changed", ("{ 500 + x }", "{ 900 + x }"), fresh={"d": "901"}, allowed="both")
edit(36, "a protocol renamed", ("Filter", "Sieve"), host=[("H: Filter", "H: Sieve")])
edit(37, "a field added last", (FIELDS, FIELDS + "    public var w = 5\n"), allowed="both")
edit(38, "a field added first", (FIELDS, "    public var w = 5\n" + FIELDS), allowed="both")
edit(39, "fields swapped", (FIELDS, "    public var y: Int\n    public var x: Int\n"), allowed="both")
edit(40, "the type of a field", (FIELDS, "    public var x: Int\n    public var y: Int32\n"), ("self.y = y", "self.y = Int32(y)"),
     ("o.x * 10 + o.y", "o.x * 10 + Int(o.y)"))
edit(41, "a field made computed", (FIELDS, "    public var x: Int\n    var z: Int\n    public var y: Int {\n"
     "        get { z }\n        set { z = newValue }\n    }\n"), ("self.y = y", "self.z = y"), allowed="both")
edit(42, "a field made constant", (FIELDS, "    public let x: Int\n    public var y: Int\n"))
edit(43, "a struct made a class", ("public struct Opt", "public final class Opt"))
edit(44, "a struct frozen", ("public struct Opt", "@frozen public struct Opt"))
edit(45, "a case added last", (CASES, CASES + "    case three\n"), ("    case .one: return 1", "    case .three: return 77\n"
     "    case .one: return 1"), allowed="both")
edit(46, "a case added first", (CASES, "    case zero(Int)\n" + CASES), ("    case .one: return 1", "    case .zero: return 77\n"
     "    case .one: return 1"), allowed="both")
edit(47, "cases swapped", (CASES, "    case two(Int)\n    case one\n"), allowed="both")
edit(48, "the values of a case", ("case two(Int)", "case two(Int, Int)"), (".two(let n)", ".two(let n, _)"),
     host=[(".two(3)", ".two(3, 4)")])
edit(49, "a case removed", ("    case one\n", ""), ("    case .one: return 1\n", ""), host=[("[.one, ", "[")], gone=["one"])
edit(50, "an enum frozen", ("public enum Mode", "@frozen public enum Mode"))
edit(51, "a method of a class added", (METHODS, "    open func o() -> Int { 55 }\n" + METHODS), allowed="both")
edit(52, "methods of a class swapped", (METHODS, "    open func q() -> Int { 2 }\n    open func p() -> Int { 1 }\n"),
     allowed="both")
edit(53, "a method of a class removed", ("    open func q() -> Int { 2 }\n", ""), host=[('        print("q \\(n.q())")\n', "")],
     gone=["q"])
edit(54, "a stored property of a class added", (V, "    public var u: Int = 8\n" + V), allowed="both")
edit(55, "a superclass added", ("open class Node {\n    public init() {}",
     "open class Base {\n    public var r = 6\n    init(base: ()) {}\n}\nopen class Node: Base {\n"
     "    public init() { super.init(base: ()) }"), allowed="both")
edit(56, "a method of a class made final", ("open func q()", "public final func q()"))
edit(57, "a stored property of a class made computed", (V, "    public var v: Int {\n        get { 7 + w }\n"
     "        set { w = newValue - 7 }\n    }\n    private var w = 0\n"), allowed="both")
edit(58, "a function removed", ("public func free(_ x: Int) -> Int { x + 1 }\n", ""), gone=["free"])
edit(59, "the default value of a parameter", ("x: Int = 5", "x: Int = 6"), fresh={"standard": "6"}, allowed="both")
edit(60, "the body of an inlinable function", ("{ x * 3 }", "{ x * 4 }"), fresh={"inlined": "20"}, allowed="both")
edit(61, "a getter that may no longer throw", ("    var risky: Int { get throws }", "    var risky: Int { get }"),
     host=[("var risky: Int { get throws { 1800 } }", "var risky: Int { 1800 }"), ("(try? f.risky) ?? -1", "f.risky")],
     allowed="caller")
edit(62, "a superclass with the initialiser added", ("open class Node {\n    public init() {}",
     "open class Base {\n    public init() {}\n}\nopen class Node: Base {\n    public override init() {}"))
edit(63, "a field of a frozen struct added", ("    public init(x: Int) { self.x = x }", "    public var w = 1\n"
     "    public init(x: Int) { self.x = x }"))
edit(64, "a struct not frozen any more", ("@frozen ", ""))
edit(65, "an inlinable function removed", ("@inlinable public func inlined(_ x: Int) -> Int { x * 3 }\n", ""))


class Failure(Exception):
    pass


def run(*command, **options):
    """The output of a command that must succeed."""
    done = subprocess.run([NICE, "-n", "10", *map(str, command)], capture_output=True, text=True, **options)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command[:4]))}… ended with {done.returncode}:\n{done.stdout}{done.stderr}"[:3000])
    return done.stdout


def common():
    maps = [ROOT / f"Sources/{name}/include/module.modulemap" for name in ("CPluginSupport", "CSandbox")]
    return ["-swift-version", "6", "-I", PRODUCTS / "Modules", "-L", PRODUCTS, "-lPluginHost", "-Xlinker", "-rpath",
            "-Xlinker", PRODUCTS, *[part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")]]


def mode(optimised):
    return ["-O", "-wmo"] if optimised else ["-Onone"]


def make_api(folder, source, evolution, optimised, name="API"):
    (folder / "Modules").mkdir(parents=True)
    file = folder / f"{name}.swift"
    file.write_text(source)
    run("swiftc", "-emit-library", "-emit-module", "-parse-as-library", "-module-name", name, file, "-enable-upcoming-feature",
        "InternalImportsByDefault", "-o", folder / f"lib{name}.so", "-emit-module-path", folder / f"Modules/{name}.swiftmodule",
        "-Xlinker", f"-soname=lib{name}.so", *(["-enable-library-evolution"] if evolution else []), *mode(optimised),
        *common(), cwd=folder)


def make_plugin(folder, api, name, source, point, optimised, module="API", options=(), environment=None):
    """Compiles and packs a plug-in; returns its bundle."""
    package = folder / name
    package.mkdir(parents=True)
    (package / "Info.plist").write_bytes(plistlib.dumps({
        "CFBundleIdentifier": f"org.example.{name}", "CFBundleShortVersionString": "1.0", "CFBundleDevelopmentRegion": "en",
        "NSExecutable": name, "CFBundlePackageType": "BNDL",
        "PHFactories": [{"name": "own", "extensionPoint": f"org.example.{point}"}]}))
    (package / "Sources").mkdir()
    file = folder / f"{name}.swift"
    file.write_text(source)
    # Only for packing: the program that loads the plug-in brings the library.
    run("swiftc", "-emit-library", "-parse-as-library", "-module-name", name, file, "-o", folder / f"lib{name}.so", "-I",
        api / "Modules", "-L", api, f"-l{module}", "-Xlinker", "-rpath", "-Xlinker", api, *mode(optimised), *common())
    said = run(TOOL, "pack", "--products", folder, "--output", folder / "out", *options, package, env=environment)
    if "interfaceUnrecorded" in said and environment is None:
        raise Failure(f"The plug-in {name} was packed without a record:\n{said}")
    return folder / f"out/{name}.bundle"


IF_INLINED, UNLESS_INLINED = "keeps the old value if inlined", "refused: symbolMissing unless inlined"
EITHER = "refused: interfaceMismatch or symbolMissing"


def predicted(changes, role):
    """The worst outcome that “pluginhost diff” states for a plug-in."""
    # Symbols are resolved before anything is compared.
    ranks = ["works", "uses the default", IF_INLINED, "keeps the old value", UNLESS_INLINED, "refused: interfaceMismatch",
             EITHER, "refused: symbolMissing"]
    worst = "works"
    for change in changes:
        if not any(subject in change["subject"] for subject in SUBJECTS[role]):
            continue
        outcome = change["implementers" if role == "implementer" else "callers"]
        if outcome not in ranks:
            return outcome
        worst = max(worst, outcome, key=ranks.index)
    return worst


def agrees(said, was, optimised):
    """Whether an outcome is the predicted one."""
    if said == IF_INLINED:
        return was == ("keeps the old value" if optimised else "works")
    if said == UNLESS_INLINED:
        return was == ("works" if optimised else "refused: symbolMissing")
    return said == was or said == EITHER and was in ("refused: interfaceMismatch", "refused: symbolMissing")


def observed(program, bundle, role, one):
    """What a plug-in does in the new program."""
    done = subprocess.run([str(program), role, str(bundle)], capture_output=True, text=True, timeout=60)
    lines = dict((line.split(" ", 1) + [""])[:2] for line in done.stdout.splitlines())
    if "refused" in lines:
        return f"refused: {lines['refused']}"
    if done.returncode < 0:
        return f"crashed by signal {-done.returncode}"
    if "done" not in lines:
        return f"ended with {done.returncode}: {done.stderr[-200:]}"
    outcome = "works"
    for label, value in EXPECTED[role].items():
        if label in one.gone and label not in lines or lines.get(label) == value and label not in one.fresh:
            continue
        if label in one.fresh and lines.get(label) == value:
            outcome = "keeps the old value"
        elif label in one.fresh and lines.get(label) == one.fresh[label]:
            continue
        else:
            return f"wrong value: {label} is {lines.get(label)}, not {value}"
    for label, value in one.default.items():
        if label in lines:
            if lines[label] != value:
                return f"wrong value: {label} is {lines[label]}, not {value}"
            outcome = "uses the default"
    return outcome


def judge(one, folder, base, bundles, evolution, optimised):
    """Compiles an edit and returns a row for each role."""
    make_api(folder, Edit.replaced(API, one.api), evolution, optimised)
    source = folder / "main.swift"
    source.write_text(Edit.replaced(HOST, one.host))
    run("swiftc", "-module-name", "host", source, "-o", folder / "host", "-I", folder / "Modules", "-L", folder, "-lAPI",
        "-Xlinker", "-rpath", "-Xlinker", folder, *mode(optimised), *common())
    run(TOOL, "record", folder / "libAPI.so")
    done = subprocess.run([TOOL, "diff", "--json", base / "libAPI.so", folder / "libAPI.so"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise Failure(f"pluginhost diff ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    changes = json.loads(done.stdout)["changes"]
    rows = []
    for role in ("implementer", "caller"):
        said, was = predicted(changes, role), observed(folder / "host", bundles[role], role, one)
        faults = []
        if not agrees(said, was, optimised):
            faults.append(f"predicted “{said}”")
        if was.startswith(("wrong", "crashed", "ended")):
            faults.append("silent")
        if evolution and role in one.allowed and was.startswith("refused"):
            faults.append("library evolution allows it")
        rows.append((one, evolution, optimised, role, was, faults, changes))
    return rows


def words(evolution, optimised):
    return ("evolution" if evolution else "no evolution") + (", -O" if optimised else ", -Onone")


def campaign(root, edits, configurations):
    """All rows, and what could not be compiled."""
    bases = {}
    for number, (evolution, optimised) in enumerate(CONFIGURATIONS):
        if not any((evolution, optimised) in configurations(one) for one in edits):
            continue
        base = root / f"base{number}"
        make_api(base, API, evolution, optimised)
        run(TOOL, "record", base / "libAPI.so")
        bundles = {
            role: make_plugin(root / f"plugins{number}", base, role.capitalize(), source, point, optimised,
                              options=["--strip"])
            for role, source, point in (("implementer", IMPLEMENTER, "maker"), ("caller", CALLER, "user"))}
        bases[evolution, optimised] = (base, bundles)
    rows, broken = [], []

    def one_edit(one, evolution, optimised):
        folder = root / f"edit{one.number}-{int(evolution)}{int(optimised)}"
        try:
            return judge(one, folder, *bases[evolution, optimised], evolution, optimised)
        finally:
            if os.environ.get("EDITS_KEEP") is None:
                shutil.rmtree(folder, ignore_errors=True)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = {pool.submit(one_edit, one, *each): (one, each) for one in edits for each in configurations(one)}
        for job in concurrent.futures.as_completed(jobs):
            one, each = jobs[job]
            try:
                rows += job.result()
            except (Failure, subprocess.TimeoutExpired, AssertionError) as failure:
                broken.append(f"{one.number} {one.name}, {words(*each)}: {failure}")
    return rows, broken


def table(rows):
    """The outcomes by edit: a column for each configuration and role."""
    columns = [(*each, role) for each in CONFIGURATIONS for role in ("implementer", "caller")
               if any(row[1:3] == each for row in rows)]
    found = {(row[0].number, *row[1:4]): row[4] + (" !" if row[5] else "") for row in rows}
    names = {row[0].number: row[0].name for row in rows}
    short = {"refused: interfaceMismatch": "interface", "refused: symbolMissing": "symbol", "uses the default": "default",
             "keeps the old value": "keeps"}

    def cell(text):
        mark = text.endswith(" !")
        text = text.removesuffix(" !")
        return (short.get(text, text)[:11] + ("!" if mark else "")).ljust(12)
    print(" " * 44 + "".join(f"{'evo' if e else 'no'} {'O' if o else 'Onone'}".ljust(24) for e, o, r in columns[::2]))
    print(" " * 44 + "".join(r.ljust(12) for _, _, r in columns))
    for number, name in sorted(names.items()):
        print(f"{number:2} {name:41}" + "".join(cell(found.get((number, *column), "")) for column in columns))


# What follows makes protocols with random requirements.

def protocol(generator, name, parents):
    lines, conformance = [], []
    associated = generator.choice([0, 0, 1, 2])
    for index in range(associated):
        bound = generator.choice(["", ": Equatable", ": Hashable", ": Sendable"])
        lines.append(f"    associatedtype T{index}{bound}")
        conformance.append(f"    typealias T{index} = {generator.choice(['Int', 'String'])}")
    types = ["Int", "String", "[Int]", "(Int, Double)", "Int?", "(Int) -> Int"]
    for index in range(generator.randrange(1, 9)):
        kind = generator.randrange(9)
        effects = generator.choice(["", "", " throws", " async", " async throws"])
        result = generator.choice(types[:5])
        static = generator.choice(["", "", "", "static "])
        taken = generator.choice(types)
        taken = "@escaping " + taken if "->" in taken else taken
        letter = "abcdefghijklmnopqrstuvwxyz"[generator.randrange(26)]
        own = f"{name.lower()}{letter}{index}"
        if kind < 4:
            # Overloads of one name.
            head = f"{static}func {own if kind < 3 else 'same'}(_ x: {taken}{', y' + str(index) + ': Int' if kind == 3 else ''})"
            lines.append(f"    {head}{effects} -> {result}")
            conformance.append(f"    {head}{effects} -> {result} {{ fatalError() }}")
        elif kind == 4:
            lines.append(f"    func {own}<U: Equatable>(_ x: U, _ z: some Hashable){effects}")
            conformance.append(f"    func {own}<U: Equatable>(_ x: U, _ z: some Hashable){effects} {{}}")
        elif kind == 5:
            lines.append(f"    {static}var {own}: {result} {{ get set }}")
            conformance.append(f"    {static}var {own}: {result} {{ get {{ fatalError() }} set {{}} }}")
        elif kind == 6:
            lines.append(f"    {static}var {own}: {result} {{ get{effects} }}")
            conformance.append(f"    {static}var {own}: {result} {{ get{effects} {{ fatalError() }} }}")
        elif kind == 7:
            lines.append(f"    subscript(_ x: Int, {own} y: {result}) -> Int {{ get set }}")
            conformance.append(f"    subscript(_ x: Int, {own} y: {result}) -> Int {{ get {{ 1 }} set {{}} }}")
        else:
            lines.append(f"    init({own} x: Int){generator.choice(['', ' throws'])}")
            conformance.append(f"    init({own} x: Int) {{}}")
    inherited = generator.sample(parents, generator.choice([0, 0, 1, min(2, len(parents))])) if parents else []
    clause = ", ".join(inherited + generator.choice([[], [], ["Sendable"]]))
    head = f"public protocol {name}{': ' + clause if clause else ''} {{"
    return "\n".join([head, *lines, "}"]), conformance, inherited


def section(path, wanted):
    data = path.read_bytes()
    at, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQ", data, at + 64 * index) for index in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        if data[start:data.index(0, start)].decode() == wanted:
            return data[header[4]:header[4] + header[5]]
    raise Failure(f"{path} has no section {wanted}")


def orders(root, count, seed):
    """Compares the order of the requirements of protocols; returns the number compared and the differences."""
    generator = random.Random(seed)
    differences, compared, batch = [], 0, 30
    for start in range(0, count, batch):
        api, plugin, parents = ["public import PluginABI"], [], []
        bodies = {}
        for index in range(start, min(start + batch, count)):
            name = f"P{index}"
            text, members, inherited = protocol(generator, name, parents)
            api.append(text)
            bodies[name] = (members, inherited)
            # Only of simple ones: two associated types of one name would be one.
            if "associatedtype" not in text and "same" not in text and not inherited:
                parents.append(name)
            all_members = members + [line for parent in inherited for line in bodies[parent][0]]
            plugin.append(f"struct S{index}: {name} {{\n" + "\n".join(dict.fromkeys(all_members)) + "\n}")
        folder = root / f"order{start}"
        api.append("public protocol Point: Plugin {}\nextension ExtensionPoint where Interface == any Point {\n"
                   '    public static var point: Self { .init("org.example.point") }\n}\n')
        optimised = start % 60 == 0
        make_api(folder, "\n".join(api), False, optimised)
        used = "\n".join(f"    values.append(S{index}.self as any {name}.Type)"
                         for index, name in enumerate(bodies, start))
        source = "import API\nimport PluginABI\n" + "\n".join(plugin) + f"""
final class Own: Point {{ init(context: PluginContext) throws {{}} }}
public func used() -> [Any] {{
    var values: [Any] = []
{used}
    return values
}}
""" + ENTRY % "point"
        # Before the library has its record, and without the digester, there is nothing but the symbols.
        bundle = make_plugin(folder / "plugin", folder, "Orders", source, "point", optimised,
                             environment=os.environ | {"PATH": "/nonexistent"})
        run(TOOL, "record", folder / "libAPI.so")
        record = plistlib.loads(section(folder / "libAPI.so", ".pluginhost.interfaces"))["Modules"]["API"]["Protocols"]
        info = plistlib.loads((bundle / "Contents/Info.plist").read_bytes())
        symbols = info["PHInterfaces"]["Modules"]["API"]
        for name in bodies:
            functions = [text.removesuffix(", throws") for text in record[f"API.{name}"]["Requirements"].splitlines()
                         if not text.startswith(("protocol ", "associatedtype ", "where "))]
            found = symbols["Protocols"].get(f"API.{name}", {}).get("Requirements", "").splitlines()
            compared += 1
            if functions != found:
                place, own, other = next(row for row in zip(itertools.count(), functions + [None], found + [None])
                                         if row[1] != row[2])
                differences.append(f"{name}: requirement {place} is {own} in the module, and {other} in the plug-in")
        shutil.rmtree(folder)
    return compared, differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--only", type=int, nargs="*")
    parser.add_argument("--orders", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if not (PRODUCTS / "pluginhost").exists():
        sys.exit(f"edits: {PRODUCTS} has no pluginhost; run “make tool”")
    if options.keep:
        os.environ["EDITS_KEEP"] = "1"
    edits = [one for one in EDITS if one.number in options.only] if options.only else EDITS[::options.every]
    place = {one.number: index for index, one in enumerate(edits)}
    configurations = (lambda one: [CONFIGURATIONS[place[one.number] % 4]]) if options.one else (lambda one: CONFIGURATIONS)
    root = pathlib.Path(tempfile.mkdtemp(prefix="edits-"))
    begun = time.monotonic()
    try:
        rows, broken = campaign(root, edits, configurations)
        table(rows)
        print()
        for each in CONFIGURATIONS:
            counts = collections.Counter(row[4].split(":")[0] if row[4].startswith("wrong") else row[4]
                                         for row in rows if row[1:3] == each)
            if counts:
                print(f"{words(*each)}: " + ", ".join(f"{count} {name}" for name, count in counts.most_common()))
        failed = [row for row in rows if row[5]]
        for one, evolution, optimised, role, was, faults, changes in sorted(failed, key=lambda row: row[0].number):
            print(f"edits: error: {one.number} {one.name}, {words(evolution, optimised)}, {role}: {was}; {'; '.join(faults)}")
            for change in changes:
                print("   ", change["subject"], change["text"], "|", change["implementers"], "|", change["callers"])
        for text in broken:
            print(f"edits: error: {text}")
        print(f"{len(rows)} outcomes in {time.monotonic() - begun:.0f} s, {len(failed)} errors, {len(broken)} not compiled.")
        compared, differences = orders(root, options.orders, options.seed) if options.orders else (0, [])
        for text in differences:
            print(f"edits: error: {text}")
        print(f"{compared} protocols with random requirements, {len(differences)} in another order; "
              f"{time.monotonic() - begun:.0f} s in all.")
        sys.exit(1 if failed or broken or differences else 0)
    except Failure as failure:
        sys.exit(f"edits: error: {failure}")
    finally:
        if options.keep:
            print(f"The directory is {root}.")
        else:
            shutil.rmtree(root, ignore_errors=True)


main()
