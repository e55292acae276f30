# Continuous codes: figures in the model, forms, kernels, refusals.
. "$CASES/lib.sh"
three >three.csv
t train three.csv -o m --machine designed --code ova --learner linear-svm
"$POLYTOMY" info m | grep -e '^machine' -e '^columns' -e '  design-'
"$POLYTOMY" info m | grep -c -e '^design_C: ' -e '^design_norm: ' -e '^design_slack: ' -e '^primal: ' -e '^dual: ' -e '^held_out_cost: '
t predict m three.csv --top 1 -o labels.txt
sort labels.txt | uniq -c | sed 's/^ *//'
t cv three.csv --machine designed --code ovo --learner tree --folds 5
t train three.csv -o m --machine designed --learner linear-svm --design-form hard --design-bound 0.5 --calibrate no
"$POLYTOMY" info m | grep -e '^design_norm'
t train three.csv -o m --machine designed --learner linear-svm --design-form separable --calibrate no
"$POLYTOMY" info m | grep -e '^design_slack'
t train three.csv -o m --machine designed --learner linear-svm --design-kernel rbf
quiet predict m three.csv -o labels.txt
t train three.csv -o m --machine designed --learner linear-svm --design-form pairs
"$POLYTOMY" info m | grep -c -e '^design_C: ' -e '^design_norm: ' -e '^design_slack: ' -e '^held_out_cost: '
quiet predict m three.csv -o labels.txt

# One point in two classes.
{ three && echo 0,0,b && echo 0,0,a; } >mixed.csv
t train mixed.csv -o m --machine designed --learner linear-svm --design-folds 0 --design-form separable --calibrate no 2>&1 | sed -E 's/weight of [^ ]+ /weight of # /; s/sum [^;]+;/sum #;/'
t train three.csv -o m --machine designed --decode hamming
t train three.csv -o m --machine designed --design-bound 2
t train three.csv -o m --machine designed --design-form hard --design-C 2
t train three.csv -o m --machine designed --design-sigma 2
t train three.csv -o m --machine designed --design-form pairs --norm 1
t train three.csv -o m --machine designed --design-form pairs --incremental
t train three.csv -o m --machine designed --design-form pairs --design-bound 2
t train three.csv -o m --machine designed --design-folds 1
t train three.csv -o m --machine designed --design-kernel rbf --interleave 2
t train three.csv -o m --machine designed --design-kernel rbf --norm 1
t train three.csv -o m --machine designed --design-kernel rbf --incremental
t train three.csv -o m --machine designed --learner tree --ridge 1
