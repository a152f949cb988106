#!/usr/bin/env python3
"""Writes the articles and the pages of docs in the form that docc reads.

In the repository they are plain Markdown, so that every viewer shows them. For docc, relative links become links by the page's
name, and code that names a symbol becomes a link to it. A link to any other file becomes text. A member that its type does not
have is an error.

usage: Scripts/articles.py CATALOGUE SYMBOLS    a copy of the catalogue, which is changed, and the symbol graphs of the modules
"""
import json, pathlib, re, sys

from pages import ARTICLES, BLOCK, CATALOGUE, INDEX, LINK, PAGES, headings, target

CODE = re.compile(r"(?<!`)`([A-Z_]\w*(?:\.\w+(?:\([\w:]*\))?)*)`(?!`)")


def symbols(folder):
    """The links to the symbols whose names are unique, and the names of all."""
    links, several = {}, set()
    for graph in sorted(folder.glob("*.symbols.json")):
        module = graph.name.split(".")[0].split("@")[-1]
        for symbol in json.loads(graph.read_text())["symbols"]:
            path = symbol["pathComponents"]
            name = ".".join(path)
            if name in links: several.add(name)
            links[name] = "/".join(path if module == "PluginHost" else ["", module, *path])
    return {name: link for name, link in links.items() if name not in several}, set(links)


class Writer:
    def __init__(self, folder):
        self.links, names = symbols(folder)
        self.types = {name for name in names if "." not in name}
        # Without the labels too: a page may write PluginCall.within for PluginCall.within(_:_:).
        self.known = names | {name.split("(")[0] for name in names} | {"NibClasses.plist"}
        self.problems = []

    def link(self, page, found):
        if not (place := target(page, found[2])): return found[0]
        file, anchor = place
        if file.suffix == ".svg": return f"[{found[1]}]({file.stem})"
        if CATALOGUE not in file.parents and file not in PAGES or file == INDEX: return found[1]
        # docc's anchors keep capitals, and have no punctuation.
        title = re.sub(r"[^\w\s-]", "", headings(file)[anchor]) if anchor else ""
        return f"[{found[1]}](doc:{file.stem}{'#' if title else ''}{re.sub(r'[ -]+', '-', title.strip())})"

    def symbol(self, page, found):
        name = found[1]
        if name in self.links: return f"``{self.links[name]}``"
        if page not in PAGES and name.split(".")[0] in self.types and not {name, name.split("(")[0]} & self.known:
            self.problems.append(f"{page.name}: no type has the member {name}")
        return found[0]

    def line(self, page, line):
        """Neither a heading nor the text of a link can contain the link of a symbol."""
        if line.startswith("#"): return line
        return CODE.sub(lambda found: self.symbol(page, found), line)

    def text(self, page):
        text, written, last = page.read_text(), "", 0
        for block in [*BLOCK.finditer(text), None]:
            prose = text[last:block.start() if block else len(text)]
            prose = LINK.sub(lambda found: self.link(page, found), prose)
            written += "\n".join(self.line(page, line) for line in prose.split("\n")) + (block[0] if block else "")
            last = block.end() if block else 0
        return written


def main():
    catalogue, folder = map(pathlib.Path, sys.argv[1:])
    writer = Writer(folder)
    for page in [*ARTICLES, *CATALOGUE.glob("Plugin???*.md"), *PAGES]:
        if page != INDEX: (catalogue / page.name).write_text(writer.text(page))
    for problem in writer.problems: print(f"articles: {problem}", file=sys.stderr)
    sys.exit(1 if writer.problems else 0)


if __name__ == "__main__":
    main()
