#!/usr/bin/env python3
"""Follows the instructions in the pages, in an empty directory, as a newcomer would.

Takes every code block of the pages below. The kind of a block follows from its text, or from an HTML comment before it,
which readers do not see:

    // Loud/Package.swift             (a first line, or a second one) the block is that file
    a block of sh                     commands, run in the order of the pages in one shell
    a block of xml                    a part of an Info.plist, which the linter reads
    <!-- walk: body A: B -->          Swift statements, compiled in a function with these parameters
    <!-- walk: top -->                Swift declarations, compiled beside the other blocks
    <!-- walk: alone -->              a Swift file, compiled as a module of its own
    <!-- walk: c DECLARATIONS -->     C, compiled after plugin_abi.h and these declarations
    <!-- walk: c-body DECLARATIONS -->  the same, in a function that has the host
    <!-- walk: stringsdict -->        a part of a .stringsdict, which the linter reads
    <!-- walk: in FILE -->            lines of a file that the commands have made, whatever their indent
    <!-- walk: fragment: REASON -->   none of these, and why
    <!-- walk: first COMMAND -->      run before the block: what the sentences around it say
    <!-- walk: prints TEXT -->        the commands of the block print that

The library comes from a git repository of its own, made of this checkout and tagged 0.1.0, at the address in the pages.
At the end the host is built against a later version, whose PluginABI has one more requirement and stored property, and
loads the plug-in that was built against 0.1.0.

usage: Scripts/walk.py [--list | --keep]    --list: the blocks and their kinds; --keep: leave the directory
The tool and the demo application must have been built: make build plugins.
"""
import os, pathlib, re, shutil, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ADDRESS = "https://example.org/PluginHost.git"
# In the order in which commands are run: later pages use what the first pages build.
PAGES = ["docs/abi.md", "README.md", "Plugins/README.md", "Examples/README.md",
         "docs/bundle-format.md", "docs/settings.md", "docs/command-line.md", "docs/json.md",
         "docs/translators.md", "docs/nib-format.md", "docs/nib-c.md", "docs/administrators.md",
         "docs/installing.md", "docs/isolation.md", "docs/implementation.md",
         "docs/faults.md",
         "CONTRIBUTING.md", "SECURITY.md",
         "CHANGELOG.md",
         *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "Sources/PluginHost/PluginHost.docc").glob("*.md"))]
TOOLS = ROOT / ".build-all/release"
KINDS = "body top alone in c c-body stringsdict fragment:".split()
# The application that the Swift blocks assume around them.
GIVEN = """
public import PluginABI
public import PluginHost
public import TextAPI
public struct Menu {
    public mutating func add(_ name: String) {}
    public mutating func show(_ filters: [PluginExtension<any TextFilter>]) {}
}
public protocol SpellChecker: Plugin, Sendable { func corrected(_ text: String) -> String }
extension ExtensionPoint where Interface == any SpellChecker {
    public static var spelling: Self { .init("org.example.spelling") }
}
public protocol ImageSource: Plugin {}
public enum Device { public static func open(logger: PluginLogger) throws {}; public static func close() {} }
public final class Reporter: Plugin { public init(context: PluginContext) {} }
@c(checksum_entry) public func checksum_entry(_ host: UnsafePointer<plugin_host>) -> plugin_status { 0 }
"""
# The C header of that application.
GIVEN_HEADER = """
#include <stdint.h>
typedef struct counter_functions {
    struct { uint32_t size, version; } header;
    uint64_t (*add)(void *instance, uint64_t number);
} counter_functions;
"""
IMPORTS = "import CGiven\nimport Given\nimport PluginABI\nimport PluginHost\nimport TextAPI\n"


