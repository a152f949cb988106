#!/usr/bin/env python3
"""Writes the manual pages of a command-line program from its own description: pluginhost.1, pluginhost-check.1, …

swift-argument-parser prints the description for --experimental-dump-help, so a page has the same text as --help. Examples,
files and exit statuses come from manual_details.py. The date is SOURCE_DATE_EPOCH, or the date of the last commit if that
is not set.

usage: Scripts/manual.py PROGRAM FOLDER
"""
import datetime, json, os, pathlib, re, subprocess, sys

from manual_details import DETAILS, FILES

ROOT = pathlib.Path(__file__).resolve().parent.parent


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
    default = argument.get("defaultValue")
    # The default of a flag is another flag, whose text says so.
    if default and argument["kind"] != "flag":
        body += f" By default {'the current directory' if default == '.' else default}."
    return f".TP\n{head}\n{roff(body)}\n"


def paragraphs(title, items):
    return "" if not items else f".SH {title}\n" + "".join(f".TP\n{bold(head)}\n{roff(body)}\n" for head, body in items)


def details(call, arguments, inner):
    """The sections of a command that its description lacks: examples, files and exit status."""
    name = call.removeprefix("pluginhost").strip()
    if name not in DETAILS: sys.exit(f"manual: Scripts/manual_details.py has nothing about “{call}”")
    examples, statuses, files = DETAILS[name]
    if not inner:
        known = {"--" + n["name"] for a in arguments for n in a.get("names") or []}
        for _, line in examples:
            # What stands in quotation marks is the command of another program.
            for option in re.findall(r" (--[a-z-]+)", re.sub("'[^']*'", "", line)):
                if option not in known: sys.exit(f"manual: the example of “{call}” uses {option}, which does not exist")
    shown = "".join(f".PP\n{roff(text)}\n.PP\n.RS 4\n.nf\n{roff(line)}\n.fi\n.RE\n" for text, line in examples)
    return (".SH EXAMPLES\n" + shown + paragraphs("FILES", [FILES[file] for file in files])
            + paragraphs("EXIT STATUS", statuses))


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
    text += details(call, arguments, inner)
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
