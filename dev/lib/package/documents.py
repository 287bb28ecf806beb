# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# documents.py DIRECTORY INSTALL: writes the documents of the packages to DIRECTORY: docs/ and examples/. The package has no
# README, so its steps of the first push are appended to install.md. Writes install.md to the file INSTALL once more, for
# readers without the other documents. A link to a file that is not there becomes its text. Fails if a link leads nowhere.
import pathlib
import posixpath
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
FENCED = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
# Code in backticks, or a link with its text and target. The text can contain brackets.
LINK = re.compile(r"`[^`]*`|\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
EXTERNAL = re.compile(r"https?:|mailto:")


def packaged_files():
    """The packaged files: their paths in the repository, and in the package."""
    documents = sorted(path for suffix in ("md", "yaml", "png") for path in (ROOT / "docs").rglob(f"*.{suffix}"))
    files = {path.relative_to(ROOT).as_posix(): path.relative_to(ROOT / "docs").as_posix() for path in documents}
    return files | {f"Examples/{path.name}": f"examples/{path.name}" for path in sorted((ROOT / "Examples").glob("*.py"))}


def each_link(text, replace):
    """The text with the result of replace(label, target) for each link outside of code; None keeps the link."""

    def replaced(match):
        if match[2] is None:
            return match[0]
        new = replace(match[1], match[2])
        return match[0] if new is None else new

    parts = FENCED.split(text)
    return "".join(part if index % 2 else LINK.sub(replaced, part) for index, part in enumerate(parts))


def rewritten(text, source, files):
    """A document of the repository as part of a package with these files."""

    def replace(label, target):
        path, mark, anchor = target.partition("#")
        if EXTERNAL.match(target) or not path:
            return None
        found = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if (found, anchor) == ("README.md", "first-push"):
            found = "docs/install.md"
        if found not in files:
            return label
        if found == source:
            return f"[{label}]({mark}{anchor})"
        return f"[{label}]({posixpath.relpath(files[found], posixpath.dirname(files[source]) or '.')}{mark}{anchor})"

    return each_link(text, replace)


def broken_links(directory):
    """The links of all documents in a directory that lead nowhere."""
    broken = []
    for document in sorted(directory.rglob("*.md")):

        def check(label, target):
            path = target.partition("#")[0]
            if path and not EXTERNAL.match(target) and not (document.parent / path).is_file():
                broken.append(f"{document.relative_to(directory)}: the link to {target} leads nowhere")

        each_link(document.read_text(encoding="utf-8"), check)
    return broken


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: documents.py DIRECTORY INSTALL")
    directory, install = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = packaged_files()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    steps = re.search(r"^## First push\n.*?(?=^To send to real devices)", readme, re.MULTILINE | re.DOTALL)
    if steps is None:
        sys.exit("README.md: expected a section 'First push' that ends before 'To send to real devices'")
    for source, name in files.items():
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix != ".md":
            shutil.copyfile(ROOT / source, target)
            continue
        text = (ROOT / source).read_text(encoding="utf-8")
        if source == "docs/install.md":
            text = f"{text}\n{steps[0]}"
            install.write_text(rewritten(text, source, {source: name}), encoding="utf-8")
        target.write_text(rewritten(text, source, files), encoding="utf-8")
    if broken := broken_links(directory):
        sys.exit("\n".join(broken))


if __name__ == "__main__":
    main()
