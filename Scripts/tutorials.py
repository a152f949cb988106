#!/usr/bin/env python3
"""Follows the tutorials step by step in an empty directory, and the pages about testing plug-ins, the first application and
settings.

They use the library from its directory, which the pages of Scripts/walk.py get from an address. In a tutorial, each @Code
shows a file of its catalogue:

    name: "Terminal"          the file has commands, which run in one shell for the whole tutorial
    name: "Output"            the commands before it print these lines in this order, with … for any text in a line
    any other name            the file is written into the project under that name; the project is the shell's directory

Each file of the tutorials' Resources must be shown by one of them.

usage: Scripts/tutorials.py [--list | --keep]    as for walk.py
       Scripts/tutorials.py --installed BIN      only the page about the first application, with an installed pluginhost
The tool and the demo application must have been built: make demo. Swift is compiled in the same build folder, which has the
library already. Blocks marked with “walk: installed” are left out there, because they build in release.
"""
import os, pathlib, re, shutil, subprocess, sys, tempfile

from walk import ROOT, Block, Walk, blocks, stop

TOOLS = ROOT / ".build/debug"
CATALOGUE = ROOT / "Sources/PluginHost/PluginHost.docc/Tutorials"
APPLICATION = "docs/first-application.md"
PAGES = ["docs/testing-plugins.md", APPLICATION, "docs/settings.md"]
# Swift and C of a page that walk.py follows too: it compiles them there.
COMPILED = ("body", "top", "alone", "c", "c-body")
CODE = re.compile(r'@Code\(name: "([^"]+)", file: "([^"]+)"\)')


def steps(tutorial):
    """The name and the file of each step, with its place."""
    for number, line in enumerate(tutorial.read_text().split("\n"), 1):
        if found := CODE.search(line): yield f"{tutorial.relative_to(ROOT)}:{number}", found[1], found[2]
        elif "@Code" in line: stop(f'{tutorial.name}:{number}: write a step as @Code(name: "…", file: "…").')


class Follower(Walk):
    def __init__(self, work, installed=None):
        super().__init__(work)
        # A sandboxed plug-in of root runs as nobody, who must be able to enter the project.
        work.chmod(0o755)
        if not installed: self.environment["SWIFTPM_BUILD_DIR"] = str(ROOT / ".build")
        else: del self.environment["SWIFTPM_BUILD_DIR"]
        self.environment["PATH"] = f"{installed or TOOLS}:{os.environ['PATH']}"

    def project(self):
        """The shell's directory."""
        if not self.state.exists(): return self.directory
        moves = re.findall(r"^cd (.*)$", self.state.read_text(), re.M)
        return pathlib.Path(moves[-1])

    def page(self, page, isInstalled=False):
        """Each block where it stands: a page may change a file that its commands have made."""
        if not isInstalled: subprocess.run([ROOT / "Scripts/replan.sh", ROOT / ".build"], check=True)
        for block in blocks(page):
            marks = set(block.marks)
            if "installed" in marks and not isInstalled: continue
            if block.kind == "file": self.write(self.project() / block.argument, block.text.partition("\n")[2])
            elif block.kind == "run": self.run(block, block.text)
            elif block.kind == "in": self.compare(block)
            elif block.kind not in ("fragment:", *COMPILED): stop(f"{block.place}: this page has only files, excerpts and commands.")

    def compare(self, block):
        """The lines must follow each other in the file; the excerpt may be indented less."""
        lines = [[line.strip() for line in text.strip().split("\n")]
                 for text in (block.text, (self.project() / block.argument).read_text())]
        places = range(len(lines[1]) - len(lines[0]) + 1)
        if not any(lines[1][place:place + len(lines[0])] == lines[0] for place in places):
            stop(f"{block.place}: {block.argument} does not have these lines.")

    def without_second_plugin(self):
        """What the page about the first application says of a plug-in that is taken out again."""
        commands = """
rm -r Plugins/Whisper
sed -i 's/"Signature", "Whisper"\\]/"Signature"]/' Package.swift
swift package bundle
[ ! -e "$(swift build --show-bin-path)/Plugins/Whisper.bundle" ]
"""
        block = Block("Scripts/tutorials.py", 0, "sh", commands, ["prints Whisper.bundle: removed"])
        block.place = "a plug-in that is taken out again"
        self.run(block, commands)

    def remote_interfaces(self):
        """What the page about the first application says of “swift package remote-interfaces”, when something is wrong."""
        source = "NotesAPI/Sources/NotesAPI/TextFilter.swift"
        refused = "swift package remote-interfaces {} > said 2>&1 && exit 1; cat said"
        for title, commands, *prints in [
            # The old proxies do not compile with this, as they do with a method that has a default.
            ("a changed requirement", f"""
sed -i 's/func filter(_ text: String) throws/func filter(_ text: String, times: Int) throws/' {source}
sed -i 's/try filter("Hello")/try filter("Hello", times: 2)/' {source}
cp NotesAPI/Sources/NotesAPI/Proxies.swift before
{refused.format("--check")}
cmp before NotesAPI/Sources/NotesAPI/Proxies.swift
swift package remote-interfaces
swift build --target NotesAPI
""", "Proxies.swift: out of date", "Proxies.swift: written", "Build of target: 'NotesAPI' complete"),
            # Nothing of the old proxies compiles, nor does the line that names one.
            ("a protocol with another name", f"""
sed -i 's/TextFilter/LineFilter/g' {source}
swift package remote-interfaces 2>&1 | tee said
! grep 'error:' said
swift build --target NotesAPI
sed -i 's/LineFilter/TextFilter/g' {source}
swift package remote-interfaces
""", "Proxies.swift: written", "Build of target: 'NotesAPI' complete"),
            ("a requirement that cannot cross", f"""
cp NotesAPI/Sources/NotesAPI/Proxies.swift before
sed -i 's/    func example() throws -> String$/&; func size() -> Int/' {source}
{refused.format("")}
cmp before NotesAPI/Sources/NotesAPI/Proxies.swift
""", "TextFilter.size() does not throw", "Nothing was written."),
            ("no interface", f"""
{refused.format("--target Nobody")}
sed -i 's/extension ExtensionPoint where/extension  ExtensionPoint where/' {source}
{refused.format("")}
""", "There is no target “Nobody” with Swift sources, only Signature, NotesAPI.",
             "No source of Signature, NotesAPI declares an extension point"),
        ]:
            block = Block("Scripts/tutorials.py", 0, "sh", commands, [f"prints {text}" for text in prints])
            block.place = f"remote-interfaces, {title}"
            self.run(block, commands)

    def staged(self):
        """The staged program in a root file system that has only what the page names, as root and as another user."""
        if os.geteuid() != 0: return print("tutorials: only root can try the staged program in a root file system of its own")
        commands = """
root=$PWD/build/root
mkdir -p $root/proc $root/dev $root/etc $root/opt
mkdir -m 1777 $root/home
cp -al build/Notes $root/opt
ldd build/Notes/bin/notes build/Notes/lib/*.so* | sed -nE 's/^\\s*(.* => )?(\\/[^ ]+) \\(0x.*/\\2/p' | sort -u > libraries
grep -v "^$PWD" libraries | while read -r file; do mkdir -p $root${file%/*}; cp -L $file $root$file; done
mknod -m 666 $root/dev/null c 1 3
echo nobody:x:65534:65534::/:/ > $root/etc/passwd
echo staged > $root/etc/hostname
for user in 0:0 1000:1000; do
    start="mount -t proc proc $root/proc; exec env -i HOME=/home/$user LC_ALL=C.UTF-8"
    run="$(command -v chroot) --userspec=$user $root /opt/Notes/bin/notes"
    unshare -m sh -c "$start LANGUAGE=fr $run signature Bonjour"
    printf 'yes\\nno\\n' | unshare -m sh -c "$start $run --sandboxed signature Hello"
    unshare -m sh -c "$start $run --sandboxed whisper Hello"
done > said
cat said
for text in 'Écrit sur staged.' 'Sent from staged.' 'Sent from a computer.'; do [ "$(grep -cFx "$text" said)" = 2 ]; done
"""
        block = Block("Scripts/tutorials.py", 0, "sh", commands, ["prints Sent from staged."])
        block.place = "the staged program in a root file system"
        self.run(block, commands)

    def follow(self, tutorial):
        found = list(steps(tutorial))
        for index, (place, name, file) in enumerate(found):
            text = (CATALOGUE / "Resources" / file).read_text()
            if name == "Output": continue
            if name != "Terminal":
                self.write(self.project() / name, text)
                continue
            following = found[index + 1] if index + 1 < len(found) else ("", "", "")
            expected = (CATALOGUE / "Resources" / following[2]).read_text() if following[1] == "Output" else ""
            block = Block(place, 0, "sh", text, [])
            block.place = place
            output = self.run(block, text)
            printed = iter(output.splitlines())
            for line in expected.splitlines():
                pattern = re.compile(".*".join(re.escape(part) for part in line.split("…")))
                if not any(pattern.fullmatch(one.rstrip()) for one in printed):
                    stop(f"{following[0]}: “{line}” does not follow in\n{output}")


