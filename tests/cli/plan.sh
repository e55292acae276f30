# Before long work: its plan, on standard error, at once. The work itself is stopped.
. "$CASES/lib.sh"
# plan_of ARGUMENTS: the plan, in err; long work is stopped there.
plan_of() {
    : >err # not the plan of before
    "$POLYTOMY" "$@" >out 2>err &
    work=$!
    for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        grep -q '^plan: ' err && break
        kill -0 $work 2>/dev/null || break
        sleep 1
    done
    kill -TERM $work 2>/dev/null
    wait $work 2>/dev/null
}
awk 'BEGIN { srand(3); print "a,b,c,class"; for (i = 0; i < 20000; i++) { x = rand(); y = rand(); z = rand(); print x "," y "," z "," (x + y * y + 0.2 * rand() > 1 ? "u" : z > 0.5 ? "v" : "w") } }' >many.csv
plan_of train many.csv -o m --sigma 1 --ridge 1 --precision double --threads 1
# How long it takes, and whether a part of it could be timed, is the machine's; a plan has memory and what is faster.
grep -c '^plan: .* [0-9.]* [kMG]B (dual: a 20000 x 20000 factor in double); faster: ' err
test -f m || echo "no model"
# A ridge that float32 is too coarse for is known before.
plan_of train many.csv -o m --sigma 1 --ridge 1e-9 --threads 1
grep -c '^plan: .* (dual: a 20000 x 20000 factor in double); faster: ' err
# So have searches and comparisons.
plan_of cv many.csv --grid sigma=1,2 --ridge 1 --threads 1
grep -c '^plan: .* (dual: a 20000 x 20000 factor in float32, refined in double); faster: ' err
plan_of compare many.csv --machine onelsm --machine elm --sigma 1 --threads 1
grep -c '^plan: 10 trials of 2 machines, .* GB (.*); faster: ' err
# Few rows may take long, too: 26 classes have 325 pairs, and linear programs of 8450 numbers.
awk 'BEGIN { srand(5); print "a,b,c,class"; for (i = 0; i < 260; i++) print i % 26 + rand() "," i % 7 + rand() "," rand() ",c" i % 26 }' >few.csv
plan_of train few.csv -o m --machine designed --norm inf --sigma 1 --C 1 --threads 1
grep -c '^plan: [0-9]* min or more, .* of the 260 rows ' err
plan_of cv few.csv --machine designed --norm inf --sigma 1 --C 1 --threads 1
grep -c '^plan: ' err
# Of a narrow kernel every pair decides: a factor of 10800 pairs would take minutes and a gigabyte; pivoting takes a moment, and no such memory.
awk 'BEGIN { srand(7); print "a,b,c,class"; for (i = 0; i < 1200; i++) print rand() "," rand() "," rand() ",c" i % 10 }' >narrow.csv
"$POLYTOMY" train narrow.csv -o m --machine constraint --method hard --kernel rbf --sigma 0.01 --calibrate no --threads 1 --memory 300M >out 2>err
echo "narrow: exit $?"
# Short work has none.
three >three.csv
"$POLYTOMY" train three.csv -o m 2>&1 | grep plan || echo "no plan"
"$POLYTOMY" cv three.csv 2>&1 | grep plan || echo "no plan"
