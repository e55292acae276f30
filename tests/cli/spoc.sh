# SPOC: support patterns and values in the model, costs from a file, refusals. How many patterns of
# such rows support is decided by the last bits, and so by the compiler.
. "$CASES/lib.sh"
three >three.csv
t train three.csv -o m --machine spoc --sigma 1
"$POLYTOMY" info m | grep -e '^machine' -e '^support_patterns' | sed 's/[0-9][0-9]*$/#/'
"$POLYTOMY" info m | grep -c -e '^primal: ' -e '^dual: ' -e '^relative_gap: '
"$POLYTOMY" info m | sed -n '/^theory/,/class_error/p' | sed 's/[0-9.]*[0-9]\.[0-9]*/#/g; s/\(patterns: \).*/\1#/; /closest/d'
t predict m three.csv --top 1 -o labels.txt
sort labels.txt | uniq -c | sed 's/^ *//'
t cv three.csv --machine spoc --sigma 1 --grid C=2^-2:2^2 --folds 5
printf ',c,a,b\na,2,0,1\nc,0,1,1\nb,5,1,0\n' >costs.csv
t train three.csv -o m --machine spoc --sigma 1 --costs costs.csv
"$POLYTOMY" info m | grep -e 'costs'
printf '0,1,1\n1,2,1\n1,1,0\n' >costs.csv
t train three.csv -o m --machine spoc --sigma 1 --costs costs.csv
printf '0,1\n1,0\n' >costs.csv
t train three.csv -o m --machine spoc --sigma 1 --costs costs.csv
t train three.csv -o m --machine onelsm --costs costs.csv
t train three.csv -o m --machine spoc --bias
t train three.csv -o m --machine spoc --kernel sigmoid --sigma 1 --coef0 -4

# Its sibling; with two classes they are the same machine.
t train three.csv -o w --machine ww --sigma 1
"$POLYTOMY" info w | grep -e '^machine' -e '^support_patterns' | sed 's/[0-9][0-9]*$/#/'
grep -v c$ three.csv >two.csv
for machine in spoc ww; do
    "$POLYTOMY" train two.csv -o $machine.m --machine $machine --sigma 1 --gap 1e-9 >/dev/null 2>&1
    "$POLYTOMY" info $machine.m | grep -e '^primal: ' -e '^dual: ' | cut -c 1-14
done

# The linear kernel: the solution of both solvers, the one with M and the one with kernel values.
for kernel in linear 'poly --sigma 1 --degree 1 --coef0 0'; do
    t train three.csv -o m --machine spoc --kernel $kernel --scale none --gap 1e-6
    "$POLYTOMY" info m | grep -e '^primal: ' -e '^dual: ' | cut -c 1-12
done

# A row that is not right: no bound follows.
{ three && echo 0,0,b && echo 5,0,c; } >mixed.csv
"$POLYTOMY" train mixed.csv -o m --machine spoc --sigma 1 -q
"$POLYTOMY" info m | grep 'not applicable'

# Far more than rounding allows: told, and how far it went.
t train mixed.csv -o m --machine spoc --sigma 1 --C 10 --gap 1e-15 --calibrate no | sed 's/gap of [^ ]* was/gap of # was/'
# The advice is what is left to do.
t train mixed.csv -o m --machine spoc --sigma 1 --C 10 --gap 1e-15 --calibrate no --precision double | sed 's/gap of [^ ]* was/gap of # was/'
