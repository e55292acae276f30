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
# Files that are no data: a model, and what other compressors make (their first bytes).
quiet train "$DATA/iris.csv" -o iris.model --sigma 1 --ridge 1
t train iris.model -o m
t predict iris.model iris.model
printf 'BZh91AY&SY\001\002\003\004' >data.csv.bz2
t train data.csv.bz2 -o m
printf '\3757zXZ\000\000\004' >data.csv.xz
t train data.csv.xz -o m
printf 'POLYTOMY,BZh,class\n1,2,a\n3,4,b\n' >words.csv
t train words.csv -o w --sigma 1 --ridge 1 -q
rm iris.model words.csv w
# 100 MB without a line break: one row, so one class.
head -c 100000000 /dev/zero | tr '\0' 7 >line.csv
t train line.csv -o m --sigma 1 --ridge 1
head -c 100000000 /dev/zero | tr '\0' , >commas.csv
"$POLYTOMY" train commas.csv -o m --sigma 1 --ridge 1 --memory 200M >out 2>&1
code=$?
[ $code -eq 1 ] && echo "a line of commas: exit 1" || { echo "exit $code"; cut -c 1-300 out; }
ls | grep -v -e out -e "^data"
