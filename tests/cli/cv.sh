# Cross-validation: one point, grids of one, two and three axes, leave-one-out, the best model.
. "$CASES/lib.sh"
three >three.csv
t cv three.csv --sigma 2 --ridge 1 --folds 5
t cv three.csv --grid sigma=0.5,1,2 --ridge 1 --folds 5
t cv three.csv --grid ridge=2^-2:2^2,sigma=1:4 --folds 5 --repeat 3
t cv three.csv --grid ridge=1,2,sigma=1:4,labelbook=pm1,indicator --loo
t cv three.csv --grid sigma=1,2 --ridge 1 --folds 5 -o best -q
t predict best three.csv --top 1 -o labels.txt
sort labels.txt | uniq -c | sed 's/^ *//'
"$POLYTOMY" cv three.csv --grid sigma=1,2 --ridge 1 --folds 5 --json >out
grep -e '"command"' -e '"method": "[cbw][a-z]* ' -e '"error":' -e '"schema"' out
t cv three.csv --grid nothing=1
t cv three.csv --grid sigma=
t cv three.csv --grid sigma=-1:4
t cv three.csv --grid folds=2,3
t cv three.csv --folds 100
for threads in 1 2; do
    "$POLYTOMY" cv three.csv --grid ridge=1:4,sigma=1:4 --folds 5 --threads $threads | grep -v ' s$' >out$threads
done
cmp out1 out2 && echo "threads do not matter"

# A point without an answer says so, in a list and in a matrix.
"$POLYTOMY" cv three.csv --machine onelsm --kernel sigmoid --sigma 1 --grid ridge=0.5,300 --folds 5 2>/dev/null | grep 'ridge 0.5'
"$POLYTOMY" cv three.csv --machine onelsm --kernel sigmoid --grid ridge=0.5,300,sigma=1,2 --folds 5 2>/dev/null | grep '^ *0.5 '
