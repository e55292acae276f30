# cv --time ends with the points that are finished, and says what is missing; with none it is an error.
. "$CASES/lib.sh"
cp "$DATA/iris.csv" iris.csv
t cv iris.csv --code ova --learner adaboost --stop-share 0.2 --rounds 10000000 --grid patience=5,10000000 --time 3 --resume done | sed 's/^[0-9.]* s$/S s/'
"$POLYTOMY" cv iris.csv --code ova --learner adaboost --stop-share 0.2 --rounds 10000000 --grid patience=5,10000000 --time 3 --json 2>/dev/null | grep limited
# What is done is in the checkpoint; and there is time for the model of the best point.
"$POLYTOMY" cv iris.csv --code ova --learner adaboost --stop-share 0.2 --rounds 10000000 --grid patience=5,10000000 --time 4 --resume done -v -o best 2>&1 | grep -e 'checkpoint' -e '^best' -e '^wrote'
t cv iris.csv --code ova --learner adaboost --rounds 10000000 --time 1
