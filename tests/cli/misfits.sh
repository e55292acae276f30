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
# ... nor is a number of the other decimal sign, where other texts are no error; words still are none
awk 'BEGIN { print "amp;class"; for (i = 0; i < 60; i++)
    printf "%s;%s\n", i % 9 ? i % 3 * 5 ",5" : "OVL", substr("abc", i % 3 + 1, 1) }' >comma.csv
quiet train comma.csv -o comma --sigma 1 --ridge 0.1 --calibrate no
for cell in OVL off '5,5' '5.5'; do
    printf 'amp\n5,5\n%s\n' "$cell" >new.csv
    t predict comma new.csv --sep semicolon
done
t predict comma new.csv --sep semicolon --na +5.5
sed 's/,/./' comma.csv >point.csv
quiet train point.csv -o point --sigma 1 --ridge 0.1 --calibrate no
printf 'amp;x\n5.5;1\n5,5;1\n' >new.csv
t predict point new.csv
# a limit is no missing cell, and the warnings say so
awk 'BEGIN { print "crp,dose,lead,class"; for (i = 0; i < 60; i++)
    printf "%s,%s,%s,%s\n", i % 6 ? i % 7 + 1 : "<5", i % 4 ? i % 5 : i % 8 ? "> " i % 3 + 20 : "<=0." i % 9, i % 11 ? i % 3 : "none yet", substr("abc", i % 3 + 1, 1) }' >limits.csv
t info limits.csv | grep '^warning'
# decimal commas beside decimal points
awk 'BEGIN { print "cost,class"; for (i = 0; i < 60; i++)
    printf "\"%s\",%s\n", i % 2 ? i % 7 ",5" : i % 7 ".25", substr("abc", i % 3 + 1, 1) }' >both.csv
t info both.csv | head -n 2
awk 'BEGIN { print "cost,x,class"; for (i = 0; i < 60; i++)
    printf "\"%d%s\",%d,%s\n", i, i % 2 ? ",5" : ".25", i % 7, substr("abc", i % 3 + 1, 1) }' >all.csv
t info all.csv | grep cost # which differ, and name no rows
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
