# Machines for sets, rankings and pairs beside the one of constraints: trained, saved, predicted, searched; what they refuse.
. "$CASES/lib.sh"
# The classes whose scores are above 0.
said()
{
    "$POLYTOMY" predict m "$1" --scores | awk -F, 'NR == 1 { split($0, name) }
        NR > 1 { line = "set:"; for (r = 1; r <= NF; r++) if ($r > 0) line = line " " name[r]; print line }' | uniq -c
}
cat >sets.csv <<'END'
x,y,labels
0,0,a;b
0.1,0.2,a;b
0.2,0.1,a;b
0.1,0,a;b
5,0,b;c
5.1,0.2,b;c
5.2,0.1,b;c
5.1,0,b;c
0,5,b
0.1,5.2,b
0.2,5.1,b
0.1,5,b
END
for machine in rank-ls powerset relevance:learner=ls "relevance:learner=adaboost,rounds=5"; do
    t train sets.csv -o m --labels set --label labels --machine "$machine"
    said sets.csv
done
"$POLYTOMY" info m | grep -e 'columns'

# b is in every set: its score is 1.
"$POLYTOMY" predict m sets.csv --scores | cut -d, -f 2 | uniq -c

sed '1s/labels/order/;s/a;b$/a>b>c/;s/b;c$/c>b=a/;s/,b$/,b>a/' sets.csv >order.csv
t train order.csv -o m --labels ranking --label order --machine rank-ls --sigma 2 --ridge 0.1
"$POLYTOMY" predict m order.csv --rank | uniq -c

# What they do not take is refused, with who does.
t train order.csv -o m --labels ranking --label order --machine powerset
t train order.csv -o m --labels ranking --label order --machine onelsm
# Without a machine, one that takes the labels.
t train order.csv -o m --labels ranking --label order --sigma 2 --ridge 0.1
t train sets.csv -o m --labels set --label labels --sigma 2 --ridge 0.1
t train sets.csv -o m --labels set --label labels --learner tree
t cv sets.csv --labels set --label labels --sigma 2 --grid ridge=0.1,1 --folds 3
t train order.csv -o m --labels ranking --label order --learner tree
t train sets.csv -o m --labels set --label labels --machine relevance --learner adaboost --C 3
t train sets.csv -o m --labels set --label labels --machine powerset --learner svm
t train sets.csv -o m --labels set --label labels --machine rank-ls --class-weight balanced
