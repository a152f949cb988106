#!/usr/bin/env python3
"""Checks that the folders of Sources/PluginHost depend on each other in one direction.

A folder uses the types and functions of those before it in ORDER, never of those after it. So a reader who goes through
the folders from the first to the last meets nothing that is explained later. Prints each use against the order with the
two files, and fails if there is one.

usage: Scripts/folders.py [--list]    with --list: also what each folder uses
"""
import collections, pathlib, re, sys

ORDER = """Rooms.swift Host Media CFunctions Bundles Quarantine Isolation Loading Nibs Catalog Services Reload
    WorkerProgram""".split()
# The policy of an application is one of its settings, and its closures get descriptions of plug-ins.
ALLOWED = {("Host", "ChosenPolicy"), ("Isolation", "PluginDescription")}
ROOT = pathlib.Path(__file__).resolve().parent.parent / "Sources/PluginHost"

MODIFIERS = r"(?:(?:public|internal|package|final|open|indirect|nonisolated)\s+|@\w+(?:\([^)\n]*\))?\s+)*"
DECLARATION = re.compile(
    rf"^{MODIFIERS}(?:(?:struct|enum|class|protocol|actor|typealias)\s+([A-Z]\w*)|func\s+([a-z]\w*))", re.M)


def code_of(path):
    """The text without comments and string literals, including interpolations."""
    text = path.read_text()
    text = re.sub(r'"""(?:.|\n)*?"""', '""', text)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"/\*(?:.|\n)*?\*/", "", text)
    return re.sub(r"//[^\n]*", "", text)


def main():
    # The documentation has files of code that its tutorials show.
    files = {path.relative_to(ROOT): code_of(path) for path in sorted(ROOT.rglob("*.swift"))
             if not path.is_relative_to(ROOT / "PluginHost.docc")}
    unplaced = sorted({path.parts[0] for path in files if path.parts[0] not in ORDER})
    if unplaced:
        sys.exit(f"error: not in ORDER of Scripts/folders.py: {', '.join(unplaced)}")
    owners = collections.defaultdict(set)
    for path, code in files.items():
        for match in DECLARATION.finditer(code):
            owners[match[1] or match[2]].add(path)
    # If two files declare a name, nobody knows which of them a use means.
    owner = {name: next(iter(paths)) for name, paths in owners.items() if len(paths) == 1}
    uses = collections.defaultdict(set)
    against = 0
    for path, code in files.items():
        types = set(re.findall(r"\b[A-Z]\w*\b", code))
        functions = set(re.findall(r"(?<![.\w])[a-z]\w*(?=\()", re.sub(r"\bfunc\s+\w+", "", code)))
        own = set(re.findall(r"\bfunc\s+(\w+)", code))
        for name in (types | functions - own) & owner.keys():
            here, there = path.parts[0], owner[name].parts[0]
            uses[here].add(there)
            if ORDER.index(there) > ORDER.index(here) and (here, name) not in ALLOWED:
                print(f"{path}: uses {name} of {owner[name]}, and {there} comes after {here}")
                against += 1
    if "--list" in sys.argv:
        for folder in ORDER:
            print(f"{folder:12} uses", *[other for other in ORDER if other in uses[folder] - {folder}])
    if against:
        sys.exit(f"error: {against} uses against the order of the folders")


main()
