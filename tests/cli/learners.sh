# Learners under codes: trained, saved, predicted, searched and compared; what they refuse.
. "$CASES/lib.sh"
three >three.csv
for learner in svm "ls --ridge 0.1"; do
    for code in ova ovo; do
        # shellcheck disable=SC2086
        t train three.csv -o m --code $code --learner $learner --sigma 2
        "$POLYTOMY" predict m three.csv | uniq -c
    done
done
# Least squares: closed form where no class is kept out of a column.
for code in ova ovo; do
    "$POLYTOMY" cv three.csv --code $code --learner ls --grid ridge=0.1,1 --sigma 2 --folds 5 --json >out
    grep -e '"method": "[cbw][a-z]* ' -e '"error":' out | sort -u
done
# Each machine takes of the common parameters what its parts use.
t cv three.csv --machine code:learner=svm --machine code:learner=ls,code=ova --machine onelsm --sigma 2 --C 16 --ridge 0.1 --folds 5
t cv three.csv --code ovo --grid C=1,16,sigma=1,2 --folds 5
t compare three.csv --machine code:code=ovo,learner=svm,C=16 --machine onelsm --sigma 2 --ridge 0.1
t train three.csv -o m --learner ls --C 2
t train three.csv -o m --learner ls --bias
t train three.csv -o m --learner svm --ridge 2
t train three.csv -o m --learner least
# The linear machine has no kernel.
for code in ova ovo dense; do
    t train three.csv -o m --code $code --learner linear-svm --C 10
    "$POLYTOMY" predict m three.csv | uniq -c
done
t cv three.csv --code ova --learner linear-svm --grid C=0.1,1 --folds 5
t train three.csv -o m --learner linear-svm --kernel rbf
t train three.csv -o m --learner linear-svm --sigma 2
t train three.csv -o m --learner linear-svm --eps 0.1
# One call for all columns: the column is an attribute of the examples.
t train three.csv -o m --code ova --learner svm --sigma 2 --C 10 --single-call
"$POLYTOMY" predict m three.csv | uniq -c
t train three.csv -o m --code ovo --learner ls --sigma 2 --ridge 0.1 --single-call
"$POLYTOMY" predict m three.csv | uniq -c
t train three.csv -o m --code ovo --learner svm --kernel precomputed --single-call
t train three.csv -o m --machine onelsm --single-call
t cv three.csv --code ova --learner ls --sigma 2 --ridge 0.1 --grid single-call=no,yes --folds 5
# So has logistic regression.
for code in ova ovo dense; do
    for penalty in l2 l1; do
        t train three.csv -o m --code $code --learner logistic --penalty $penalty --C 10
        "$POLYTOMY" predict m three.csv | uniq -c
    done
done
"$POLYTOMY" info m | grep -e steps -e weights | tr -s ' '
t cv three.csv --code ova --learner logistic --grid C=0.1,1,penalty=l1,l2 --folds 5
t train three.csv -o m --learner logistic --penalty l3
t train three.csv -o m --learner logistic --gap 0.1
t train three.csv -o m --learner svm --penalty l1
# All classes in one problem; its probabilities without calibration are its own.
for penalty in l2 l1; do
    t train three.csv -o m --machine softmax --penalty $penalty --calibrate no
    "$POLYTOMY" predict m three.csv --proba | sed -n -e 1p -e 2p -e 16p | sed -E 's/(0\.[0-9]{3})[0-9]*/\1/g'
done
t cv three.csv --machine softmax --grid C=0.1,1 --folds 5
t train three.csv -o m --machine softmax --kernel rbf
t train three.csv -o m --machine softmax --code ova
# A grid over codes or learners is one over the composed machine.
t cv three.csv --grid code=ova,ovo --learner linear-svm --folds 5
t cv three.csv --grid learner=svm,ls --sigma 2 --folds 5
# A C of any size, and a width to be found: no word about a ridge.
for C in 1e20 1e300 1e-300; do
    for machine in code vo-svm; do
        "$POLYTOMY" train three.csv -o m --machine $machine --C $C >out 2>&1 || cat out
    done
done
# Online learners.
for code in ova ovo; do
    for update in perceptron averaged pa; do
        t train three.csv -o m --code $code --learner perceptron --update $update
        "$POLYTOMY" predict m three.csv | uniq -c
    done
    t train three.csv -o m --code $code --learner winnow --epochs 20
    "$POLYTOMY" predict m three.csv | uniq -c
done
t train three.csv -o m --code ova --learner perceptron --epochs 0
t train three.csv -o m --code ova --learner perceptron --epochs 0 --update averaged
t train three.csv -o m --code ova --learner perceptron --update winnow
t train three.csv -o m --code ova --learner perceptron --alpha 2
t train three.csv -o m --code ova --learner winnow --alpha 1
# One-vs-all fails on nine points that three linear functions tell apart (HRZ Figure 2).
quiet synth hrz-ova -o ova.csv
quiet train ova.csv --weight weight -o m --code ova --learner perceptron --update perceptron --epochs 500
"$POLYTOMY" predict m ova.csv 2>/dev/null >labels
tail -n +2 ova.csv | cut -d, -f4 | paste -d' ' - labels | awk '$1 != $2 { e++ } END { print (e >= 1 ? "one-vs-all errs" : "no errors") }'
