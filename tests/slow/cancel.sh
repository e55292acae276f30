#!/bin/sh
# tests/conformance/test_cancel.c on larger problems: wide ones, many classes, one thread, too.
#     cancel.sh POLYTOMY
set -eu
test=$(dirname "$1")/test_cancel
[ -x "$test" ] || exit 77
exec "$test" whole
