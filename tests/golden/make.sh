#!/bin/sh
# Makes golden models for the current version of the file format: tests/golden/v<version>-<what>.model with
# its data, labels and scores. Run it when the format changes, with a new version number; what is there
# already is never made again, since later versions must read what earlier ones wrote.
#
#     tests/golden/make.sh build/polytomy 2
#
# v1: the preparation is JSON. v2: it is arrays; texts and hashed columns beside the others.
set -eu
tool=$(realpath "$1")
version=$2
cd "$(dirname "$0")"

# make NAME ENDING OPTION...: data on standard input
make() {
    name=v$version-$1 ending=$2
    shift 2
    if [ -e "$name.model" ]; then
        cat >/dev/null
        return 0
    fi
    cat >"$name.$ending"
    "$tool" train "$name.$ending" -o "$name.model" "$@" >/dev/null
    "$tool" predict "$name.model" "$name.$ending" >"$name.labels"
    "$tool" predict "$name.model" "$name.$ending" --scores >"$name.scores"
}

# Every sixth iris: a Gaussian, scaled, float32 factor.
awk 'NR == 1 || NR % 6 == 0' ../../data/iris.csv |
    make dense-rbf csv --kernel rbf --sigma 0.7 --ridge 0.05 --labelbook consistency

# Every ninth wine: linear, solved in the primal, in double.
awk 'NR == 1 || NR % 9 == 0' ../../data/wine.csv |
    make linear-primal csv --kernel linear --ridge 0.3 --scale standard --precision double

# Sparse rows under a Gaussian: the file keeps the rows in compressed form.
make sparse svm --kernel rbf --sigma 1.5 --ridge 0.1 <<'DATA'
spam 1:1 4:0.5 9:2
ham 2:1 4:1
spam 1:0.75 9:1.5
ham 2:0.5 3:0.25
news 5:1 6:1 7:1
news 5:0.5 7:2
spam 1:1.25 8:0.125
ham 3:1
news 6:1.5
ham 2:1 3:1 8:0.25
DATA

# Nominal columns, missing cells, class names that need care.
make mixed csv --kernel rbf --sigma 1 --ridge 0.1 --missing indicator --class-weight balanced <<'DATA'
length,colour,"width, mm",kind
1.5,red,2,ä b
2.5,blue,,x y
1.25,red,3,ä b
2.75,green,1,x y
,red,2.5,ä b
3,blue,1.5,x y
0.5,?,2,third
0.25,green,1,third
0.75,green,?,third
DATA

# A code whose columns are SVMs, sharing their support vectors, with probabilities.
awk 'NR == 1 || NR % 6 == 1' ../../data/iris.csv |
    make code-svm csv --code ovo --learner svm --kernel rbf --sigma 0.8 --C 2 --decode hinge

# All columns boosted at once: stumps on raw rows, nominal and missing cells.
mixed='length,colour,width,kind
1.5,red,2,a
2.5,blue,,b
1.25,red,3,a
2.75,green,1,b
,red,2.5,a
3,blue,1.5,b
0.5,?,2,c
0.25,green,1,c
0.75,green,?,c
1.75,red,2.25,a
2.25,blue,1.25,b
0.5,green,1.5,c'
printf '%s\n' "$mixed" | make boosting csv --machine adaboost-mh --rounds 8

# Many trees in one model: a boosted sum of trees for each column of a code.
awk 'NR == 1 || NR % 5 == 2' ../../data/wine.csv |
    make forest csv --code ova --learner adaboost --depth 2 --rounds 4

# The multiclass machine of Crammer and Singer, by kernel values.
awk 'NR == 1 || NR % 6 == 2' ../../data/iris.csv |
    make spoc csv --machine spoc --kernel rbf --sigma 0.9 --C 3

# A continuous code, designed on the outputs of its columns.
awk 'NR == 1 || NR % 6 == 3' ../../data/iris.csv |
    make designed csv --machine designed --learner ls --kernel rbf --sigma 0.7 --ridge 0.1 --code ordinal --design-C 1 --design-folds 3

# One function for each class from constraints on pairs, and a bias.
awk 'NR == 1 || NR % 8 == 4' ../../data/wine.csv |
    make constraint csv --machine constraint --C 0.5

# A stream, learned from one example after the other.
make online svm --online --update pa <<'DATA'
spam 1:1 4:0.5 9:2
ham 2:1 4:1
spam 1:0.75 9:1.5
ham 2:0.5 3:0.25
news 5:1 6:1 7:1
news 5:0.5 7:2
spam 1:1.25 8:0.125
ham 3:1
news 6:1.5
ham 2:1 3:1 8:0.25
DATA

[ "$version" -ge 2 ] || exit 0

# Words that are counted, and levels of which the rare are one.
awk 'BEGIN {
    split("lovely kind superb", good, " "); split("awful cold rude", bad, " ")
    split("the room was near our lake with bus and food", word, " "); print "city,remark,class"
    for (i = 0; i < 80; i++) {
        s = ""
        for (j = 0; j < 7; j++) s = s word[(i * 7 + j * j * 3 + i * j) % 10 + 1] " "
        print "c" i * i % 7 "," s (i % 2 ? good[i % 3 + 1] : bad[i % 3 + 1]) " number" i "," (i % 2 ? "good" : "bad")
    } }' |
    make words csv --text --text-bits 5 --max-levels 3 --kernel linear --ridge 0.1

# Columns that are hashed, in a stream.
make hashed svm --online --update pa --hash-bits 5 <<'DATA'
spam 1:1 4:0.5 9000:2
ham 2:1 4:1
spam 1:0.75 9000:1.5
ham 2:0.5 3:0.25
news 5:1 6:1 700000:1
news 5:0.5 700000:2
DATA

# Weighted rows, which the file keeps held-out rows of (sections q.*).
make held-out csv --weight times --kernel rbf --sigma 1 --ridge 0.1 <<'DATA'
x,y,times,class
0,0,2,a
0.5,1,1,a
1,0.25,3,a
2,2,1,b
2.5,1.5,2,b
3,2.25,1,b
1.5,1.75,0.5,a
1.25,1.25,1.5,b
DATA
