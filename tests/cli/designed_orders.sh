# The machine `designed` on sets, rankings and pairs: trained, saved, predicted, judged; refusals.
. "$CASES/lib.sh"
cat >sets.csv <<'END'
x,y,labels
0,0,a;b
0.1,0.2,a;b
0.2,0.1,a;b
0.1,0,a;b
0.3,0,a;b
5,0,b;c
5.1,0.2,b;c
5.2,0.1,b;c
5.1,0,b;c
5.3,0,b;c
0,5,b
0.1,5.2,b
0.2,5.1,b
0.1,5,b
0.3,5,b
END
printf 'x,y\n0,0\n5,0\n0,5\n' >new.csv
for code in ova ovo; do
    t train sets.csv -o m --labels set --label labels --machine designed --code $code --learner linear-svm |
        grep -v '^held-out' # of fifteen rows: last digits count
    t predict m new.csv
done
t predict m new.csv --rank -q
t predict m new.csv --top 2 -q
t eval m sets.csv --label labels | grep -e '^error' -e 'hamming'
"$POLYTOMY" info m | grep -c -e 'labels: set' -e 'design-form: pairs' -e '^design_C: ' -e '^held_out_cost: '

sed '1s/labels/order/;s/a;b$/a>b>c/;s/b;c$/c>b=a/;s/,b$/,b>a/' sets.csv >order.csv
t train order.csv -o m --labels ranking --label order --machine designed --learner tree --design-kernel rbf
"$POLYTOMY" predict m order.csv --rank | cut -d'>' -f1 | uniq -c
sed '1s/order/pairs/;s/a>b>c$/a>b;b>c/;s/c>b=a$/c>b;c>a/' order.csv >pairs.csv
t cv pairs.csv --labels pairs --label pairs --machine designed --learner linear-svm --folds 5
t cv order.csv --labels ranking --label order --machine designed --learner linear-svm --machine rank-ls --folds 5 --metric kendall-tau -q

# What is for classes.
t train sets.csv -o m2 --labels set --label labels --machine designed --design-form hard
t train sets.csv -o m2 --labels set --label labels --machine designed --norm 1
t train sets.csv -o m2 --labels set --label labels --machine designed --design-machine adaboost-mh
t train sets.csv -o m2 --labels set --label labels --machine code
t code design m order.csv -o m2 --labels ranking --label order
