# Automatic parameters: nested folds give the answer, the optimistic error stands beside it.
. "$CASES/lib.sh"
three >three.csv
t cv three.csv --folds 5
t cv three.csv --folds 5 -q
t cv three.csv --folds 5 --repeat 2
t cv three.csv --grid sigma=0.5,1,2 --ridge 1 --folds 5 --nested
t cv three.csv --machine onelsm --machine rank-ls --machine onelsm:ridge=1,sigma=1 --folds 5
"$POLYTOMY" cv three.csv --folds 5 --json >out
grep -e '_error"' -e '"error":' out | head -3
# Nothing is chosen: nothing is nested.
"$POLYTOMY" cv three.csv --folds 5 --sigma 1 --ridge 1 --json | grep -e nested_error
for threads in 1 2; do
    "$POLYTOMY" cv three.csv --folds 5 --threads $threads | grep -v ' s$' >out$threads
done
cmp out1 out2 && echo "threads do not matter"
# Where a fold leaves one class, nested folds that nobody asked for are left out; those that somebody did say why.
printf 'a,class\n1,x\n2,y\n' >two.csv
t cv two.csv | sed 's/^[0-9.]* s$/S s/'
t cv two.csv --nested
# By a metric: that of nested folds, too.
awk 'BEGIN { print "x,y,class"; for (i = 0; i < 90; i++) print i * 7 % 20 "," i * 11 % 13 "," (i % 9 == 4 ? "rare" : i * 7 % 20 + i % 5 > 11 ? "b" : "a") }' >rare.csv
t cv rare.csv --folds 5 --metric macro-f1 | sed 's/^[0-9.]* s$/S s/'
t cv rare.csv --folds 5 --metric balanced-error --repeat 2 -q
t cv rare.csv --machine tree --grid depth=1,3 --folds 5 --metric macro-f1 --nested -q
"$POLYTOMY" cv rare.csv --folds 5 --metric macro-f1 --json | grep -e '^  "[a-z_]*macro_f1"' -e '^  "[a-z_]*error"' | cut -d: -f1
"$POLYTOMY" cv rare.csv --folds 5 --metric log-loss --nested -q | sed 's/0\.[0-9]*/_/'