def main():
    tutorials = sorted(CATALOGUE.glob("Your*.tutorial"))
    shown = {file for tutorial in tutorials for _, _, file in steps(tutorial)}
    present = {path.name for path in (CATALOGUE / "Resources").iterdir()}
    if shown != present: stop(f"files of one side only, of the steps and of Resources: {sorted(shown ^ present)}")
    if "--list" in sys.argv:
        for tutorial in tutorials:
            for place, name, file in steps(tutorial): print(f"{place}: {name}: {file}")
        for page in PAGES:
            for block in blocks(page): print(f"{block.place}: {block.kind} {block.argument}".rstrip())
        return
    if "--installed" in sys.argv:
        tools = pathlib.Path(sys.argv[sys.argv.index("--installed") + 1]).resolve()
        if not (tools / "pluginhost").exists(): stop(f"there is no {tools / 'pluginhost'}.")
        def body(follower):
            follower.page(APPLICATION, isInstalled=True)
            follower.staged()
        followed(body, tools)
        print(f"tutorials: {APPLICATION} works with {tools / 'pluginhost'}")
        return
    for program in ("pluginhost", "demo-host"):
        if not (TOOLS / program).exists(): stop(f"there is no {TOOLS / program}. Run first: make demo")
    for tutorial in tutorials: followed(lambda follower: follower.follow(tutorial))
    for page in PAGES:
        def body(follower):
            follower.page(page)
            if page != APPLICATION: return
            follower.without_second_plugin()
            follower.remote_interfaces()
        try: followed(body)
        # The bundles beside the program, where the demo application would find them too.
        finally:
            shutil.rmtree(TOOLS / "Plugins", ignore_errors=True)
            # Tests build others of this name, and would find these.
            for file in [TOOLS / "libNotesAPI.so", *(TOOLS / "Modules").glob("NotesAPI.*")]: file.unlink(missing_ok=True)
    print(f"tutorials: {len(shown)} files of {len(tutorials)} tutorials, and {', '.join(PAGES)}, work")


def followed(body, installed=None):
    """Follows something in a directory of its own."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="pluginhost-tutorials."))
    try: body(Follower(work, installed))
    finally:
        if "--keep" in sys.argv: print(f"tutorials: the directory is {work}")
        else: shutil.rmtree(work)


if __name__ == "__main__":
    main()
