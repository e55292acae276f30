# Ctrl-C stops within a second or so, says so, and leaves neither a model nor a temporary file.
. "$CASES/lib.sh"
command -v timeout >/dev/null || exit 77
"$POLYTOMY" synth ass -n 16000 -o big.csv -q
# --foreground: one signal, where timeout would send another to the whole group; a second one ends at once.
for signal in INT TERM; do
    begin=$(date +%s)
    timeout --foreground --preserve-status -s $signal 1 "$POLYTOMY" train big.csv -o m --sigma 1 --ridge 1 >out 2>&1
    code=$?
    took=$(($(date +%s) - begin))
    echo "$signal: exit $code"
    grep -c 'stopped on request' out
    [ $took -lt 10 ] || echo "$signal: took $took s"
done
ls
# Classes of a large code are compared pair by pair: that ends too.
begin=$(date +%s)
timeout --foreground --preserve-status -s TERM 2 "$POLYTOMY" code dense -k 300000 --draws 1 --info >out 2>&1
echo "code: exit $?"
took=$(($(date +%s) - begin))
grep -c 'stopped on request' out
[ $took -lt 10 ] || echo "code: took $took s"
