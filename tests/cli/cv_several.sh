# Several machines on the same folds: their table, their own and common parameters, the best model.
. "$CASES/lib.sh"
three >three.csv
t cv three.csv --machine onelsm:kernel=linear --machine onelsm:sigma=2 --machine onelsm:labelbook=indicator --ridge 1 --grid sigma=1,2 --folds 5 --repeat 2
t cv three.csv --machine onelsm:kernel=linear --machine onelsm --ridge 1 --sigma 2 --folds 5 -q -o best
"$POLYTOMY" info best | grep -e '^onelsm:'
t cv three.csv --machine onelsm --machine onelsm:ridge=2 --grid degree=1,2
t cv three.csv --machine onelsm --machine onelsm:ridge=2 --degree 2
t train three.csv --machine onelsm --machine onelsm -o m
"$POLYTOMY" cv three.csv --machine onelsm:kernel=linear --machine onelsm:sigma=2 --ridge 1 --folds 5 --json >out
grep -e '"command"' -e '"name"' -e '"method": "[cbw][a-z]* ' -e '^ *"error' out
# Several folds of one machine alone are the same folds as with others.
"$POLYTOMY" cv three.csv --machine onelsm:sigma=0.1,ridge=9 --folds 3 --repeat 3 -q
"$POLYTOMY" cv three.csv --machine onelsm:sigma=0.1,ridge=9 --machine onelsm:sigma=0.1,ridge=9 --folds 3 --repeat 3 -q
t cv three.csv --sigma 2 --ridge 1 --folds 6 --scale-per-fold
t cv three.csv --grid sigma=2,4 --folds 5
# The folds are the same for all: no machine has its own.
t cv three.csv --machine onelsm:folds=3 --machine onelsm --ridge 1
t cv three.csv --machine onelsm --machine elm:seed=2
