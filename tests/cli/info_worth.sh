# Coefficients of linear machines and gains of trees.
. "$CASES/lib.sh"
worth()
{
    "$POLYTOMY" info "$@" | sed -n '/^scores: \|^outputs: \|^columns that/,/^$/p'
}
three | sed -e '1s/^/color,/' -e '2,$s/^/red,/' -e '3~4s/^red/blue/' -e '5~7s/^red/green/' >rows.csv
quiet train rows.csv -o m --machine softmax --scale none --calibrate no --C 0.1
worth m | sed -e 's/\([0-9]\.[0-9]\)[0-9]*/\1/g'
"$POLYTOMY" info m --json | sed -n -e '/coefficients_of/p' -e '/"coefficients"/,/"terms"/p' | sed -e 's/\(\.[0-9]\)[0-9]*/\1/'
# Outputs of a code, of pairs, of its columns by number; more than twenty, and ten terms.
quiet train rows.csv -o m --code ovo --learner linear-svm --calibrate no
worth m | cut -d : -f 1
quiet train rows.csv -o m --code complete --learner logistic --calibrate no
worth m | cut -d : -f 1
awk 'BEGIN { for (j = 1; j < 13; j++) printf "x%d,", j; print "class"
    for (i = 0; i < 66; i++) { for (j = 1; j < 13; j++) printf "%d,", (i * j * 7) % 23; print i % 22 } }' >wide.csv
quiet train wide.csv -o m --machine softmax --calibrate no --C 0.1
worth m | tail -n 1
worth m | grep -c ', \.\.\.'
worth m -v | grep -c ', \.\.\.'
worth m -v | wc -l
# Trees; boosting; a model of before.
quiet train rows.csv -o m --machine tree --calibrate no
worth m
"$POLYTOMY" info m --json | sed -n '/"gains"/,/\]/p' | sed -e 's/\(\.[0-9]\{4\}\)[0-9]*/\1/'
quiet train rows.csv -o m --machine adaboost-mh --rounds 4 --calibrate no
worth m | head -n 2 | cut -d : -f 1
worth "$CASES/../golden/v2-forest.model" | head -n 3
# Neither.
quiet train rows.csv -o m --sigma 2 --ridge 1 --calibrate no
worth m
"$POLYTOMY" info m --json | grep -c -e coefficients -e gains || true
