# Compressed files that end early, a line of 100 MB, a pipe that closes.
. "$CASES/lib.sh"
awk 'BEGIN { srand(1); print "x,y,class"; for (i = 0; i < 5000; i++) print rand() "," rand() "," i % 3 }' >data.csv
gzip -c data.csv >data.csv.gz
head -c 5000 data.csv.gz >cut.csv.gz
t train cut.csv.gz -o m --sigma 1 --ridge 1
head -c 12 data.csv.gz >short.csv.gz
t train short.csv.gz -o m --sigma 1 --ridge 1
{ cat data.csv.gz; echo trailing; } >trailing.csv.gz
t info trailing.csv.gz
quiet convert data.csv data.csv.zst
head -c 5000 data.csv.zst >cut.csv.zst
t train cut.csv.zst -o m --sigma 1 --ridge 1
# 100 MB without a line break: one row, so one class.
head -c 100000000 /dev/zero | tr '\0' 7 >line.csv
t train line.csv -o m --sigma 1 --ridge 1
head -c 100000000 /dev/zero | tr '\0' , >commas.csv
"$POLYTOMY" train commas.csv -o m --sigma 1 --ridge 1 --memory 200M >out 2>&1
code=$?
[ $code -eq 1 ] && echo "a line of commas: exit 1" || { echo "exit $code"; cut -c 1-300 out; }
ls | grep -v -e out -e "^data"
