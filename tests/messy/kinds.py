#!/usr/bin/env python3
"""kinds.py POLYTOMY FILE...: one line of kinds for each file, then its warnings."""
import json
import subprocess
import sys

for path in sys.argv[2:]:
    told = subprocess.run([sys.argv[1], "info", path, "--json"], capture_output=True, text=True)
    said = json.loads(told.stdout)
    if told.returncode:
        print("%s: refused: %s" % (path, said["text"]))
        continue
    data = said["data"]
    columns = ["%s %s" % (c["name"] or "(no name)", c["words"] + ("" if c["features"] else " (left out)"))
               for c in data["columns"]]
    print("%s: %s; %d classes of %s" % (path, "; ".join(columns), len(data["classes"]), data["label"]))
    for warning in said["warnings"]:
        print("    " + warning)
