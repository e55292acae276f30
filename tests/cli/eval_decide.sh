# What eval says of decisions: costs, rejection, sets that cover; in parts too.
. "$CASES/lib.sh"
awk 'BEGIN { print "x,y,class"; for (i = 0; i < 120; i++) { x = i * 7 % 20; y = i * 11 % 13;
    print x "," y "," (x + y + i % 4 < 12 ? "a" : x > y + i % 3 ? "b" : "c") } }' >all.csv
awk "NR == 1 || int(NR / 4) % 2" all.csv >train.csv
awk "NR == 1 || int(NR / 4) % 2 == 0" all.csv >test.csv
quiet train train.csv -o m --sigma 0.7 --ridge 0.1
printf 'class,a,b,c,reject\na,0,1,1,0.5\nb,9,0,1,0.5\nc,1,1,0,0.5\n' >reject.csv
printf 'class,a,b,c\na,0,1,1\nb,9,0,1\nc,1,1,0\n' >costs.csv
decisions() { sed -n -e '/^decisions/,/^$/p' -e '/^rejection/,/^$/p' -e '/^sets/,/^$/p' | sed -e 's/\[[^]]*\]/[_]/g' -e 's/\(0\.[0-9]\{4\}\)[0-9]\{4\}/\1/g'; } # digits that compilers agree on
for options in '--costs costs.csv' '--costs reject.csv' '--reject 0.8' '--coverage 0.9' \
    '--coverage 0.9 --coverage-by class'; do
    echo "$options"
    # shellcheck disable=SC2086
    t eval m test.csv $options | decisions
done
"$POLYTOMY" eval m test.csv --reject 0.8 --json | tr -d ' \n' | grep -o '"decisions":{"decided":"reject","n_rejected":[0-9]*'
echo
t eval m test.csv --coverage 0.9 --reject 0.8
t eval m test.csv --costs costs.csv --reject 0.8
t eval m test.csv --coverage-by class
t eval m test.csv --costs nowhere.csv -q
t eval m test.csv --coverage 0.999 -q
# The probabilities of the table accept the rows of their lines.
n=$(($(wc -l <test.csv) - 1))
"$POLYTOMY" eval m test.csv --reject 0.8 | awk 'NF != 3 { on = 0 } on; $2 == "%" && $3 == "probability" { on = 1 }' >table
while read -r share probability _; do
    accepted=$("$POLYTOMY" predict m test.csv --reject "$probability" 2>/dev/null | grep -vc '^?')
    echo "$share $accepted $n" | awk '{ printf "%.2f %.2f\n", $1, 100 * $2 / $3 }'
done <table
