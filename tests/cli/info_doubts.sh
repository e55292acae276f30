# What info says of columns and rows: kinds, ranges, rows twice, contradictions, a column that tells all.
. "$CASES/lib.sh"
awk 'BEGIN { print "id,x,colour,always,answer,class"
    for (i = 0; i < 120; i++) {
        c = i % 3
        x = (i * 7919 % 1000 + 500 * c) / 1000
        print "row" i + 1000 "," x "," (i * 31 % 7 < 3 ? "red" : "blue") ",7," 10 * c + i * 17 % 5 ",k" c
    } }' >told.csv
t info told.csv
# One that is only good is not doubted.
awk -F, 'BEGIN { OFS = "," } NR == 1 || NR % 7 { print $2, $3, $6; next } { print $2, $3, "k1" }' told.csv >fair.csv
printf '0.5,red,k0\n0.5,red,k0\n0.5,red,k2\n,red,k2\n' >>fair.csv
t info fair.csv
"$POLYTOMY" info fair.csv --json | sed -n '/"columns"/,$p'
# Many columns: the first fifty, the rest by kind.
awk 'BEGIN { for (j = 1; j <= 70; j++) printf "v%d,", j; print "class"
    for (i = 0; i < 4; i++) { for (j = 1; j <= 70; j++) printf "%s,", (j > 60 ? "a" i : i * j / 4)
        print i % 2 } }' >wide.csv
"$POLYTOMY" info wide.csv | tail -n 6
# Columns are told as the file has them: by number where they have no names, a date as a whole.
sed 1d told.csv >bare.csv
t info bare.csv
awk 'BEGIN { print "when,x,class"
    for (i = 0; i < 120; i++) printf "2024-%02d-%02d,%.2f,k%d\n", i % 12 + 1, i % 28 + 1, i * 7919 % 100 / 7, i % 12 / 4 }' >date.csv
"$POLYTOMY" info date.csv 2>&1 | grep -E '^look|^ '
sed 's/when/gepr\xfcft/' date.csv >latin.csv
"$POLYTOMY" train latin.csv -q -o m --sigma 1 --ridge 1 2>/dev/null
"$POLYTOMY" info m | sed -n '/listed/,/parts/p'
# and in JSON
"$POLYTOMY" info m --json | grep -A 3 '"parts"'