class Block:
    def __init__(self, page, line, language, text, marks):
        self.page, self.line, self.language, self.text, self.marks = page, line, language, text, marks
        self.place = f"{page}:{line}"
        kinds = [mark for mark in marks if mark.split()[0] in KINDS]
        named = re.match(r"(?://.*\n)?(?://|/\*|#) (\S*[./]\S*\.\w+|\w+\.[a-z]+)( \*/)?\n", text)
        if len(kinds) > 1: stop(f"{self.place}: the block has several kinds: {', '.join(kinds)}. Keep one.")
        if kinds: self.kind, _, self.argument = kinds[0].partition(" ")
        elif named: self.kind, self.argument = "file", named[1]
        elif language == "sh": self.kind, self.argument = "run", ""
        elif language == "xml": self.kind, self.argument = "plist", ""
        else: stop(f"{self.place}: the block is neither a file nor a command. Mark it with “walk: body”, “walk: fragment: "
                   "WHY” or another mark of Scripts/walk.py.")
        if self.kind == "fragment:" and not self.argument: stop(f"{self.place}: a fragment needs its reason.")

    def every(self, verb):
        return [mark[len(verb) + 1:] for mark in self.marks if mark.startswith(verb + " ")]


def stop(message):
    sys.exit(f"walk: error: {message}")


def blocks(page):
    marks, lines = [], (ROOT / page).read_text().split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if mark := re.fullmatch(r"\s*<!-- walk: (.*\S) -->", line):
            marks.append(mark[1])
        elif fence := re.match(r"(\s*)```(\w*)$", line):
            end = next(i for i in range(number, len(lines)) if lines[i].strip() == "```")
            text = "".join(text.removeprefix(fence[1]) + "\n" for text in lines[number:end])
            yield Block(page, number + 1, fence[2], text, marks)
            marks, number = [], end + 1
        elif line.strip():
            if marks: stop(f"{page}:{number}: no block follows this mark of the walk.")


