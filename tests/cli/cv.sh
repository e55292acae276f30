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

# Errors and rows of each fold; scores of all points where they are asked for.
"$POLYTOMY" cv three.csv --grid sigma=1,2 --ridge 1 --folds 5 --repeat 2 --keep-scores all --json >out
python3 - out <<'END'
import json, sys
found = json.load(open(sys.argv[1]))
for point in found["grid"]:
    folds = zip(point["fold_errors"], found["fold_rows"])
    errors = [sum(e * n for e, n in zip(*fold)) / sum(fold[1]) for fold in folds]
    print(len(errors), all(abs(a - b) < 1e-12 for a, b in zip(errors, point["errors"])),
          point["standard_error"] >= 0, len(point["scores"]), len(point["scores"][0]))
print("scores" in found["best"], [sum(rows) for rows in found["fold_rows"]])
END
t cv three.csv --grid sigma=1,2 --ridge 1 --keep-scores all --resume work
t cv three.csv --keep-scores some

# Machines of folds that did not converge: each remark once, with how many it concerns.
cat >mixed.csv <<'END'
x,y,class
2,0,b
1,0,a
1.2,0,a
1.4,0,a
2.6,0,a
2.8,0,a
3,0,a
0,5,b
1,5,b
2,5,b
1,6,b
2,6,b
END
"$POLYTOMY" cv mixed.csv --machine constraint --method online --update perceptron --epochs 0 --folds 4 2>&1 | grep suffice
"$POLYTOMY" cv mixed.csv --machine constraint --method online --update perceptron --epochs 0 --folds 4 --json 2>/dev/null |
    grep -e suffice -e convergence
