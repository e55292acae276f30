# A search that keeps what is done: Ctrl-C, go on, the same output; files of other searches refused.
. "$CASES/lib.sh"
three >three.csv
t cv three.csv --grid ridge=1:4,sigma=1,2 --folds 5 --resume cv.part -q
t cv three.csv --grid ridge=1:4,sigma=1,2 --folds 5 --resume cv.part -q
t cv three.csv --grid ridge=1:8,sigma=1,2 --folds 5 --resume cv.part
t cv three.csv --grid ridge=1:4,sigma=1,2 --folds 4 --resume cv.part
sed 's/5.2/5.3/' three.csv >other.csv
t cv other.csv --grid ridge=1:4,sigma=1,2 --folds 5 --resume cv.part
t cv three.csv --folds 5 --resume three.csv
echo '{"polytomy": "checkpoint", "format": 1, "signature": {}, "results": {}}' >old.part
t cv three.csv --folds 5 --resume old.part
wc -c <old.part
t cv three.csv --folds 5 --resume no/such/folder
t cv three.csv --folds 5 --resume same -o same
three | cmp - three.csv
command -v timeout >/dev/null || exit 77
# The work is long enough for a second; how much of it is done by then does not matter.
"$POLYTOMY" synth ass -n 400 -o ass.csv -q
run="cv ass.csv --grid ridge=2^-9:2^9,sigma=2^-4:2^6 --scale-per-fold --folds 10 --repeat 5 --resume ass.part -q"
timeout --foreground --preserve-status -s INT 1 "$POLYTOMY" $run >out 2>err
echo "exit $?"
grep -o "keeps what is done: the same command goes on from there" err
ls