class Walk:
    def __init__(self, work):
        self.work = work
        self.start = time.monotonic()
        self.state = work / "state"
        self.home = work / "home"
        self.home.mkdir()
        keep = {name: os.environ[name] for name in ("PATH", "TERM", "TMPDIR", "SWIFT_EXEC") if name in os.environ}
        self.environment = keep | {
            # Foundation, and so the package manager, looks for the home directory in the second one first.
            "HOME": str(self.home), "CFFIXED_USER_HOME": str(self.home), "LANG": "C.UTF-8",
            "PATH": f"{TOOLS}:{keep['PATH']}", "PLUGINHOST": str(ROOT),
            # One build folder for all packages, so that the library is compiled once.
            "SWIFTPM_BUILD_DIR": str(work / "build"),
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_VALUE_0": ADDRESS,
            "GIT_CONFIG_KEY_0": f"url.file://{work}/PluginHost.insteadOf",
        }
        self.directory = work / "walk"
        self.directory.mkdir()

    def skip_optimiser(self):
        """The pages build with “-c release”. To optimise the library takes much longer than to compile it, twice in a walk,
        and changes nothing that the pages show."""
        real = pathlib.Path(self.environment.get("SWIFT_EXEC") or shutil.which("swiftc"))
        # The package manager looks for libraries of the toolchain beside the compiler.
        compiler = self.work / "toolchain/bin/swiftc"
        compiler.parent.mkdir(parents=True)
        (self.work / "toolchain/lib").symlink_to(real.resolve().parent.parent / "lib")
        compiler.write_text(f"""#!/bin/bash
for argument; do
    shift
    [ "$argument" != -O ] || argument=-Onone
    set -- "$@" "$argument"
done
exec "{real}" "$@"
""")
        compiler.chmod(0o755)
        self.environment["SWIFT_EXEC"] = str(compiler)

    def command(self, *arguments, text=None):
        run = subprocess.run(arguments, cwd=self.directory, env=self.environment, input=text, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return run.returncode, run.stdout

    def repository(self):
        """The library as its users get it."""
        target = self.work / "PluginHost"
        target.mkdir()
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--",
                                "Package.swift", "Sources"], check=True, stdout=subprocess.PIPE).stdout
        for name in files.decode().split("\0")[:-1]:
            if (ROOT / name).exists():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, target / name)
        self.tag("0.1.0", "init", "-q")

    def tag(self, version, *before):
        for arguments in (before, ("add", "-A"), ("commit", "-qm", version), ("tag", version)):
            if arguments:
                subprocess.run(["git", "-C", self.work / "PluginHost", "-c", "user.name=walk",
                                "-c", "user.email=walk@example.org", *arguments], check=True)

    def extract(self, block):
        path = self.directory / block.argument
        if path.exists() and path.read_text() != block.text:
            stop(f"{block.place}: {block.argument} differs from the same file on another page.")
        self.write(path, block.text)
        if path.name == "Package.swift" and not (path.parent / ".build").is_symlink():
            # The name of the build folder in the pages.
            (path.parent / ".build").symlink_to(self.work / "build")

    def write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, block, text):
        """Commands in one shell for all pages: variables and the directory stay. Returns what they print."""
        first, *others = text.strip().splitlines()
        seconds = round(time.monotonic() - self.start)
        print(f"walk: after {seconds} s, {block.place}: {first}{' …' if others else ''}", flush=True)
        after = f'{{ export -p; echo cd "$(printf %q "$PWD")"; }} > {self.state}'
        script = f"[ ! -e {self.state} ] || . {self.state}\nset -eu\n{text}\n{after}\n"
        status, output = self.command("bash", "-c", script)
        if status: stop(f"{block.place}: ended with {status} and printed\n{output}")
        for wanted in block.every("prints") if text == block.text else []:
            if wanted not in output: stop(f"{block.place}: “{wanted}” does not appear in\n{output}")
        return output

    def lint(self, block, type):
        text = f'<?xml version="1.0"?>\n<plist version="1.0"><dict>\n{block.text}</dict></plist>\n'
        path = self.directory / f"lint/{len(os.listdir(self.directory))}-{block.line}/" / (
            "Info.plist" if type == "plist" else "Localizable.stringsdict")
        self.write(path, text)
        status, output = self.command("pluginhost", "lint", "--strict", str(path))
        if status: stop(f"{block.place}: the linter says\n{output}")

    def compile_c(self, block):
        body = block.text if block.kind == "c" else (
            f"void fragment(const plugin_host *host);\nvoid fragment(const plugin_host *host) {{\n{block.text}}}\n")
        text = f'#include "plugin_abi.h"\n{block.argument}\n#line {block.line} "{block.page}"\n{body}'
        status, output = self.command(
            "clang", "-x", "c", "-std=c11", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-function",
            "-I", str(ROOT / "Sources/CPluginSupport/include"), "-", text=text)
        if status: stop(f"{block.place}: does not compile\n{output}")

    def compile_swift(self, found):
        """All Swift blocks as one package."""
        folder, targets = self.directory / "Blocks", []
        self.write(folder / "Sources/Given/Given.swift", GIVEN)
        self.write(folder / "Sources/CGiven/include/given.h", GIVEN_HEADER)
        self.write(folder / "Sources/CGiven/given.c", '#include "given.h"\n')
        for number, block in enumerate(found):
            line = f'#sourceLocation(file: "{block.page}", line: {block.line})\n'
            if block.kind == "alone":
                targets.append(f"Alone{number}")
                self.write(folder / f"Sources/Alone{number}/Block.swift", line + block.text)
                continue
            text = line + block.text
            if block.kind == "body":
                text = f"func block{number}({block.argument}) async throws {{\n{text}}}\n"
            self.write(folder / f"Sources/Blocks/Block{number}.swift", IMPORTS + text)
        products = ", ".join(f'.product(name: "{name}", package: "{name}")' for name in ("PluginHost", "TextAPI"))
        alone = "".join(f', .target(name: "{name}", dependencies: [{products}])' for name in targets)
        self.write(folder / "Package.swift", f"""// swift-tools-version: 6.3
import PackageDescription
let package = Package(
    name: "Blocks",
    dependencies: [.package(url: "{ADDRESS}", from: "0.1.0"), .package(name: "TextAPI", path: "../TextAPI")],
    targets: [
        .target(name: "CGiven"),
        .target(name: "Given", dependencies: [{products}]),
        .target(name: "Blocks", dependencies: ["CGiven", "Given", {products}]){alone}
    ])
""")
        print(f"walk: compiling {len(found)} blocks of Swift", flush=True)
        status, output = self.command("swift", "build", "--package-path", "Blocks", "-c", "release")
        if status: stop(f"a block does not compile:\n{output}")

    def demo_api(self):
        """The demonstration's API as its users get it: a package that depends on the library by its address."""
        target = self.directory / "DemoAPI"
        shutil.copytree(ROOT / "Examples/DemoAPI", target, ignore=shutil.ignore_patterns(".build"))
        manifest = (target / "Package.swift").read_text()
        changed = re.sub(
            r'\.package\(name: "PluginHost", path: "[./]*"\)', f'.package(url: "{ADDRESS}", from: "0.1.0")', manifest)
        if changed == manifest: stop("Examples/DemoAPI/Package.swift depends on the library in an unknown way.")
        self.write(target / "Package.swift", changed)

    def later(self):
        """A host that was built against a later version loads the plug-in that was built against 0.1.0."""
        print("walk: building the host against 0.2.0", flush=True)
        abi = self.work / "PluginHost/Sources/PluginABI"
        for name, place, added in [
            ("Plugin.swift", "    /// Creates an object.\n", "    /// Added in 0.2.0.\n    func retire() -> String\n\n"),
            ("PluginContext.swift", "    let services: any PluginContextServices\n", "    let addedLater = [1, 2, 3]\n"),
        ]:
            text = (abi / name).read_text()
            if text.count(place) != 1: stop(f"{name} does not have “{place.strip()}” once: no later version can be made")
            text = text.replace(place, added + place)
            if name == "Plugin.swift":
                text += 'extension Plugin {\n    public func retire() -> String { "retired by default" }\n}\n'
            (abi / name).write_text(text)
        self.tag("0.2.0")
        host = self.directory / "Workbench"
        (host / "Package.resolved").unlink(missing_ok=True)
        manifest, main = host / "Package.swift", host / "Sources/workbench/main.swift"
        manifest.write_text(manifest.read_text().replace('from: "0.1.0"', 'exact: "0.2.0"'))
        call = "        let object = try filter.make()"
        text = main.read_text()
        if call not in text: stop("README.md's host does not make its filter in the way that the walk expects")
        main.write_text(text.replace(call, call + "; print(object.retire())"))
        status, output = self.command(
            "bash", "-euc", "swift build --package-path Workbench -c release; Workbench/.build/release/workbench")
        if status or "retired by default\nuppercase HELLO\n" not in output:
            stop(f"the plug-in of 0.1.0 does not run with PluginABI 0.2.0:\n{output}")


