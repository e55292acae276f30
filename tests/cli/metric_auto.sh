# --metric chooses automatic sigma and ridge, in train, cv and compare.
. "$CASES/lib.sh"
awk -F, 'NR == 1 || $5 != "virginica" || NR % 5 == 0' "$DATA/iris.csv" | cut -d, -f1,2,5 >rare.csv
head -2 rare.csv
t train rare.csv -o plain.model -q
t train rare.csv --metric balanced-accuracy -o own.model -q
for model in plain own; do
    "$POLYTOMY" info $model.model | grep -E "^ *(ridge|sigma):" | cut -c1-14
done
t cv rare.csv --metric mcc --folds 5 -q
t train rare.csv --metric top-k-accuracy --top-k 3 -o never.model
t train rare.csv --metric cost -o never.model
t train rare.csv --metric hamming-loss -o never.model
[ ! -e never.model ]
