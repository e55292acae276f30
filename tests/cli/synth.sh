# The papers' problems; the same seed, the same file.
. "$CASES/lib.sh"
for name in ass cs hrz; do
    t synth $name -n 50 -o $name.csv
    "$POLYTOMY" synth $name -n 50 -o again.csv -q && cmp $name.csv again.csv
    "$POLYTOMY" synth $name -n 50 --seed 2 -o other.csv -q && ! cmp -s $name.csv other.csv ||
        echo "$name: the seed does nothing"
    t info $name.csv -q
done
t synth hrz-ova -o hrz-ova.csv # nine fixed points
t synth hrz-ova -n 50 -o x.csv
t synth cs --classes 5 -o x.csv
t synth ass --classes 6 -n 12 -o six.csv
"$POLYTOMY" synth ass -n 5 -o - 2>/dev/null | wc -l | tr -d ' '
"$POLYTOMY" synth ass -n 300 -o - -q | "$POLYTOMY" cv - --sigma 0.1 --ridge 0.1 -q | grep -c error
# More rows than any memory holds: they are made as they are written.
"$POLYTOMY" synth hrz -n 1000000000000000 --to libsvm -o - -q | head -n 2 | cut -c 1-20
"$POLYTOMY" synth hrz -n 5000 --json -o many.csv | sed -n '/"data"/,/"classes"/p'
wc -l <many.csv | tr -d ' '
rm many.csv
t synth ass -n 10 -o no/such/folder.csv
t synth ass -n 1000000000000000000 -o x.csv
ls
