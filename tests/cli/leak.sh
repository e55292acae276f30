# One column that holds the answer, nearly.
. "$CASES/lib.sh"
# leak WRONG: 120 rows, of which every WRONG-th says something else than the class
leak() { awk -v wrong="$1" 'BEGIN { print "a,b,action,class"; for (i = 0; i < 120; i++) { r = i * 7 % 3
    printf "%d,%.1f,%s,%s\n", i * i % 11, i * 37 % 23 / 4, substr("none  ordersealed", (i % wrong == 1 ? 0 : r) * 6 + 1, 6), substr("abc", r + 1, 1) } }' | sed 's/ *,/,/g'; }
for wrong in 200 40 31; do
    leak $wrong >leak.csv
    "$POLYTOMY" info leak.csv | grep '^look at'
done
leak 8 >weak.csv
"$POLYTOMY" info weak.csv | grep '^look at: action'
for command in 'cv leak.csv' 'cv leak.csv --machine onelsm --machine tree' 'train leak.csv -o m' 'cv leak.csv --ignore action' 'train weak.csv -o m'; do
    echo "== $command"
    # shellcheck disable=SC2086
    "$POLYTOMY" $command --sigma 1 --ridge 1 2>&1 | grep 'alone predicts'
done
:
