#!/usr/bin/env python3
"""Prints the way of a command through the source: its functions in the order in which they are
first entered, by file and folder, and what that comes to.

    report.py RECORD       what scripts/walk/record.c wrote

A turn is a change of folder from one function to the next; base and params, which everybody asks,
are left out of turns. Folders are the first level of src/ and cli, shelves the second."""
import itertools
import pathlib
import subprocess
import sys

EVERYBODYS = {"base", "params"}
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def places(lines):
    """(name, file) of each function, in order; what is not ours is left out."""
    asked = [line.split() for line in lines]
    found = {}
    for binary, group in itertools.groupby(sorted(asked), key=lambda pair: pair[0]):
        addresses = [address for _, address in group]
        told = subprocess.run(["addr2line", "-f", "-e", binary], input="\n".join(addresses),
                              capture_output=True, text=True, check=True).stdout.split("\n")
        for address, name, place in zip(addresses, told[0::2], told[1::2]):
            path = (pathlib.Path(binary).parent / place.split(":")[0]).resolve()
            if path.is_relative_to(ROOT):
                found[binary, address] = (name, path.relative_to(ROOT))
    seen = set()
    for pair in map(tuple, asked):
        if pair in found and found[pair] not in seen:  # a loop has a copy for each processor
            seen.add(found[pair])
            yield found[pair]


def folder_of(path, levels):
    parts = path.parts[1:-1] if path.parts[0] == "src" else path.parts[:-1]
    return "/".join(parts[:levels])


def turns(way, levels):
    folders = [folder_of(path, levels) for _, path in way
               if folder_of(path, 1) not in EVERYBODYS]
    return sum(a != b for a, b in itertools.pairwise(folders))


def main():
    deepest, *lines = pathlib.Path(sys.argv[1]).read_text().splitlines()
    way = list(places(lines))
    for path, group in itertools.groupby(way, key=lambda step: step[1]):
        print(f"{str(path).removeprefix('src/'):<44} {' '.join(name for name, _ in group)}")
    files = {path for _, path in way}
    print(f"\n{len(way)} functions, {len(files)} files, "
          f"{len({folder_of(path, 1) for path in files})} folders, deepest stack {deepest}, "
          f"{turns(way, 1)} turns between folders, {turns(way, 2)} between shelves")


if __name__ == "__main__":
    main()
