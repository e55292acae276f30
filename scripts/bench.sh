#!/bin/sh
# `make bench`: the peers' newest releases in a virtual environment (once), then bench/run.py.
#     scripts/bench.sh [ARGUMENTS of bench/run.py]
set -eu
cd "$(dirname "$0")/.."
venv=build/bench-venv

# Debian's python sees Debian's scikit-learn and pandas; the environment has the newest ones.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if ! cmp -s bench/requirements.txt "$venv/requirements.txt"; then
    echo "Fetching the peers of bench/requirements.txt into $venv"
    rm -rf "$venv"
    if "$python" -m venv "$venv" && "$venv/bin/pip" install -q -r bench/requirements.txt; then
        cp bench/requirements.txt "$venv/"
    else
        echo "The newest peers could not be fetched; only Debian's are measured." >&2
        rm -rf "$venv"
    fi
fi
exec "$python" bench/run.py "$@"
