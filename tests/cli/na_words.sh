# Words of --na: a + before any of them, and those that no cell is.
. "$CASES/lib.sh"
awk 'BEGIN { print "a,b,class"; for (i = 0; i < 60; i++)
    printf "%s,%s,%s\n", i % 9 == 4 ? -999 : i % 9 == 7 ? "NA" : i % 9, i % 5 ? substr("uvw", i % 3 + 1, 1) : "pending", i % 2 ? "x" : "y" }' >some.csv
for na in '+pending,+-999' '+pending,-999' 'pending,+-999' 'pending,-999'; do
    echo "== $na"
    "$POLYTOMY" info some.csv --na "$na" 2>&1 | grep -E '^warning|^columns|^ +[12] '
done
echo "== words that are not there"
"$POLYTOMY" info some.csv --na +Pending,+-99,+pending 2>&1 | grep -E '^warning|^columns'
"$POLYTOMY" info some.csv --na -,NA,N/A 2>&1 | grep -e '--na:'
"$POLYTOMY" train some.csv --na +pending,+-999 -o m -q
printf 'a,b\n1,u\n-999,pending\n' | "$POLYTOMY" predict m -
echo "== words of the model, and more of them"
# -999 is missing still where predict names another word; without + its list takes the place
printf 'a,b\n-999,u\n4,v\n-5,lost\n' >later.csv
sed 's/lost//' later.csv | "$POLYTOMY" predict m - --scores >usual
for na in +lost lost +pending,+-999,lost; do
    "$POLYTOMY" predict m later.csv --scores --na "$na" 2>&1 | cmp -s - usual && echo "$na: the same" || echo "$na: other scores"
done
echo "== a + alone is a word"
printf 'a,b,class\n+,1,x\n-,2,y\n+,3,x\n-,4,y\n' >signs.csv
"$POLYTOMY" info signs.csv --na + 2>&1 | grep -E '^columns'
