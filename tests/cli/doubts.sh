# Figures that would say nothing, and labels that are the same in other words: noticed and said.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --ridge 1 --sigma 1

# Rankings of single classes: no two classes are in order, every prediction would be right.
t eval m three.csv --labels ranking
t eval m three.csv --labels pairs
t train three.csv -o none --labels ranking
t cv three.csv --labels ranking --machine rank-ls --ridge 1 --sigma 1
t compare three.csv --labels ranking --machine rank-ls --machine constraint
sed -e '2s/a$/a>b/' -e '7s/b$/b>c/' three.csv >some.csv
"$POLYTOMY" eval m some.csv --labels ranking 2>&1 | head -n 3

# The rows of training, in any order of rows and columns, and a file that has some of them.
(sed -n 1p three.csv && sed 1d three.csv | sort -r) | awk -F, '{ print $3 "," $2 "," $1 }' >shuffled.csv
sed -e '2,6s/$/x/' -e 's/ax$/b/' three.csv >part.csv
awk -F, 'NR > 1 { $1 += 0.25 } { print $1 "," $2 "," $3 }' three.csv >other.csv
for file in three.csv shuffled.csv part.csv other.csv; do
    echo "eval $file"
    "$POLYTOMY" eval m $file -q | head -n 1
    "$POLYTOMY" eval m $file 2>&1 | grep -c 'these very rows'
    "$POLYTOMY" compare three.csv --machine onelsm:ridge=1,sigma=1 --machine tree --test $file --mcnemar 2>&1 |
        grep -E '^warning|McNemar'
done

# Classes that are numbers: 0.0 is 0, in eval and in compare.
sed -e 's/a$/0/' -e 's/b$/1/' -e 's/c$/2/' three.csv >int.csv
sed -e 's/a$/0.0/' -e 's/b$/1.0/' -e 's/c$/2.0/' other.csv >real.csv
sed -e 's/a$/0.0/' -e 's/b$/1/' -e 's/c$/2/' three.csv >one.csv
sed -e '2s/a$/0/' -e 's/a$/0.0/' -e 's/b$/1/' -e 's/c$/2/' three.csv >both.csv
quiet train int.csv -o n --machine code --code ova --learner tree
"$POLYTOMY" eval n real.csv 2>&1 | grep -v ^probabilities
"$POLYTOMY" eval n one.csv 2>&1 >/dev/null
"$POLYTOMY" eval n both.csv 2>&1 | head -n 3
"$POLYTOMY" compare int.csv --machine onelsm:ridge=1,sigma=1 --machine tree --test real.csv --mcnemar 2>&1 | grep -v ' s$'

# Blanks and capitals: a hint. A row of an unknown class has no margin and no infinite figure.
sed -e '2s/a$/A/' three.csv >capital.csv
"$POLYTOMY" eval m capital.csv 2>&1 | grep -E '^warning|^error'
(sed -n 1p three.csv; echo 1,1,z) >unknown.csv
"$POLYTOMY" eval m unknown.csv 2>&1 | grep -v ^probabilities

# Labels that look like sets, rankings or pairs, however they are written; and names that do not.
kinds()
{
    echo "classes $*"
    {
        echo 'x,y,class'
        for class; do
            for i in 1 2 3 4 5 6; do echo "$i,${#class}.$i,\"$class\""; done
        done
    } >kinds.csv
    "$POLYTOMY" info kinds.csv 2>&1 | grep 'look like' || :
}
kinds a b c d e 'a;b' 'b;c' 'c;d'
kinds 'a;b' a b
kinds 'a>b' 'b>a'
kinds 'a;b' 'b;c' 'a;c'
kinds 'a<b<c<d' 'b<a<c<d' 'd<c<b<a'
kinds 'a|b' 'b|c' 'a|c'
kinds a b c d 'a,b'
kinds 'a>b;b>c' 'b>c' 'c>a;a>b'
kinds 'animal > cat' 'animal > dog' 'plant > tree' 'plant > grass'
kinds 'low risk' 'high risk' 'no risk'
kinds A/A A/G G/G
kinds '<30' 30-50 '>50'
kinds 'Smith, John' 'Doe, Jane' 'Miller, Ann'
