# A continuous code for the columns of a model that is there.
# needs: clp
. "$CASES/lib.sh"
# Numbers that the last bits of a processor may change.
blur()
{
    sed -E '/^(norm|primal) /s/(C|slack|primal|dual|gap|, norm|: norm) [0-9.e+-]+/\1 #/g'
}
three >three.csv
quiet train three.csv -o m --code ova --learner linear-svm
t code design m three.csv -o m2 --design-C 1 | blur
"$POLYTOMY" info m2 | grep -e '^machine' -e '^columns' -e '^discrete_cost' -e '^held_out_cost'
t predict m2 three.csv --top 1 -o labels.txt
sort labels.txt | uniq -c | sed 's/^ *//'
t code-design m three.csv -o m3 --design-C 1 -q
cmp m2 m3 && echo the same
t code design m three.csv -o m2 --norm 1 --design-C 1 --design-folds 0 | blur
t code design m three.csv -o m2 --norm inf --design-form hard --design-bound 0.25 | blur
t code design m three.csv -o m2 --design-form pairs --design-C 1 | blur
t code design m three.csv -o m2 --design-C 1 --json | grep -e '"command"' -e '"held_out_cost"' -e '"discrete_cost"' -e '"design_C"' -e '"norm"'
printf ',a,b,c\na,0,1,4\nb,1,0,1\nc,2,1,0\n' >costs.csv
t code design m three.csv -o m2 --design-C 1 --costs costs.csv | blur

# Other machines with columns; a designed model anew; what its columns say.
for machine in adaboost-mo adaboost-mh ls-ovo:sigma=1,ridge=1 class-tree:learner=linear-svm; do
    quiet train three.csv -o other --machine $machine
    t code design other three.csv -o m3 --design-C 1 | grep -e '^designed' -e '^held' -e '^exit'
    t code design m3 three.csv -o m4 --norm 1 --design-C 1 | grep -e '^held' -e '^exit'
    quiet predict m4 three.csv -o labels.txt
done
t eval m4 three.csv | sed -n '/^code:/,/^decoding/p;/^columns$/,/^decoding/p' | sed -E 's/(loss|bound).*/\1 #/'
t train three.csv -o m3 --machine designed --design-machine adaboost-mh --rounds 5 -q
t train three.csv -o m3 --machine designed --design-machine ls-ovo --interleave 2
t train three.csv -o m3 --machine designed --design-machine ls-ovo --learner tree
t train three.csv -o m3 --machine designed --design-machine onelsm

# Help, under both names.
"$POLYTOMY" help code design >a.txt
"$POLYTOMY" help code-design | cmp - a.txt && head -1 a.txt
t help code dsign

# Refusals.
t code design m
t code design m three.csv
t code design m three.csv -o m3 --interleave 2
t code design m three.csv -o m3 --design-bound 2
printf 'x,y,class\n0,0,a\n5,0,d\n' >other.csv
t code design m other.csv -o m3
printf 'x,y\n0,0\n5,0\n' >none.csv
t code design m none.csv -o m3
quiet train three.csv -o m --machine onelsm --sigma 1 --ridge 1
t code design m three.csv -o m3

# Signs in place of numbers.
quiet train three.csv -o m --code ova --learner linear-svm
t code design m three.csv -o m2 --design-form discrete

# The numbers of the code: of each column they sum up to 0.
quiet code design m three.csv -o m2 --design-C 1
"$POLYTOMY" code m2 | awk -F, '{ print $1, NF; for (i = 2; i <= NF; i++) sum[i] += $i }
    END { for (i = 2; i <= 4; i++) if (sum[i] > 1e-9 || sum[i] < -1e-9) print "column", i, sum[i] }'
"$POLYTOMY" code m2 --json | grep -c -e '"matrix"' -e '"columns": 3'
t code m
t code m2 --show

# Rows that are alone in their class, and too few to hold any out.
printf 'x,y,class\n0,0,a\n' >one.csv
t code design m one.csv -o m2 --design-C 1 | blur
