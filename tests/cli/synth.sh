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
t synth ass -n 10 -o no/such/folder.csv
t synth ass -n 1000000000000000000 -o x.csv
ls
