#!/usr/bin/env python3
"""Makes the symbols that PluginHost re-exports symbols of PluginHost.

Applications import PluginHost alone, so its documentation has the pages of those types. The compiler's own option for that
leaves out what stands in extensions. PluginABI has pages of its own, which stay.

usage: Scripts/reexported.py SYMBOLS    a directory with the symbol graphs of the modules; changed in place
"""
import json, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMPORT = re.compile(r"^@_exported public import \w+ (\w+)\.(\w+)$", re.M)


def main():
    symbols = pathlib.Path(sys.argv[1])
    types = {}
    for module, name in IMPORT.findall((ROOT / "Sources/PluginHost/Rooms.swift").read_text()):
        if module == "PluginABI":
            continue
        types.setdefault(module, set()).add(name)
    names = set().union(*types.values())
    face = symbols / "PluginHost.symbols.json"
    whole = json.loads(face.read_text())
    known = {symbol["identifier"]["precise"] for symbol in whole["symbols"]}
    for path in sorted(symbols.glob("*.symbols.json")):
        # “A” has the symbols of a module, “A@B” its extensions of types of another one.
        extender, _, extended = path.name.removesuffix(".symbols.json").partition("@")
        if (extended or extender) not in types:
            continue
        graph = json.loads(path.read_text())
        path.unlink()
        for symbol in graph["symbols"]:
            identifier = symbol["identifier"]["precise"]
            if symbol["pathComponents"][0] in names and identifier not in known:
                known.add(identifier)
                whole["symbols"].append(symbol)
        whole["relationships"] += [one for one in graph["relationships"] if one["source"] in known]
    face.write_text(json.dumps(whole))


main()
