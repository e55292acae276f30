#!/usr/bin/env python3
"""Runs what a page shows: session.py TOOL DATA PAGE [--write].

A session is an indented block with lines "$ command". Every command runs as it stands, one after the other, beside a copy of
DATA in a folder of its own, and must end with 0; where the page shows what a command prints, that is what it must print,
times apart. --write puts in what they print now."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INDENT = "    "


def is_command(line):
    return line.startswith(INDENT + "$ ")


def masked(text):
    return re.sub(r"\d+\.\d+ s\b", "# s", text)


def steps(lines):
    """(place of the command, place behind what is shown of its output)"""
    for at, line in enumerate(lines):
        if not is_command(line):
            continue
        end = at + 1
        while end < len(lines) and not is_command(lines[end]) and (lines[end].startswith(INDENT) or not lines[end]):
            end += 1
        while not lines[end - 1]:
            end -= 1
        yield at, end


class Shell:
    """Remembers the folder between commands."""

    def __init__(self, tool, folder):
        self.folder = folder
        self.environment = dict(os.environ, PATH=f"{tool.parent}:{os.environ['PATH']}", LC_ALL="C")

    def run(self, command):
        if command.startswith("cd "):
            self.folder = self.folder / command[3:].strip()
            return 0, ""
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout


def main():
    tool, data, page = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
    lines = page.read_text().split("\n")
    new, taken, wrong, commands = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(data, pathlib.Path(scratch) / "data")
        shell = Shell(tool, pathlib.Path(scratch))
        for at, end in steps(lines):
            command = lines[at][len(INDENT) + 2:].split("  # ")[0]
            code, output = shell.run(command)
            commands += 1
            shown = [line[len(INDENT):] for line in lines[at + 1:end]]
            printed = [line.rstrip() for line in output.rstrip("\n").split("\n")] if output else []
            new += lines[taken:at + 1] + ([INDENT + line if line else "" for line in printed] if shown else [])
            taken = end
            same = not shown or masked("\n".join(shown)) == masked("\n".join(printed))
            if code == 0 and (same or "--write" in sys.argv):
                continue
            wrong += 1
            print(f"{page.name}:{at + 1}: $ {command}\nends with {code} and prints\n{output}")
    if "--write" in sys.argv:
        page.write_text("\n".join(new + lines[taken:]))
    print(f"{page.name}: {commands} commands, {wrong} wrong" if wrong else f"{page.name}: all commands run as they stand")
    sys.exit(1 if wrong or not commands else 0)


if __name__ == "__main__":
    main()
