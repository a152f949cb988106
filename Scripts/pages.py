#!/usr/bin/env python3
"""Checks the links between the pages, or copies the pages for an installation.

check: a link in a page must lead to a file and, if it has an anchor, to a heading of that file. A page of docs that a source
names must exist, and so must the heading that is named after it, as in: docs/bundle-format.md, "Limits", or in a
message “the page bundle-format.md”, as the installed pages are in another directory. The index,
docs/README.md, and the topics for docc, PluginHost.md, must have a link to each page of docs and to each article.

copy: writes the pages of docs and, in the folder “articles”, the articles. A link to a file that is not copied becomes text.

usage: Scripts/pages.py check              the pages of the project
       Scripts/pages.py copy DIRECTORY
       Scripts/pages.py check DIRECTORY    pages that were copied
"""
import os, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "Sources/PluginHost/PluginHost.docc"
# The pages of the two modules are lists of symbols.
ARTICLES = [page for page in sorted(CATALOGUE.glob("*.md")) if page.stem not in ("PluginHost", "PluginABI")]
PAGES = sorted((ROOT / "docs").glob("*.md"))
INDEX = ROOT / "docs/README.md"
TOPICS = CATALOGUE / "PluginHost.md"
# The places of the copies. The index gives its name to the project's README. CHANGELOG.md is not copied, because debhelper
# would make it the package's changelog.
COPIED = {ROOT / name: name for name in ("README.md", "SECURITY.md")} | {
    page: page.name for page in PAGES} | {INDEX: "index.md"} | {page: f"articles/{page.name}" for page in ARTICLES} | {
    image: f"articles/Resources/{image.name}" for image in (CATALOGUE / "Resources").glob("*.svg")}
BLOCK = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
LINK = re.compile(r"\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^()\s]+)\)")
NAMED = re.compile(r"(?:docs/|the page )([\w-]+\.md)(?:(?:,| shows under)\s+(?:/// )?[\"“]([^\"”]+)[\"”])?")


def without_blocks(text):
    """The text with blanks in place of its blocks of code, so that line numbers stay the same."""
    return BLOCK.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def headings(page):
    """The headings of a page by their anchors, which are those of GitHub and GitLab."""
    found = {}
    for title in re.findall(r"^#+ (.+)$", without_blocks(page.read_text()), re.M):
        title = re.sub(r"[`*]", "", title)
        anchor = base = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = 0
        while anchor in found:
            number += 1
            anchor = f"{base}-{number}"
        found[anchor] = title
    return found


def target(page, address):
    """The file and the anchor of a relative link; None for an address elsewhere."""
    if re.match(r"\w+:", address): return None
    name, _, anchor = address.partition("#")
    return (pathlib.Path(os.path.normpath(page.parent / name)) if name else page), anchor


class Check:
    def __init__(self, root):
        self.root, self.problems, self.linked, self.known = root, [], {}, {}

    def report(self, page, text, found, problem):
        self.problems.append(f"{page.relative_to(self.root)}:{text.count(chr(10), 0, found.start()) + 1}: {problem}")

    def titles(self, page):
        return self.known.setdefault(page, headings(page))

    def links(self, page):
        text = page.read_text()
        for found in LINK.finditer(without_blocks(text)):
            if not (place := target(page, found[2])): continue
            file, anchor = place
            self.linked.setdefault(page, set()).add(file)
            if not file.exists(): self.report(page, text, found, f"there is no {found[2]}")
            elif anchor and anchor not in self.titles(file): self.report(page, text, found, f"no heading has the anchor of {found[2]}")

    def names(self, page):
        text = page.read_text()
        for found in NAMED.finditer(text):
            file, title = ROOT / "docs" / found[1], re.sub(r"\s+(/// )?", " ", found[2] or "").rstrip(",.")
            if not file.exists(): self.report(page, text, found, f"there is no docs/{found[1]}")
            elif title and title not in self.titles(file).values():
                self.report(page, text, found, f"docs/{found[1]} has no heading “{title}”")


def check_project():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True,
                           stdout=subprocess.PIPE).stdout.decode().split("\0")[:-1]
    check = Check(ROOT)
    for page in map(ROOT.joinpath, names):
        if not page.is_file(): continue
        if page.suffix in (".c", ".h", ".hpp", ".md", ".py", ".sh", ".swift"): check.names(page)
        if page.suffix == ".md" and "Templates" not in page.parts: check.links(page)
    return check.problems + [f"{list.relative_to(ROOT)}: there is no link to {page.relative_to(ROOT)}"
                             for list in (INDEX, TOPICS) for page in [*PAGES, *ARTICLES]
                             if page not in check.linked[list] | {INDEX}]


def check_copy(directory):
    check = Check(directory)
    for page in sorted(directory.rglob("*.md")): check.links(page)
    return check.problems + [f"there is no {name}" for name in COPIED.values() if not (directory / name).exists()]


def copy(directory):
    for page, name in COPIED.items():
        def moved(found):
            if not (place := target(page, found[2])): return found[0]
            file, anchor = place
            if file not in COPIED: return found[1]
            address = os.path.relpath(COPIED[file], os.path.dirname(name)) if file != page else ""
            return f"[{found[1]}]({address}{'#' if anchor else ''}{anchor})"

        copied = directory / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix != ".md": copied.write_bytes(page.read_bytes())
        else: copied.write_text(LINK.sub(moved, re.sub(r"^ *<!-- walk: .* -->\n", "", page.read_text(), flags=re.M)))
        copied.chmod(0o644)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "copy": return copy(pathlib.Path(sys.argv[2]))
    if len(sys.argv) not in (2, 3) or sys.argv[1] != "check": sys.exit(__doc__)
    problems = check_copy(pathlib.Path(sys.argv[2])) if len(sys.argv) == 3 else check_project()
    for problem in problems: print(f"pages.py: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
