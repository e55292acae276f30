# Learning from streams: files and pipes, new classes, sets, broken lines, kill -9 and resuming.
. "$CASES/lib.sh"
cat >s.svm <<'END'
1 1:1 2:0.5
2 1:-1 3:1
# a comment

1 1:2 2:1
3 4:1
2 1:-2 3:0.5
1 1:1
3 4:2
END
t train --online s.svm -o m
"$POLYTOMY" predict m s.svm | tr '\n' ' '
echo
"$POLYTOMY" train --online - -o piped <s.svm >/dev/null
"$POLYTOMY" eval piped s.svm | grep -m 1 error
"$POLYTOMY" train --online s.svm -o m --json | sed -n '/"progressive"/,/\]/p'
# Sets of labels.
printf '1,3 1:1\n2 2:1\n 3:1\n1,2 1:1 2:1\n' >sets.svm
for i in 1 2 3 4 5 6 7 8; do cat sets.svm; done >many.svm
t train --online many.svm --labels set -o m
# Hashed features: any index has a place, and the model remembers where.
(cat s.svm; echo '3 4:1 1000000000000:1') >far.svm
t train --online far.svm -o m --hash-bits 10
"$POLYTOMY" predict m far.svm | tr '\n' ' '
echo
"$POLYTOMY" info m | grep hash
t train --online far.svm -o m --hash-bits 31
t train s.svm -o m --machine constraint --method online --hash-bits 10
t train s.svm -o m --machine constraint --hash-bits 10
t train s.svm -o m --hash-bits 10
# Compressed, by what is in it: the same model.
"$POLYTOMY" train --online s.svm -o plain --quiet
gzip -c s.svm >s.svm.gz
"$POLYTOMY" convert s.svm s.svm.zst --quiet
for f in s.svm.gz s.svm.zst; do
    "$POLYTOMY" train --online - -o packed --quiet <$f
    "$POLYTOMY" predict packed s.svm | tr '\n' ' '
    "$POLYTOMY" train --online $f -o packed --quiet && "$POLYTOMY" eval packed s.svm | grep -m 1 error
