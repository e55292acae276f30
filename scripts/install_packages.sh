#!/bin/sh
# Installs the packages of packages.txt that are missing.
#     scripts/install_packages.sh demo [check] [bench]
# Where all are there it does nothing, asks nothing and needs no rights. Otherwise it says what it
# installs and calls apt-get, as root or through sudo. On a system without apt-get it names them.
set -eu
list=$(dirname "$0")/../packages.txt

[ $# -gt 0 ] || { echo "usage: $0 demo|check|bench..." >&2; exit 2; }

missing=
for group in "$@"; do
    wanted=$(awk -v group="$group" '!/^#/ && $2 == group {print $1}' "$list")
    [ -n "$wanted" ] || { echo "$0: packages.txt has no group '$group'" >&2; exit 2; }
    for package in $wanted; do
        if command -v dpkg-query >/dev/null 2>&1 &&
           dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
            continue
        fi
        missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "This system has no apt-get, so nothing was installed. Needed, by their Debian names:"
    for package in $missing; do
        awk -v name="$package" '$1 == name {why = $0; sub(/^[^ ]+ +[^ ]+ +/, "", why);
                                printf "  %-24s %s\n", name, why}' "$list"
    done
    echo "Going on: they may be there under other names. The build says what it misses."
    exit 0
fi >&2

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
    [ -z "${CI:-}" ] || as_root="sudo -n" # nobody is there to type a password
else
    echo "Missing packages:$missing" >&2
    echo "Neither root nor sudo is at hand; ask an administrator for: apt-get install$missing" >&2
    exit 1
fi

echo "Installing with ${as_root:+$as_root }apt-get (the list with reasons is packages.txt):$missing"
export DEBIAN_FRONTEND=noninteractive
run_apt() {
    # -E keeps DEBIAN_FRONTEND; apt-get must never wait for an answer.
    ${as_root:+$as_root -E} apt-get -q -y "$@" </dev/null
}
run_apt update
# shellcheck disable=SC2086 # one argument per package
run_apt install --no-install-recommends $missing
