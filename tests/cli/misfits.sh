# Cells that are no numbers among numbers: what training took for missing or for a number, prediction does, too.
. "$CASES/lib.sh"
awk 'BEGIN { print "volt,amp,class"; for (i = 0; i < 60; i++)
    printf "%s,%s,%s\n", i % 9 ? i % 3 * 5 + i % 7 : "OVL", i % 2 ? i % 5 : "(" i % 5 ".5)", substr("abc", i % 3 + 1, 1) }' >log.csv
t train log.csv -o m --sigma 1 --ridge 0.1 --calibrate no
t info m | grep -B 1 misfits
t eval m log.csv -q --json | grep -o '"wrong": [0-9]*\|^exit.*\|^polytomy.*\|^log.*'
printf 'volt,amp\nERR,3\n3,4\n' >new.csv
t predict m new.csv
# signs that training takes for plain numbers: brackets, a minus behind, the minus of typographers
printf 'volt,amp\n3,(1.5)\n3,1.5-\n3,\342\210\2221.5\n3,-1.5\n' >signs.csv
t predict m signs.csv --scores | uniq | sed 's/^-*[0-9].*/the same scores/' # whose last digits are the processor's
# what no cell was in training is refused still, and a percent or a comma is not passed over
for cell in red 5% '"1,234"' '$5'; do
    printf 'volt,amp\n3,%s\n' "$cell" >bad.csv
    t predict m bad.csv
done
# decimal commas beside decimal points
awk 'BEGIN { print "cost,class"; for (i = 0; i < 60; i++)
    printf "\"%s\",%s\n", i % 2 ? i % 7 ",5" : i % 7 ".25", substr("abc", i % 3 + 1, 1) }' >both.csv
t info both.csv | head -n 2
awk 'NR == 1 || NR % 2' both.csv >one.csv # one of the two alone
t info one.csv | grep cost
# percents without their sign are said; a date that is not there has the name that it has in files
awk 'BEGIN { print "share,day,class"; for (i = 0; i < 60; i++)
    printf "%d%%,2024-%02d-%02d,%s\n", i % 3 * 30 + i % 7, i % 12 + 1, i % 28 + 1, substr("abc", i % 3 + 1, 1) }' >share.csv
quiet train share.csv -o s --sigma 1 --ridge 0.1 --calibrate no
printf 'share,day\n0.32,2024-05-02\n' >bare.csv
t predict s bare.csv
printf 'share\n32%%\n' >no_day.csv
t predict s no_day.csv
printf 'share,Day\n32%%,2024-05-02\n' >capital.csv
t predict s capital.csv
quiet convert share.csv numbers.csv --to csv
t predict s numbers.csv | head -n 3
