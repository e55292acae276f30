# The machines that oneLSM is measured against: trained, saved, predicted, searched; what they refuse.
. "$CASES/lib.sh"
three >three.csv
for machine in ls-ova ls-ovo suykens elm; do
    kernel="--kernel rbf --sigma 2"
    test $machine = elm && kernel="--hidden 30"
    # shellcheck disable=SC2086
    t train three.csv -o m --machine $machine --ridge 0.1 $kernel
    "$POLYTOMY" predict m three.csv | uniq -c
    # shellcheck disable=SC2086
    "$POLYTOMY" cv three.csv --machine $machine --grid ridge=0.1,1 $kernel --folds 5 --json >out
    grep -e '"method": "[cbw][a-z]* ' -e '"error":' out | sort -u
done
t train three.csv -o m --machine ls-ova --labelbook indicator
t train three.csv -o m --machine ls-ovo --decode wta
t train three.csv -o m --machine elm --kernel rbf
t train three.csv -o m --machine elm --activation tanh
t train three.csv -o m --machine onelsm --hidden 10
