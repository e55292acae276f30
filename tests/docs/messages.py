#!/usr/bin/env python3
"""Every message that docs/troubleshooting.md quotes is in the source: messages.py SOURCE.

A message is a heading ### `text`; "..." in it stands for what differs from case to case. Its parts must be in one text
of src/ or cli/, in that order; the texts of C that stand side by side are one. The page quotes what the tool prints,
which shows the parameters that the library names, `ridge` and `header=no`, as options (cli/cli_words.c)."""
import pathlib
import re
import sys

LITERAL = r'"(?:[^"\\\n]|\\.)*"'


def as_printed(text):
    return re.sub(r"`([A-Za-z%][\w-]*)(?:=([^`]*))?`",
                  lambda name: "--" + name[1] + (" " + name[2] if name[2] else ""), text)


def texts(source):
    for folder in ("src", "cli"):
        for file in (source / folder).rglob("*.[ch]"):
            code = re.sub(r"/\*.*?\*/", " ", file.read_text(), flags=re.S)
            for run in re.findall(rf"{LITERAL}(?:\s*(?:PRI\w+\s*)?{LITERAL})*", code):
                yield as_printed("".join(part[1:-1] for part in re.findall(LITERAL, run)).replace('\\"', '"'))


def main():
    source = pathlib.Path(sys.argv[1])
    page = source / "docs" / "troubleshooting.md"
    known = list(texts(source))
    messages = re.findall(r"^### `(.*)`$", page.read_text(), flags=re.M)
    absent = []
    for message in messages:
        parts = [re.escape(part.strip()) for part in message.split("...") if part.strip()]
        wanted = re.compile(".*?".join(parts), re.S)
        if not any(wanted.search(text) for text in known):
            absent.append(message)
    for message in absent:
        print(f"troubleshooting.md quotes what no part of the source says: {message}")
    print(f"{len(messages)} messages, {len(absent)} of them unknown")
    sys.exit(1 if absent or len(messages) < 30 else 0)


if __name__ == "__main__":
    main()
