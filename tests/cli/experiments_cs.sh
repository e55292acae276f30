# experiments/cs/run.sh makes RESULTS.md: from the runs that are there, and with the sections of those that are not as they were. The
# runs are made up; nothing is run again that lies in the folder of results.
command -v python3 >/dev/null || exit 77
experiment=$DATA/../experiments/cs
mkdir -p top/experiments/cs top/build/bench runs/figure5
cp "$experiment"/* top/experiments/cs/
cp top/experiments/cs/RESULTS.md before.md
for m in 10 25 50 100 150 200 250; do
    for set in 1 2 3; do
        echo x >runs/quadrants.$m.$set.csv
        for C in 0.1 1 10; do
            for gap in 1e-3 1e-6; do
                echo '{"work": 0.5, "dual": 2}' >runs/figure5/spoc.$m.$set.$C.$gap.json
            done
        done
        echo '{"seconds": 7, "value": 2}' >runs/figure5/quadprog.$m.$set.1.json
    done
done
for C in 0.1 10; do
    echo '{"seconds": 7, "value": 2}' >runs/figure5/quadprog.250.1.$C.json
done
CS_WORK=$PWD/runs sh top/experiments/cs/run.sh figure5 || echo "failed with $?"
sed -n '/^## Figure 5/,/^| 50/p' top/experiments/cs/RESULTS.md
sed -n '/^## Table 1/,$p' before.md >table.before
sed -n '/^## Table 1/,$p' top/experiments/cs/RESULTS.md | cmp - table.before && echo "the other sections are as they were"

echo "a run is missing:"
rm runs/figure5/spoc.100.2.1.1e-6.json
python3 top/experiments/cs/table.py runs top/experiments/cs/RESULTS.md 2>&1
sed -n '/^| 10 /p' top/experiments/cs/RESULTS.md
echo "nothing was run:"
cp before.md again.md
python3 top/experiments/cs/table.py none again.md && cmp again.md before.md && echo "it is as it was"
