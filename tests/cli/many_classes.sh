# Five thousand classes.
. "$CASES/lib.sh"
awk 'BEGIN { print "x,y,class"; for (i = 0; i < 5000; i++) print i % 71 "," int(i / 71) ",c" i }' >many.csv
quiet train many.csv -o m --kernel linear --ridge 0.001
"$POLYTOMY" eval m many.csv >out || echo failed
head -n 1 out
grep -c 'taken for' out
"$POLYTOMY" predict m many.csv --top 2 | head -n 1
"$POLYTOMY" info m | head -n 1 | sed 's/[0-9.]* kB/# kB/'
