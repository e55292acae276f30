#!/usr/bin/env python3
"""Options that the pages name are options of the tool: options.py TOOL PAGE... A line "polytomy COMMAND ..." may only have those that
COMMAND takes; a `--name` elsewhere is one of some command."""
import json
import pathlib
import re
import subprocess
import sys


def known(tool):
    """{command: its options}"""
    table = json.loads(subprocess.run([tool, "help", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    common = {option["name"] for option in table["common_options"]}
    group = {parameter["name"]: parameter["group"] for parameter in table["parameters"]}
    takes = {}
    for command in table["commands"]:
        own = {option["name"] for option in command["options"]}
        groups, names = command["groups"].split(","), (command["parameters"] or "").split(",")
        takes[command["name"]] = common | own | {name for name in group if group[name] in groups or name in names}
    return takes


OTHERS = {"cflags", "libs", "preset", "workflow", "build", "target", "test-dir", "output-on-failure", "needed", "prefix", "version-script", "static", "install"}  # of compilers, cmake and the like


def main():
    takes = known(sys.argv[1])
    anywhere = set().union(*takes.values()) | OTHERS
    wrong = 0
    for page in map(pathlib.Path, sys.argv[2:]):
        for number, line in enumerate(page.read_text().split("\n"), 1):
            for part in re.split(r"[`|;]| \. ", line):
                called = re.match(r"\s*(?:\$ )?(?:\S*/)?polytomy (code design|[a-z-]+)( .*)", part)
                command = called and called[1].replace(" ", "-")
                options = takes.get(command, anywhere) if called else anywhere
                if part.lstrip().startswith("scripts/") or "clang" in part:
                    continue
                for name in re.findall(r"(?<![\w-])--([A-Za-z]\w*(?:-\w+)*)(?![\w-])", part):
                    if name not in options:
                        wrong += 1
                        print(f"{page.name}:{number}: {command or 'no command'} has no --{name}")
    print("every option is one" if not wrong else f"{wrong} options are none")


if __name__ == "__main__":
    main()
