#!/bin/sh
# The C program of README.md: it compiles, trains, and says in one line what is wrong.
#     readme_program.sh BUILD SOURCE
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sed -n '/^```c$/,/^```$/p' "$source/README.md" | sed '/^```/d' >program.c
[ -s program.c ] || { echo "README.md has no program"; exit 1; }
compile() { # SOURCE PROGRAM
    cc -std=c11 -Wall -Wextra -Werror -I"$source/include" "$1" -o "$2" -L"$build" -lpolytomy -Wl,-rpath,"$build"
}
expect() { # WHAT THE-LINE-BEGINS-WITH PROGRAM
    if ./"$3" 2>said; then
        echo "$1 is not noticed"
        exit 1
    fi
    [ "$(wc -l <said)" -eq 1 ] && grep -q "^$2" said || { echo "$1:"; cat said; exit 1; }
}
compile program.c program
expect "a missing file" "wine.csv: cannot open" program
cp "$source/data/wine.csv" .
./program
[ -s wine.model ] || { echo "no model was written"; exit 1; }
sed 's/ridge=0.0625/ridge=none/' program.c >wrong.c
compile wrong.c wrong
expect "a wrong parameter" "polytomy: \`ridge\`: 'none' is not allowed" wrong
sed '5s/^13\.*[0-9]*,/oops,/;5s/,[^,]*$//' wine.csv >short && mv short wine.csv
expect "a row that is too short" "wine.csv:5:" program
