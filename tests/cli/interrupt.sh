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
# What is looked for behind the reading (counters, rows that are there twice) ends, too.
awk 'BEGIN { print "id,a,b,class"; for (i = 0; i < 1500000; i++)
    print i * 17 % 1500001 "," i * 7919 % 1000003 "," i % 7 "," substr("abc", i % 3 + 1, 1) }' >long.csv
begin=$(date +%s%N)
"$POLYTOMY" info long.csv >out 2>&1
whole=$(($(date +%s%N) - begin))
for tenth in 7 5; do
    for try in 1 2 3 4 5 6; do # a busy machine may be faster the next time: then it is asked sooner
        after=$(awk "BEGIN { printf \"%.3f\", $whole * $tenth / 1e10 / $try }")
        begin=$(date +%s%N)
        timeout --foreground --preserve-status -s INT "$after" "$POLYTOMY" info long.csv >out 2>&1
        code=$?
        took=$((($(date +%s%N) - begin) / 1000000))
        [ $code -eq 0 ] || break
    done
    echo "info: exit $code"
    grep -c 'stopped on request' out
    [ $took -lt $((whole / 1000000 + 4000)) ] || echo "info: took $took ms after $after s"
done
# While it writes: nothing is left, neither the file nor a part of it under another name.
begin=$(date +%s%N)
"$POLYTOMY" convert long.csv whole.csv -q
whole=$(($(date +%s%N) - begin))
rm whole.csv
for try in 1 2 3 4 5 6; do
    after=$(awk "BEGIN { printf \"%.3f\", $whole * 8 / 1e10 / $try }")
    rm -f part.csv
    begin=$(date +%s%N)
    timeout --foreground --preserve-status -s INT "$after" "$POLYTOMY" convert long.csv part.csv >out 2>&1
    code=$?
    took=$((($(date +%s%N) - begin) / 1000000))
    [ $code -eq 0 ] || break
done
echo "convert: exit $code"
grep -c 'stopped on request' out
[ $took -lt $((whole / 1000000 + 4000)) ] || echo "convert: took $took ms after $after s"
ls -A
