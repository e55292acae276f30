# Decisions: least cost, rejection, sets that cover; what means nothing is refused.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --sigma 2 --ridge 2^-4
printf 'x,y\n0,0\n5,0\n0,5\n2,0.2\n' >new.csv
t predict m new.csv --proba | cut -c1-8
t predict m new.csv --reject 0.9
t predict m new.csv --reject 0.9 --reject-label unsure
t predict m new.csv --reject 0.9 --reject-label ''
printf 'a,b,c,reject\n0,1,1,9\n50,0,1,9\n1,1,0,9\n' >costs.csv
t predict m new.csv --costs costs.csv
printf 'a,b,c,reject\n0,1,1,0\n50,0,1,0\n1,1,0,0\n' >free.csv
t predict m new.csv --costs free.csv -q
t predict m new.csv --coverage 0.7
t predict m new.csv --coverage 0.7 --coverage-by class -q
t predict m new.csv --coverage 0.999
"$POLYTOMY" predict m new.csv --reject 0.9 --json 2>&1 | tr -d ' \n' | grep -o '"n_rejected":[0-9]*\|"labels":\[[^]]*\]'
"$POLYTOMY" predict m new.csv --coverage 0.7 --proba --json 2>&1 | tr -d ' \n' | grep -o '"labels":\[\[.*\]\],"proba"'
# files of costs
printf 'a,b,d\n0,1,1\n1,0,1\n1,1,0\n' >name.csv
printf '0,1\n1,0\n' >small.csv
printf '0,1,1\n1,0,1\n1,1,-2\n' >sign.csv
t predict m new.csv --costs name.csv
t predict m new.csv --costs small.csv
t predict m new.csv --costs sign.csv
t predict m new.csv --costs nowhere.csv
# what means nothing
t predict m new.csv --costs costs.csv --reject 0.9
t predict m new.csv --coverage 0.9 --reject 0.9
t predict m new.csv --coverage-by class
t predict m new.csv --coverage 1
t predict m new.csv --coverage 0
t predict m new.csv --reject 1.5
t predict m new.csv --reject 1
t predict m new.csv --reject 0
t predict m new.csv --reject 0.9 --reject-label a 2>&1 | head -n 2
t predict m new.csv --reject-label x 2>&1 | head -n 2
t predict m new.csv --coverage 0.9 --proba 2>&1 | head -n 2
t train three.csv -o raw --sigma 2 --ridge 2^-4 --calibrate no -q
t predict raw new.csv --coverage 0.9
t train three.csv -o raw --thresholds f1
t cv three.csv --thresholds f1
printf 'x,y,class\n0,0,a>b\n1,1,b>a\n0,1,a>b\n1,0,b>a\n' >ranks.csv
quiet train ranks.csv --labels ranking -o ranks
t predict ranks new.csv --reject 0.5
# sets, with thresholds
awk 'BEGIN { print "x,y,class"; for (i = 0; i < 60; i++) { x = i % 10; y = i % 7;
    print x "," y "," (x > 4 ? "p" : "") (x > 4 && y > 4 ? ";" : "") (y > 4 ? "q" : "") } }' >sets.csv
quiet train sets.csv --labels set --thresholds f1 -o sets
t predict sets new.csv --coverage 0.9 -q
t predict sets new.csv --reject 0.9
t predict sets new.csv --coverage 0.9 --coverage-by class
