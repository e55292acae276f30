#!/bin/sh
# Every machine, reader and command with faults of memory and files, and killed: tests/torture.
#     torture.sh POLYTOMY
exec "$(dirname "$0")/../torture/torture.py" --all "$1"
