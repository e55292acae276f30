# The bar on a terminal goes over reading, choosing, training and calibrating, and never goes back.
. "$CASES/lib.sh"
awk 'BEGIN { srand(3); print "a,b,c,class"; for (i = 0; i < 16000; i++) { x = rand(); y = rand(); z = rand(); print x "," y "," z "," (x + y * y + 0.2 * rand() > 1 ? "u" : z > 0.5 ? "v" : "w") } }' >many.csv
head -n 1501 many.csv >some.csv
# bar_of ARGUMENTS: whether what a terminal is shown ever goes back.
bar_of() {
    script -qec "'$POLYTOMY' $*" /dev/null </dev/null | tr '\r' '\n' | grep -a -o '\] *[0-9]* %' |
        awk -v what="$1" '{ if ($2 < last) back = back " " last "->" $2; last = $2; count++ }
             END { print what ": " (count < 3 ? "too short: " count : back == "" ? "forward" : "back:" back) }'
}
bar_of train many.csv -o m --machine spoc --kernel rbf --sigma 1 --time 2
# An idle machine needs so many rounds for three steps of the bar; sanitizers are slower.
rounds=4000
[ "${POLYTOMY_TEST_SHARE:-1}" -lt 20 ] || rounds=400
bar_of cv some.csv --code ova --learner adaboost --rounds $rounds --grid depth=1,2 --folds 5 -o m
# Work takes a share of a second, never 0.00 s.
printf 'a,class\n1,x\n3,y\n' >two.csv
for run in 1 2 3 4 5 6; do
    "$POLYTOMY" cv two.csv --loo
    "$POLYTOMY" train two.csv -o m
    "$POLYTOMY" cv two.csv --loo --machine onelsm --machine tree
done 2>/dev/null | awk '/[^0-9]0\.00 s|^0\.00 s/ { count++ } END { print "0.00 s: " count + 0 }'
