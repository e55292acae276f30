# Machines compared: 5x2cv on halves, McNemar on a test set, wrong use.
. "$CASES/lib.sh"
three >three.csv
t compare three.csv --machine onelsm --machine onelsm:kernel=linear --ridge 1
# So wide a kernel sees no difference between rows: the largest class always wins.
awk 'BEGIN { print "x,class"; for (i = 0; i < 60; i++) print i % 3 ? i / 100 "," "a" : 100 + i / 100 "," "b" }' >heaps.csv
t compare heaps.csv --machine onelsm:sigma=1 --machine onelsm:sigma=1e6,ridge=1000 --ridge 1 --test heaps.csv
t compare heaps.csv --machine onelsm:sigma=1 --machine onelsm:sigma=2 --grid ridge=1,2 --folds 5 --test heaps.csv --mcnemar
"$POLYTOMY" compare heaps.csv --machine onelsm:sigma=1 --machine onelsm:sigma=1e6,ridge=1000 --ridge 1 --test heaps.csv --json >out
grep -e '"name"' -e '"p_value"' -e '"f"' -e '"f_is_infinite"' -e '"different"' -e '"n"' -e 'only"' -e '"exact":' out
"$POLYTOMY" compare "$DATA/iris.csv" --machine onelsm --machine onelsm:kernel=linear -q | grep -c 'onelsm errs less'
for threads in 1 2; do
    "$POLYTOMY" compare "$DATA/iris.csv" --machine onelsm --machine onelsm:kernel=linear --grid ridge=0.1:1.6 --threads $threads -q >out$threads
done
cmp out1 out2 && echo "threads do not matter"
"$POLYTOMY" compare "$DATA/iris.csv" --machine onelsm --machine onelsm:kernel=linear --grid ridge=0.1:1.6 --resume part -q >out3
cmp out1 out3 && echo "nor does a file that keeps results"
t compare "$DATA/iris.csv" --machine onelsm --machine onelsm:kernel=linear --grid ridge=0.1:3.2 --resume part -q | sed 's/^.*part: it is/part: it is/; 1d'
t compare three.csv --machine onelsm
t compare three.csv
t compare three.csv --machine onelsm --machine onelsm
t compare three.csv --machine onelsm --machine onelsm:ridge=1 --mcnemar
t compare three.csv --machine onelsm --machine onelsm:ridge=1 --degree 2
t compare three.csv --machine onelsm --machine onelsm:ridge=1 --test none.csv
t compare three.csv --machine onelsm:folds=3 --machine onelsm --ridge 1
# What every trial remarks is said once.
awk 'BEGIN { print "x,color,class"; for (i = 0; i < 40; i++) print i % 2 * 9 + i / 99 "," (i ? i % 4 < 2 ? "red" : "blue" : "green") "," (i % 2 ? "a" : "b") }' >colors.csv
"$POLYTOMY" compare colors.csv --machine onelsm:sigma=1 --machine onelsm:sigma=2 --ridge 1 2>&1 | grep -c 'a level that training never saw'
# A result that was changed in the file.
LC_ALL=C sed 's/machine 1 errors/machine 7 errors/' part >bad
cmp -s part bad && echo "nothing was changed"
t compare "$DATA/iris.csv" --machine onelsm --machine onelsm:kernel=linear --grid ridge=0.1:1.6 --resume bad -q | sed 1d

# By the losses of probabilities: the tests are of them, not of errors.
awk 'BEGIN { print "x,class"; for (i = 0; i < 120; i++) print i "," ((i > 60) != (i * 7 % 11 == 0) ? "b" : "a") }' >noisy.csv
awk 'BEGIN { print "x,class"; for (i = 0; i < 90; i++) print i * 4 / 3 + 0.1 "," ((i > 45) != (i * 5 % 9 == 4) ? "b" : "a") }' >other.csv
t compare noisy.csv --machine tree --machine softmax --metric log-loss --test other.csv --min-leaf 20
t compare noisy.csv --machine tree --machine softmax --metric brier --test other.csv --mcnemar --min-leaf 20
"$POLYTOMY" compare noisy.csv --machine tree --machine softmax --min-leaf 20 --metric brier --test other.csv --json >out
grep -o -e '"metric": "[a-z]*"' -e '"5x2cv"' -e '"mcnemar"' -e '"paired"' -e '"value":' -e '"values"' -e '"difference":' -e '"low"' -e '"high"' -e '"t":' -e '"different": [a-z]*' out
"$POLYTOMY" compare noisy.csv --machine softmax --machine tree --metric log-loss -q >out1
"$POLYTOMY" compare noisy.csv --machine softmax --machine tree --metric log-loss --resume kept -q >out2
"$POLYTOMY" compare noisy.csv --machine softmax --machine tree --metric log-loss --resume kept -q >out3
cmp out1 out2 && cmp out1 out3 && echo "means are kept as they were"
t compare noisy.csv --machine softmax --machine tree --metric macro-f1
# Areas under curves are of all rows at once: they choose in a grid, and errors are compared.
t compare noisy.csv --machine softmax --machine tree --metric auc-ovr
t compare noisy.csv --machine softmax --machine tree --metric auc-ovo --test other.csv --mcnemar
t compare noisy.csv --machine tree --machine tree:min-leaf=30 --metric auc-ovr --grid depth=1,3 --test other.csv
"$POLYTOMY" compare noisy.csv --machine tree --machine tree:min-leaf=30 --metric auc-ovr --grid depth=1,3 --test other.csv --json >out
grep -o -e '"metric": "[a-z_]*"' -e '"5x2cv"' -e '"mcnemar"' -e '"paired"' -e '"value":' out
