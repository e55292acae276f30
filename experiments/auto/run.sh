#!/bin/sh
# Automatic parameters against the searched grid: remakes RESULTS.md. See PLAN.md.
set -eu
exec python3 "$(dirname "$0")/run.py" "$@"
