# cv --predictions: what was predicted for each row while it was held out; and what that says.
. "$CASES/lib.sh"
three | sed '/^0.1,0,a/i\
\
# a comment' | sed 's/^5.2,0.1,b/5.2,0.1,/' >three.csv
m='--machine onelsm --sigma 1 --ridge 0.1 --folds 3 --comment # --skip-unlabelled -q'
shorter()
{
    sed 's/\([0-9]\.[0-9][0-9]\)[0-9]*/\1/g'
}
t cv three.csv $m --predictions held.csv
cut -d, -f1-4 held.csv
head -3 held.csv | shorter
t cv three.csv $m --repeat 2 --predictions held.csv --metric brier
cut -d, -f2,3 held.csv | sort | uniq -c
head -2 held.csv | shorter
echo "never held out; other kinds of labels; arrays:"
awk -F, 'NR == 1 { print $0 ",f" } NR > 1 { print $0 "," (NR % 3 - 1) }' <<END >folds.csv
$(three)
END
t cv folds.csv --machine onelsm --sigma 1 --ridge 0.1 --fold f --predictions held.csv -q
cut -d, -f1-4 held.csv
three | sed '1s/class/tags/; s/a$/a;b/; s/c$/"b;c"/' | sed '2s/a;b$//' >sets.csv
t cv sets.csv --labels set --label tags --machine rank-ls --sigma 1 --ridge 0.1 --folds 3 --predictions held.csv
cut -d, -f1-4 held.csv | head -4
three | sed '1s/class/order/; s/a$/a>b=c/; s/b$/b>a/; s/,c$/,c>b>a/' >orders.csv
t cv orders.csv --labels ranking --label order --machine rank-ls --sigma 1 --ridge 0.1 --folds 3 --predictions held.csv -q
cut -d, -f1-4 held.csv | sort -u -t, -k3,4
three | tail -n +2 | sed 's/a$/a>b;a>c/; s/,b$/,b>a/; s/,c$/,c>a;c>b/' | sed '1i x,y,pairs' >pairs.csv
t cv pairs.csv --labels pairs --label pairs --machine rank-ls --sigma 1 --ridge 0.1 --folds 3 --predictions held.csv -q
cut -d, -f1-4 held.csv | sort -u -t, -k3,4
echo "with a model, with JSON:"
t cv three.csv $m --grid ridge=0.1,1 --predictions held.csv -o model
"$POLYTOMY" cv three.csv $m --json --metric log-loss | sed -n '/"held_out"/,/"per_class"/p' | grep -e held_out -e calib -e '"n"' -e brier | shorter
for i in $(seq 1 18); do for j in 1 2 3 4; do echo "$((i * 7 % 18 / 2)).$j,0,c$i"; done; done | sed '1i x,y,class' >many.csv
t cv many.csv --machine tree --folds 4 | grep -e confused -e taken | head -3
t cv many.csv --machine tree --folds 4 --confusion | grep -c '^ *c[0-9]* '
echo "refused:"
rm held.csv
t cv three.csv $m --predictions three.csv
t cv three.csv $m --predictions -
t cv three.csv $m --predictions held.csv -o held.csv
t cv three.csv $m --predictions no/such/held.csv
t cv three.csv $m --predictions held.csv --machine tree
t cv missing.csv --predictions held.csv
t cv three.csv $m --predictions /dev/full
ls
