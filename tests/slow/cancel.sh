#!/bin/sh
# tests/conformance/test_cancel.c and test_cancel_stages.c on larger problems: wide ones, sparse ones, many
# classes, all kinds of labels, one thread, too. Both at once, each job for some seconds: a quarter of an hour.
#     cancel.sh POLYTOMY
set -eu
bin=$(cd "$(dirname "$1")" && pwd)
[ -x "$bin/test_cancel" ] && [ -x "$bin/test_cancel_stages" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" # streams are read from files here
"$bin/test_cancel" whole >machines 2>&1 &
machines=$!
status=0
"$bin/test_cancel_stages" whole || status=1
wait $machines || status=1
cat machines
exit $status
