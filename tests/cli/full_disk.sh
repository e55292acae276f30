# A disk that fills up while a file is written: a small file system where we may mount one; else a
# limit on the size of files, which fails in the same place.
. "$CASES/lib.sh"
awk 'BEGIN { srand(1); print "x,y,class"; for (i = 0; i < 6000; i++) print rand() "," rand() "," i % 5 }' >data.csv
mkdir disk
mounted=
if mount -t tmpfs -o size=64k none disk 2>/dev/null; then mounted=yes; else ulimit -f 64; fi
echo old >disk/m
"$POLYTOMY" train data.csv -o disk/m --sigma 1 --ridge 1 >out 2>&1
echo "exit $?"
grep -c -e 'No space left' -e 'File too large' out
ls disk
cat disk/m
"$POLYTOMY" synth ass -n 100000 -o disk/x.csv >out 2>&1
echo "exit $?"
grep -c -e 'No space left' -e 'File too large' out
quiet train data.csv -o m --kernel linear --ridge 1
"$POLYTOMY" predict m data.csv --scores -o disk/scores.csv >out 2>&1
echo "exit $?"
grep -c -e 'No space left' -e 'File too large' out
ls disk
[ ! "$mounted" ] || umount disk