done
head -c 60 s.svm.gz >cut.svm.gz
t train --online cut.svm.gz -o m
# Tables: columns have names, which the model keeps, in any order.
three >t.csv
t train --online t.csv -o m
"$POLYTOMY" eval m t.csv | grep -m 1 error
awk -F, '{ print $3 "," $2 "," $1 }' t.csv >turned.csv
"$POLYTOMY" eval m turned.csv | grep -m 1 error
"$POLYTOMY" predict m t.csv | sort | uniq -c | tr -s ' '
cut -d, -f1,3 t.csv >narrow.csv
t predict m narrow.csv
t train --online - -o m <turned.csv
# Sets in columns, rankings in a cell and in columns of ranks.
printf 'x,label_a,label_b,label_c\n1,1,0,0\n2,0,1,0\n1,1,1,0\n3,0,0,0\n' >sets.csv # no row has c
t train --online sets.csv -o m --label 'label_*'
printf 'x,z,label\n1,0,a>b>c\n0,1,c>a\n1,0,a>b=c\n0,2,c>b>a\n2,0,a>b>c\n' >order.csv
t train --online order.csv -o m --labels ranking
"$POLYTOMY" predict m order.csv --rank | tr '\n' ' '
echo
printf 'x,L1,L2\n1,1,2\n-1,2,1\n2,1,2\n-2,2,1\n' >ranks.csv
t train --online ranks.csv -o m --ranks 'L*'
printf 'a>b 1:1\nb>a 2:1\na>b 1:2\nb>a 2:2\n' >order.svm
t train --online order.svm -o m --labels ranking --pairs next
# What a table may not have, and where.
(cat t.csv; echo '1,red,a') >red.csv
t train --online red.csv -o m
(cat t.csv; echo '1,,a') >hole.csv
t train --online hole.csv -o m
t train --online t.csv -o m --hash-bits 4
t train --online t.csv -o m --nominal x
# What is wrong, and where.
(cat s.svm; echo '2 1:x') >bad.svm
rm -f m
t train --online bad.svm -o m
t train --online - -o m <bad.svm
ls m 2>&1
t train --online s.svm -o m --update winnow
t train --online s.svm -o m --epochs 2
t train --online s.svm -o m --pairs next
t train --online s.svm -o m --machine onelsm
t train --online none.svm -o m
t train --online s.svm -o m --weight w
t train --online s.svm -o m --format arff
t train s.svm -o m --resume state
: >empty.svm
t train --online empty.svm -o m
# Weights that grow beyond all numbers make no model.
printf 'b 1:1e308\na 1:1e308\nb 1:-1e308\na 1:1e308\nb 1:-1e308\na 2:1e308\nb 2:1e308\n' >large.svm
t train --online large.svm -o m --scale none
t train large.svm -o m --machine constraint --method online --precision double
ls m 2>&1
# Killed in the middle of a pipe, it goes on from the checkpoint, and the model has the same bytes.
"$POLYTOMY" synth hrz -n 6000 --to libsvm -o hrz.svm >/dev/null
head -n 40 hrz.svm | sed 's/^[0-9]*/new/' >late.svm
cat hrz.svm late.svm hrz.svm >long.svm
"$POLYTOMY" train --online - -o whole --quiet <long.svm
mkfifo pipe
"$POLYTOMY" train --online - -o killed --quiet --resume state <pipe &
child=$!
exec 3>pipe
head -n 5000 long.svm >&3
tries=0
while [ ! -s state ] && [ $tries -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -9 $child
wait $child 2>/dev/null
exec 3>&-
[ -e killed ] && echo "a killed run left a model"
"$POLYTOMY" train --online - -o killed --resume state <long.svm 2>&1 | grep -o 'going on after' | head -n 1
cmp whole killed && echo "the same model"
# Once more: nothing is left to learn from. Then other parameters, a shorter stream, a damaged file.
"$POLYTOMY" train --online - -o again --resume state --quiet <long.svm
cmp whole again && echo "the same model"
t train --online long.svm -o m --resume state --update pa
t train --online s.svm -o m --resume state --quiet
head -c 2000 state >damaged
t train --online long.svm -o m --resume damaged
t predict state s.svm
# Features of any size: columns of 1e7, with and without an offset, are told to the learner in units of their own; the same in parts.
awk 'BEGIN { srand(7); print "amount,year,z,class"
    for (i = 0; i < 3000; i++) { a = rand(); y = rand(); z = rand(); print 1e7 * (1 + a) "," 1990 + int(30 * y) "," z "," (a + y + z > 1.5 ? "up" : "down") } }' >sizes.csv
for scale in none auto; do
    for update in perceptron averaged pa; do
        "$POLYTOMY" train --online sizes.csv -o m --update $update --scale $scale --json -q >told
        "$POLYTOMY" eval m sizes.csv --json | awk -v what="$scale $update" '/"error":/ { gsub(",", ""); print what, ($2 < 0.1 ? "below 10 %" : "10 % or more"); exit }'
    done
done
rm -f part
head -n 1500 sizes.csv >first.csv
"$POLYTOMY" train --online first.csv -o m1 --resume part -q >told
"$POLYTOMY" train --online sizes.csv -o m1 --resume part -q >told
"$POLYTOMY" train --online sizes.csv -o m2 -q >told
"$POLYTOMY" predict m1 sizes.csv --scores >s1 && "$POLYTOMY" predict m2 sizes.csv --scores >s2 && cmp s1 s2 && echo 'the same scores'
t train --online sizes.csv -o m1 --resume part --scale none
t train --online sizes.csv -o m1 --resume part --scale range
t train --online sizes.csv -o m --merge no
# The time is over and the stream is not: what was learned by then is the model.
yes '1 1:1
2 2:1' | "$POLYTOMY" train --online - -o short --time 0.5 >out 2>err
echo "exit $?"
grep -c '^warning: the time limit was reached after' err
"$POLYTOMY" predict short s.svm | sort -u | tr '\n' ' '
echo
yes '1 1:1
2 2:1' | "$POLYTOMY" train --online - -o short --time 0.5 --json -q | grep -c '"limited": "time'
"$POLYTOMY" info short --json | grep -c '"limited": "time'
t train --online s.svm -o m --resume no/such/folder/state
