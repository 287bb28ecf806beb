# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# manual.py DIRECTORY VERSION DATE: reads the output of `apus --experimental-dump-help` from standard input and writes one
# manual page for `apus` and one for each of its commands. A command with subcommands has a section for each of these.
import json
import pathlib
import sys


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    lines = [("\\&" + line) if line.startswith((".", "'")) else line for line in text.split("\n")]
    return "\n".join(lines)


def names(argument):
    return ["-" * (1 if name["kind"] == "short" else 2) + name["name"] for name in argument.get("names", [])]


def shown(command, member):
    return [element for element in command.get(member, []) if element.get("shouldDisplay", True)]


# A synopsis with more optional options than this says [OPTIONS] instead of naming them.
SYNOPSIS_LIMIT = 6


def synopsis(command, path):
    arguments = shown(command, "arguments")
    required = [argument for argument in arguments if argument["kind"] == "positional" or not argument["isOptional"]]
    words = []
    if len(arguments) - len(required) > SYNOPSIS_LIMIT:
        words, arguments = ["[\\fIOPTIONS\\fR]"], required
    for argument in arguments:
        if argument["kind"] == "positional":
            word = "\\fI" + escaped(argument["valueName"]) + "\\fR"
        else:
            word = "\\fB" + escaped(names(argument)[-1]) + "\\fR"
            if argument["kind"] == "option":
                word += " \\fI" + escaped(argument["valueName"]) + "\\fR"
        if argument["isRepeating"]:
            word += " ..."
        words.append(f"[{word}]" if argument["isOptional"] else word)
    if shown(command, "subcommands"):
        words.append("\\fICOMMAND\\fR ...")
    return [".PP", f"\\fB{escaped(path)}\\fR " + " ".join(words)]


def options(command):
    lines = []
    for argument in shown(command, "arguments"):
        if argument["kind"] == "positional":
            tag = "\\fI" + escaped(argument["valueName"]) + "\\fR"
        else:
            value = " \\fI" + escaped(argument["valueName"]) + "\\fR" if argument["kind"] == "option" else ""
            tag = ", ".join("\\fB" + escaped(name) + "\\fR" for name in names(argument)) + value
        text = argument.get("abstract", "")
        if "defaultValue" in argument and "efault" not in text:
            text += f" Default: {argument['defaultValue']}."
        lines += [".TP", tag, escaped(text) or "\\&"]
    return lines


def discussion(command):
    lines = []
    for paragraph in command.get("discussion", "").split("\n\n"):
        if paragraph:
            lines += [".PP", ".nf" if "\n" in paragraph else ".\\\"", escaped(paragraph), ".fi"]
    return lines


def section(command, path):
    """The part of a page on a subcommand, and on its own subcommands."""
    lines = [f'.SS "{escaped(path)}"', escaped(command["abstract"])]
    lines += synopsis(command, path) + discussion(command) + options(command)
    for child in shown(command, "subcommands"):
        lines += section(child, f"{path} {child['commandName']}")
    return lines


def page(command, path, version, date):
    title = path.replace(" ", "-")
    lines = [f'.TH "{escaped(title).upper()}" 1 "{date}" "Apus {version}" "Apus"']
    lines += [".SH NAME", f"{escaped(title)} \\- {escaped(command['abstract'].rstrip('.'))}"]
    lines += [".SH SYNOPSIS"] + synopsis(command, path)
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + discussion(command)
    lines += [".SH OPTIONS"] + options(command)
    children = [child for child in shown(command, "subcommands") if child["commandName"] != "help"]
    if children:
        lines.append(".SH COMMANDS")
    for child in children:
        if path == "apus":
            lines += [".TP", f"\\fBapus\\-{escaped(child['commandName'])}\\fR(1)", escaped(child["abstract"])]
        else:
            lines += section(child, f"{path} {child['commandName']}")
    return "\n".join(lines + [".SH SEE ALSO", "\\fBapus\\fR(1), /usr/share/doc/apus"]) + "\n"


directory, version, date = sys.argv[1:]
root = json.load(sys.stdin)["command"]
commands = {"apus": root}
for child in shown(root, "subcommands"):
    if child["commandName"] != "help":
        commands[f"apus {child['commandName']}"] = child
for path, command in commands.items():
    file = pathlib.Path(directory, path.replace(" ", "-") + ".1")
    file.write_text(page(command, path, version, date), encoding="utf-8")
