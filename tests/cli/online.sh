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
t train --online s.svm -o m --labels ranking
t train --online none.svm -o m
gzip -c s.svm >s.svm.gz
t train --online s.svm.gz -o m
t train s.svm -o m --resume state
: >empty.svm
t train --online empty.svm -o m
# Weights that grow beyond all numbers make no model.
printf 'b 1:1e308\na 1:1e308\nb 1:-1e308\na 1:1e308\nb 1:-1e308\na 2:1e308\nb 2:1e308\n' >large.svm
t train --online large.svm -o m
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
