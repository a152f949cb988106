#!/usr/bin/env python3
"""Follows the tutorials step by step in an empty directory, and the page about testing plug-ins.

They use the library from its directory, which the pages of Scripts/walk.py get from an address. In a tutorial, each @Code
shows a file of its catalogue:

    name: "Terminal"          the file has commands, which run in one shell for the whole tutorial
    name: "Output"            the commands before it print these lines in this order, with … for any text in a line
    any other name            the file is written into the project under that name; the project is the shell's directory

Each file of the tutorials' Resources must be shown by one of them.

usage: Scripts/tutorials.py [--list | --keep]    as for walk.py
The tool and the demo application must have been built: make demo. Swift is compiled in the same build folder, which has the
library already.
"""
import pathlib, re, shutil, sys, tempfile

from walk import ROOT, Block, Walk, blocks, stop

TOOLS = ROOT / ".build/debug"
CATALOGUE = ROOT / "Sources/PluginHost/PluginHost.docc/Tutorials"
PAGE = "docs/testing-plugins.md"
CODE = re.compile(r'@Code\(name: "([^"]+)", file: "([^"]+)"\)')


def steps(tutorial):
    """The name and the file of each step, with its place."""
    for number, line in enumerate(tutorial.read_text().split("\n"), 1):
        if found := CODE.search(line): yield f"{tutorial.relative_to(ROOT)}:{number}", found[1], found[2]
        elif "@Code" in line: stop(f'{tutorial.name}:{number}: write a step as @Code(name: "…", file: "…").')


class Follower(Walk):
    def __init__(self, work):
        super().__init__(work)
        self.environment["SWIFTPM_BUILD_DIR"] = str(ROOT / ".build")
        self.environment["PATH"] = f"{TOOLS}:{self.environment['PATH']}"

    def project(self):
        """The shell's directory."""
        moves = re.findall(r"^cd (.*)$", self.state.read_text(), re.M)
        return pathlib.Path(moves[-1])

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
        for block in blocks(PAGE): print(f"{block.place}: {block.kind} {block.argument}".rstrip())
        return
    for program in ("pluginhost", "demo-host"):
        if not (TOOLS / program).exists(): stop(f"there is no {TOOLS / program}. Run first: make demo")
    for tutorial in [*tutorials, None]:
        work = pathlib.Path(tempfile.mkdtemp(prefix="pluginhost-tutorials."))
        try:
            follower = Follower(work)
            if tutorial:
                follower.follow(tutorial)
                continue
            for block in blocks(PAGE):
                if block.kind == "file": follower.extract(block)
                elif block.kind == "run": follower.run(block, block.text)
                elif block.kind != "fragment:": stop(f"{block.place}: this page has only files and commands.")
        finally:
            if "--keep" in sys.argv: print(f"tutorials: the directory is {work}")
            else: shutil.rmtree(work)
    print(f"tutorials: {len(shown)} files of {len(tutorials)} tutorials, and {PAGE}, work")


if __name__ == "__main__":
    main()