def main():
    found = [block for page in PAGES for block in blocks(page)]
    if "--list" in sys.argv:
        for block in found: print(f"{block.place}: {block.kind} {block.argument}".rstrip())
        return
    for program in ("pluginhost", "demo-host"):
        if not (TOOLS / program).exists(): stop(f"there is no {TOOLS / program}. Run first: make build plugins")
    if not (ROOT / "build/Plugins").exists(): stop("there is no build/Plugins. Run first: make plugins")
    work = pathlib.Path(tempfile.mkdtemp(prefix="pluginhost-walk."))
    try:
        walk = Walk(work)
        walk.skip_optimiser()
        walk.repository()
        walk.demo_api()
        # A page may use files of another page.
        for block in found:
            if block.kind == "file" and not block.every("first"): walk.extract(block)
        for block in found:
            for command in block.every("first"): walk.run(block, command + "\n")
            if block.kind == "run": walk.run(block, block.text)
            elif block.kind == "file": walk.extract(block)
            elif block.kind in ("c", "c-body"): walk.compile_c(block)
            elif block.kind in ("plist", "stringsdict"): walk.lint(block, block.kind)
        walk.compile_swift([block for block in found if block.kind in ("body", "top", "alone")])
        walk.later()
    finally:
        if "--keep" in sys.argv: print(f"walk: the directory is {work}")
        else: shutil.rmtree(work)
    kinds = [block.kind for block in found]
    print(f"walk: {len(found)} blocks of {len(PAGES)} pages work; {kinds.count('fragment:')} are fragments")


if __name__ == "__main__":
    main()
