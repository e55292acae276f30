# --time: the best model that it allows, exit 0, and it says so; enough time leaves no trace.
. "$CASES/lib.sh"
three >three.csv
"$POLYTOMY" train three.csv -o plain -q && "$POLYTOMY" train three.csv -o timed --time 1h -q && cmp plain timed && echo "the same model"
"$POLYTOMY" train three.csv -o timed --time 90s --json | grep -e limited
t train three.csv -o m --time 5x
t train three.csv -o m --time s
"$POLYTOMY" train three.csv -o m --time 2m -q && "$POLYTOMY" train three.csv -o m --time 90 -q && echo "minutes and seconds"
# Rows that all machines would take minutes for.
awk 'BEGIN { srand(3); print "a,b,c,class"; for (i = 0; i < 16000; i++) { x = rand(); y = rand(); z = rand(); print x "," y "," z "," (x + y * y + 0.2 * rand() > 1 ? "u" : z > 0.5 ? "v" : "w") } }' >many.csv
"$POLYTOMY" train many.csv -o m --time 6 --precision double --json >out 2>err
echo "exit $?"
grep -c -e '"limited": "time: ' out
sed 's/[0-9][0-9]* of/N of/' err
"$POLYTOMY" info m | grep limited | sed 's/[0-9][0-9]* of/N of/'
# None can be had: an error that says so, and the old file is as it was.
cp m before
"$POLYTOMY" train many.csv -o m --time 0.0001 2>/dev/null
echo "exit $?"
cmp m before && echo "as before"
# So do machines that have weights at every step, however many more there would be.
"$POLYTOMY" train "$DATA/iris.csv" -o weights --code ova --learner perceptron --epochs 1000000000 --time 2 --json >out 2>err
echo "epochs: exit $?"
grep -o -e '"limited": "time: ' out
grep -c 'the time allowed' err
# Boosting ends with the rounds that it has when time is up, and is calibrated in the same time.
for machine in '--code ova --learner adaboost' '--machine adaboost-mo'; do
    # shellcheck disable=SC2086
    "$POLYTOMY" train "$DATA/iris.csv" -o boosted $machine --rounds 10000000 --time 2 --json >out 2>err
    echo "$machine: exit $?"
    grep -o -e '"limited": "time: [0-9]* of 10000000 rounds' out | sed 's/[0-9][0-9]* of/N of/'
    # The first attempt makes ten.
    "$POLYTOMY" info boosted | awk '/limited/ { for (i = 1; i <= NF; i++) if ($i == "of") print ($(i - 1) > 10 ? "more than ten" : "few: " $0) }'
done
# One column takes long and the others are done at once: all of them fit, and nothing is limited.
awk 'BEGIN { srand(3); print "a,b,c,d,class"; for (i = 0; i < 3000; i++) { k = i % 30; v = k == 0 ? rand() * 30 : k + 0.02 * rand(); s = 6.2832 * v / 30; print sin(s) "," cos(s) "," sin(2 * s) "," rand() ",c" k } }' >uneven.csv
uneven() { "$POLYTOMY" train uneven.csv -o m --code ova --learner svm --C 1000 --sigma 0.5 --calibrate no --json "$@"; }
enough=$(uneven | awk -F '[:,]' '/"total"/ { print 8 * $2 + 1 }') # the other columns take next to nothing
uneven --time "$enough" | grep -o -e '"limited": [^,]*'
# Where choosing parameters on a few rows alone takes longer, they are those that oneLSM chooses in a moment.
awk 'BEGIN { srand(9); print "a,b,c,class"; for (i = 0; i < 3000; i++) print i % 8 + rand() "," int(i / 8) % 8 + rand() "," rand() ",c" i % 64 }' >classes.csv
"$POLYTOMY" train classes.csv -o m --machine vo-rls --time 2 --threads 1 --json >out 2>err
echo "vo-rls: exit $?"
grep -o -e '"limited": "time: [0-9]* of 3000 rows' out | sed 's/[0-9][0-9]* of/N of/'
# The largest margin, too, ends with what it has; without --kernel it is linear, also where time is short.
"$POLYTOMY" train classes.csv -o m --machine constraint --method hard --kernel rbf --sigma 0.01 --time 2 --threads 1 --json >out 2>err
echo "hard: exit $?"
grep -o -e '"limited": "time: ' out
awk 'BEGIN { srand(9); for (f = 0; f < 300; f++) printf "f%d,", f; print "class"; for (i = 0; i < 2000; i++) { for (f = 0; f < 300; f++) printf "%.2f,", rand() + (f % 20 == i % 20); print "c" i % 20 } }' >wide.csv
"$POLYTOMY" train wide.csv -o m --machine constraint --method hard --time 1 --threads 1 -q 2>/dev/null
"$POLYTOMY" info m | grep -o -e 'kernel [a-z]*'
