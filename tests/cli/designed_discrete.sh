# Discrete design: a code of a few values on what columns say; searches, refusals.
. "$CASES/lib.sh"
three >three.csv
t train three.csv -o m --machine designed --code ova --learner linear-svm --design-form discrete
"$POLYTOMY" info m | grep -e '^design_' -e '  design-'
"$POLYTOMY" predict m three.csv | uniq -c | sed 's/^ *//'
for search in column greedy exact; do
    t train three.csv -o m --machine designed --code ova --learner linear-svm --design-form discrete --design-search $search --design-outputs sign --calibrate no
    "$POLYTOMY" info m | grep -e '^design_'
done
"$POLYTOMY" predict m three.csv --scores | sort -u
t train three.csv -o m --machine designed --learner tree --design-form discrete --design-entries ternary --interleave 2 --calibrate no
t train three.csv -o m --machine designed --design-search exact
t train three.csv -o m --machine designed --design-form discrete --norm 1
t train three.csv -o m --machine designed --design-form discrete --design-kernel rbf
t train three.csv -o m --machine designed --design-form discrete --design-C 1
t train three.csv -o m --machine designed --design-form discrete --design-search column --design-entries ternary
t train three.csv -o m --machine designed --code dense --columns 3 --draws 10 --design-form discrete --design-outputs signs
