# Names that are nearly those of columns.
. "$CASES/lib.sh"
awk 'BEGIN { print "Site,Flow [l/min],x12,Inspected on,Remark,Condition"; for (i = 0; i < 40; i++)
    printf "%s,%d.5,%d,2024-01-%02d,%s,%s\n", i % 2 ? "N" : "S", i % 7, i % 3, i % 28 + 1, i % 5 ? "" : "seen", i % 2 ? "ok" : "worn" }' >log.csv
t info log.csv --label condition
t info log.csv --label Conditon
t info log.csv --ignore Remarks
t info log.csv --types flow=number
t info log.csv --weight x13
t info log.csv --label Zebra
quiet train log.csv -o m --ignore Remark
for change in 's/Site/Sites/' 's/Flow \[l/Flow [L/' 's/Inspected/Inspectd/' 's/x12/x13/'; do
    sed "1$change" log.csv | "$POLYTOMY" predict m - 2>&1 | tail -n 1
done
# Every name of a list is one of a column.
for label in Conditon,x12 Condition,Zebra x12,Condition 6,9; do
    t info log.csv --label "$label" -q
done
t info log.csv --ranks 'x1*,L9' -q
