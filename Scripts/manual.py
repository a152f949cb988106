#!/usr/bin/env python3
"""Writes the manual pages of a command-line program from its own description: pluginhost.1, pluginhost-check.1, …

swift-argument-parser prints the description for --experimental-dump-help, so a page has the same text as --help. The date
is SOURCE_DATE_EPOCH, or the date of the last commit if that is not set.

usage: Scripts/manual.py PROGRAM FOLDER
"""
import datetime, json, os, pathlib, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The same for each command; docs/command-line.md has it in full.
STATUS = [("0", "All is well. Warnings alone are well too, unless --strict is given."),
          ("1", "Problems were found in a bundle."),
          ("2", "Wrong use, no directory at a path that was given, or output that cannot be written.")]


def roff(text):
    """Escapes a text for roff, so that it contains no command and only characters that every roff knows."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(c if ord(c) < 0x7F else f"\\[u{ord(c):04X}]" for c in text)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def bold(text): return f"\\fB{roff(text)}\\fR"
def italic(text): return f"\\fI{roff(text)}\\fR"


def spelled(argument, name):
    """One spelling of an option, with its value."""
    text = bold(("-" if name["kind"] == "short" else "-" if name["kind"] == "longWithSingleDash" else "--") + name["name"])
    return f"{text} {italic(argument['valueName'])}" if argument["kind"] == "option" else text


def usage(argument):
    if argument["kind"] == "positional": text = italic(argument["valueName"])
    else: text = spelled(argument, argument["preferredName"])
    if argument["isRepeating"]: text += " ..."
    return f"[{text}]" if argument["isOptional"] else text


def described(argument):
    """The paragraph of an argument: its spellings, then what it does."""
    if argument["kind"] == "positional": head = italic(argument["valueName"])
    else: head = ", ".join(spelled(argument, name) for name in argument["names"])
    body = " ".join(filter(None, [argument.get("abstract"), argument.get("discussion")]))
    values = argument.get("allValues")
    if values and not all(value in body for value in values): body += f" One of: {', '.join(values)}."
    if argument.get("defaultValue"): body += f" By default {argument['defaultValue']}."
    return f".TP\n{head}\n{roff(body)}\n"


def page(command, parents, version, date):
    names = [*parents, command["commandName"]]
    name, call = "-".join(names), " ".join(names)
    arguments = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    inner = [c for c in command.get("subcommands", []) if c.get("shouldDisplay", True) and c["commandName"] != "help"]
    abstract = command.get("abstract", "").rstrip(".")
    text = f".TH {name.upper()} 1 {date} \"pluginhost {version}\" \"User Commands\"\n"
    text += ".nh\n.ad l\n"
    text += f".SH NAME\n{roff(name)} \\- {roff(abstract[:1].lower() + abstract[1:])}\n"
    text += ".SH SYNOPSIS\n" + bold(call) + (" " + italic("command") + " ..." if inner else "") + "\n"
    text += "".join(usage(a) + "\n" for a in arguments)
    if command.get("discussion"): text += ".SH DESCRIPTION\n" + roff(command["discussion"]) + "\n"
    if inner:
        text += ".SH COMMANDS\n"
        for c in inner: text += f".TP\n{bold(c['commandName'])}\n{roff(c.get('abstract', ''))}\n"
    if arguments: text += ".SH OPTIONS\n" + "".join(map(described, arguments))
    text += ".SH EXIT STATUS\n" + "".join(f".TP\n{bold(status)}\n{roff(meaning)}\n" for status, meaning in STATUS)
    others = ["-".join([*names, c["commandName"]]) for c in inner] or ["-".join(parents)]
    text += ".SH SEE ALSO\n" + ",\n".join(f"{bold(other)}(1)" for other in others) + "\n"
    yield f"{name}.1", text
    for c in inner: yield from page(c, names, version, date)


def main():
    if len(sys.argv) != 3: sys.exit(__doc__)
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    described = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, stdout=subprocess.PIPE).stdout)
    if described.get("serializationVersion") != 0:
        sys.exit("manual: the program describes itself in a form that this script does not know")
    version = subprocess.run([ROOT / "Scripts/version.sh"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--format=%ct"], text=True, stdout=subprocess.PIPE).stdout.strip()
    date = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch else datetime.datetime.now()
    for name, text in page(described["command"], [], version, date.strftime("%Y-%m-%d")):
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
