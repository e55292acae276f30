# Trees of classes: trained, shown, predicted, evaluated; any learner; what is refused.
. "$CASES/lib.sh"
three >three.csv
t train three.csv -o m --machine class-tree --sigma 2
"$POLYTOMY" info m | grep -e '^class_tree' -e '^columns' -e 'design-folds'
"$POLYTOMY" predict m three.csv | uniq -c
# losses depend on where the solver stops, and that on the compiler
"$POLYTOMY" eval m three.csv | sed -n '/^columns$/,/^$/p' | awk '$1 ~ /^[0-9]/ { $4 = "#" } { print }'
for learner in linear-svm logistic adaboost tree; do
    t train three.csv -o m --machine class-tree --learner $learner --design-folds 0
    "$POLYTOMY" info m | grep '^class_tree'
done
t cv three.csv --machine class-tree:learner=tree --machine class-tree:learner=ls,ridge=1,sigma=2 --folds 5
t train three.csv -o m --machine class-tree --learner ls --ridge 1 --sigma 2 --decode loss
t train three.csv -o m --code ovo --sigma 2 --decode weakest
t train three.csv -o m --machine class-tree --code ova
t train three.csv -o m --machine class-tree --design-folds 1
t train three.csv -o m --machine class-tree --learner tree --C 2
t train three.csv -o m --machine onelsm --decode weakest

# Automatic parameters are not too smooth for one class against several: separated blobs are told apart, whatever the learner.
awk 'BEGIN {
    srand(3); print "x,y,class"
    for (i = 0; i < 30; i++) { c = i % 3; printf "%.4f,%.4f,%s\n", c + rand() / 4, (c == 1) + rand() / 4, substr("abc", c + 1, 1) }
}' >blobs.csv
for learner in svm ls; do
    quiet train blobs.csv -o m --machine class-tree --learner $learner
    "$POLYTOMY" eval m blobs.csv | grep '^error'
done
