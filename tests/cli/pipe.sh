# A reader that goes away is not worth a word; the exit code says that not all was written.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --sigma 2 --ridge 0.1
closed() # ARGUMENTS...: standard output is a pipe that nobody reads
{
    echo "\$ polytomy $* |"
    { sleep 0.3; "$POLYTOMY" "$@" 2>err; echo "exit $?" >code; } | true
    cat err code
}
closed predict m three.csv
closed info three.csv -q --json
closed synth ass -n 10000 -o -
closed convert three.csv -
echo '$ polytomy synth cs -n 20 -o - >/dev/null'
"$POLYTOMY" synth cs -n 20 -o - 2>&1 >/dev/null
