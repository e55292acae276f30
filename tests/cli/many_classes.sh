# Five thousand classes; fewer where builds are many times slower (tests/support/share.h).
. "$CASES/lib.sh"
n=5000
[ "${POLYTOMY_TEST_SHARE:-1}" -le 4 ] || n=1500
awk -v n=$n 'BEGIN { print "x,y,class"; for (i = 0; i < n; i++) print i % 71 "," int(i / 71) ",c" i }' >many.csv
quiet train many.csv -o m --kernel linear --ridge 0.001
"$POLYTOMY" eval m many.csv >out || echo failed
head -n 1 out | sed "s/$n/#/g"
grep -c 'taken for' out
# A few of many classes, and most of them: the same order.
head -n 40 many.csv >some.csv
"$POLYTOMY" predict m some.csv --top 16 | sed -n 7p | tr ';' '\n' >few
"$POLYTOMY" predict m some.csv --top 17 | sed -n 7p | tr ';' '\n' | head -n 16 >most
"$POLYTOMY" predict m some.csv --rank | sed -n 7p | tr '>' '\n' | head -n 16 >all
cmp few most && cmp few all && echo "the same order"
"$POLYTOMY" predict m some.csv --top 1 >one
"$POLYTOMY" predict m some.csv | cmp - one && echo "the first is the label"
"$POLYTOMY" info m >out
head -n 1 out | sed "s/[0-9.]* [kM]B/# kB/; s/$n/#/"
