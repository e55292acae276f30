#!/usr/bin/env python3
"""Runs what a page shows: session.py TOOL SOURCE PAGE [--write] [--without-c].

A session is an indented block with lines "$ command". A command goes on in lines that begin with "> ". Every command
runs as it stands, one after the other, beside a copy of SOURCE/data in a folder of its own, and must end with 0, or
with N where it ends with "  # exit N". Where the page shows what a command prints, that is what it must print, but:

    times are any times (0.13 s); so are sizes of files (8.8 kB)
    figures differ a little between processors, whose sums are rounded in other places: one with a point may be off by
    a tenth or by 0.7, a whole one by 2, and the star of the best point may stand elsewhere
    a line "..." stands for any lines, also none; a line that ends with " ..." is the beginning of a line
    warnings may be left out, all of them; plans and progress, which slow computers print, do not count

A block ```c begins with a comment, /* NAME.c: ... */, and becomes that file; `cc` finds the header and the library by
pkg-config. --without-c leaves out what is compiled and run (a library with sanitizers is not for other compilers).
--write puts in what commands print now, where the page shows something without "..."."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INDENT = "    "


NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")


def near(shown, printed):
    """Whether two lines are the same but for what rounding does to figures."""
    mine, theirs = (NUMBER.split(" ".join(text.replace("*", " ").split())) for text in (shown, printed))
    if len(mine) != len(theirs):
        return False
    for place, (a, b) in enumerate(zip(mine, theirs)):
        if place % 2 == 0 and a != b:
            return False
        if place % 2 == 1 and a != b:
            whole = "." not in a + b and "e" not in a + b
            if abs(float(a) - float(b)) > (2 if whole else max(0.7, 0.1 * abs(float(a)))):
                return False
    return True


def masked(text):
    return re.sub(r"\d[\d.]* (s|kB|bytes)\b", r"# \1", text).rstrip()


def is_command(line):
    return line.startswith(INDENT + "$ ")


def steps(lines):
    """("c", file, text) and ("run", place, place behind the command, place behind what is shown of its output)."""
    at = 0
    while at < len(lines):
        start = at
        at += 1
        if lines[start] == "```c":
            while lines[at] != "```":
                at += 1
            name = re.match(r"/\* (\w+\.c)\b", lines[start + 1])
            if name:
                yield "c", name[1], "\n".join(lines[start + 1:at]) + "\n"
        if not is_command(lines[start]):
            continue
        while at < len(lines) and lines[at].startswith(INDENT + "> "):
            at += 1
        command_end = at
        while at < len(lines) and not is_command(lines[at]) and (lines[at].startswith(INDENT) or not lines[at]):
            at += 1
        while not lines[at - 1]:
            at -= 1
        at = max(at, command_end)
        yield "run", start, command_end, at


def matches(shown, printed):
    """Whether the lines that are shown stand for those that are printed."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[skip:]) for skip in range(len(printed) + 1))
    if not printed:
        return False
    head, line = masked(shown[0]), masked(printed[0])
    same = near(head[:-4], line[:len(head) - 4]) if head.endswith(" ...") else near(head, line)
    return same and matches(shown[1:], printed[1:])


def agrees(shown, printed):
    if matches(shown, printed):
        return True
    quiet = [line for line in printed if not line.startswith("warning: ")]
    return not any(line.startswith("warning: ") for line in shown) and matches(shown, quiet)


class Shell:
    """Remembers the folder between commands."""

    def __init__(self, tool, source, scratch):
        self.folder = scratch
        shutil.copytree(source / "data", scratch / "data")
        (scratch / "lib").mkdir()
        (scratch / "lib" / "polytomy.pc").write_text(
            f"Name: polytomy\nDescription: as built\nVersion: 0\nCflags: -I{source}/include\nLibs: -L{tool.parent} -lpolytomy\n")
        self.environment = dict(os.environ, PATH=f"{tool.parent}:{os.environ['PATH']}", LC_ALL="C",
                                PKG_CONFIG_PATH=str(scratch / "lib"), LD_LIBRARY_PATH=str(tool.parent),
                                ASAN_OPTIONS="allocator_may_return_null=1")

    def run(self, command):
        if command.startswith("cd "):
            self.folder = self.folder / command[3:].strip()
            return 0, []
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        output = done.stdout.rstrip("\n")
        lines = [line.rstrip() for line in output.split("\n")] if output else []
        return done.returncode, [line for line in lines if not re.match(r"plan: |.*: \d+ % after \d+ s$", line)]


def run_page(shell, page, lines, write, without_c):
    """(commands, how many of them are wrong, the lines of the page with what they print now)"""
    new, taken, wrong, commands = [], 0, 0, 0
    for step in steps(lines):
        if step[0] == "c":
            (shell.folder / step[1]).write_text(step[2])
            continue
        _, at, command_end, end = step
        command = "\n".join(line[len(INDENT) + 2:] for line in lines[at:command_end])
        command, _, remark = command.partition("  # ")
        if without_c and re.match(r"cc |\./", command):
            continue
        wanted = int(remark[5:]) if re.fullmatch(r"exit \d+", remark) else 0
        code, printed = shell.run(command)
        commands += 1
        shown = [line[len(INDENT):] for line in lines[command_end:end]]
        kept = not shown or any(line.rstrip().endswith("...") for line in shown) or agrees(shown, printed)
        new += lines[taken:command_end]
        new += lines[command_end:end] if kept else [INDENT + line if line else "" for line in printed]
        taken = end
        if code == wanted and (not shown or agrees(shown, printed) or (write and not kept)):
            continue
        wrong += 1
        print(f"{page.name}:{at + 1}: $ {command}\nends with {code} and prints")
        print("\n".join(printed))
    return commands, wrong, new + lines[taken:]


def main():
    tool, source, page = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as scratch:
        shell = Shell(tool, source, pathlib.Path(scratch))
        write = "--write" in sys.argv
        commands, wrong, new = run_page(shell, page, page.read_text().split("\n"), write, "--without-c" in sys.argv)
    if write:
        page.write_text("\n".join(new))
    print(f"{page.name}: {commands} commands, {wrong} wrong" if wrong else f"{page.name}: all commands run as they stand")
    sys.exit(1 if wrong or not commands else 0)


if __name__ == "__main__":
    main()
