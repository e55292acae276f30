# Training that begins with a model: train --start.
. "$CASES/lib.sh"
three >three.csv
# Boosting goes on to the same machine as all rounds at once: only what it began with differs.
arrays()
{
    "$POLYTOMY" info "$1" --json --all | grep -v -e '"total"' -e '"start"' -e '"metadata"' -e '"model"'
}
quiet train three.csv -o ten --machine adaboost-mo --rounds 10
quiet train three.csv -o four --machine adaboost-mo --rounds 4
t train three.csv -o on --start four --rounds 10 | sed '/^wrote/d'
arrays ten >a
arrays on >b
cmp a b && echo same
"$POLYTOMY" info on | grep start
"$POLYTOMY" info on --json | grep '"start"'
# Of a path only the name is kept.
quiet train three.csv -o on --start ./four --rounds 10
"$POLYTOMY" info on --json | grep '"start"'
t train three.csv -o on --start four --rounds 3
# Another C; what is not set is as in the model.
quiet train three.csv -o soft --machine softmax --calibrate no --scale standard
t train three.csv -o on --start soft --C 2 | sed '/^wrote/d'
t train three.csv -o on --start soft --machine spoc
t train three.csv -o on --start soft --scale none
t train three.csv -o on --start none -q
t train three.csv -o on --start missing.model
t train three.csv -o on --start three.csv
# Duals begin with the coefficients of rows, which a linear kernel does not leave.
quiet train three.csv -o rows --machine vo-svm --sigma 1 --calibrate no
t train three.csv -o on --start rows --C 2 --calibrate no
quiet train three.csv -o columns --machine ww --kernel linear --calibrate no
t train three.csv -o on --start columns --C 2
quiet train three.csv -o columns --learner svm --kernel linear --calibrate no
t train three.csv -o on --start columns --C 2
quiet train three.csv -o hard --machine constraint --method hard --calibrate no
t train three.csv -o on --start hard
quiet train three.csv -o one --machine softmax --penalty l1 --calibrate no
t train three.csv -o on --start one --C 2 --calibrate no
# Others cannot, and say who can.
quiet train three.csv -o ls
t train three.csv -o on --start ls
# Other classes, other columns.
sed 's/c$/d/' three.csv >other.csv
t train other.csv -o on --start soft
sed -e '1s/x,/z,/' three.csv >named.csv
t train named.csv -o on --start soft
# What holds rows out does not take it.
t cv three.csv --start soft
t compare three.csv --machine softmax --machine spoc --start soft
# A stream begins with a checkpoint, not with a model.
t train --online three.csv -o on --start soft
