#!/usr/bin/env python3
"""Checks that readers can find each public symbol: the lists of topics must have each type and function of the modules.

Members appear on the page of their type automatically. Underscored symbols, and extensions that only add a conformance,
have no page.

usage: Scripts/topics.py CATALOGUE SYMBOL-GRAPHS
"""
import json, pathlib, re, sys

catalogue, graphs = map(pathlib.Path, sys.argv[1:])
listed = set()
for page in catalogue.rglob("*.md"):
    topics = page.read_text().partition("\n## Topics\n")[2]
    listed |= {link.split("/")[-1] for link in re.findall(r"^- ``/?(\S+?)``", topics, re.M)}

unlisted = []
modules = 0
for graph in graphs.glob("*.symbols.json"):
    if "@" in graph.name:
        continue  # extensions of other modules' types
    modules += 1
    for symbol in json.loads(graph.read_text())["symbols"]:
        path = symbol["pathComponents"]
        if len(path) == 1 and not path[0].startswith("_") and path[0] not in listed:
            unlisted.append(f"{graph.name.split('.')[0]}: {symbol['kind']['displayName']} {path[0]}")
if not modules or not listed:
    sys.exit(f"topics: there are no symbols in {graphs}, or no topics in {catalogue}")
for symbol in sorted(unlisted):
    print(f"topics: {symbol} is public, but in no list of topics of {catalogue}", file=sys.stderr)
sys.exit(1 if unlisted else 0)
