# ARFF: sparse files stay sparse whatever they declare, labels by Mulan's XML and MEKA's header, doubts.
. "$CASES/lib.sh"
cat >words.arff <<'END'
@relation 'words: -C -2'
@attribute wheat {0,1}
@attribute oil {0,1}
@attribute day {mon,tue,wed}
@attribute length numeric
@attribute 'T food' {0,1}
@attribute T&energy {0,1}
@data
{0 1, 3 2.5, 4 1}
{0 1, 2 wed, 4 1}
{0 1, 3 1, 4 1}
{1 1, 3 2, 5 1}
{1 1, 2 tue, 5 1}
{1 1, 3 0.5, 5 1}
{0 1, 1 1, 2 tue, 4 1, 5 1}
{0 1, 1 1, 4 1, 5 1}
END
t info words.arff
# The same rows, dense, say the same to the model.
awk 'BEGIN { FS = "[{}, ]+" } /^@relation/ { print "@relation r"; next } /^@/ { print; next }
    { split("0 0 mon 0 0 0", c, " "); for (i = 2; i < NF; i += 2) c[$i + 1] = $(i + 1)
      print c[1] "," c[2] "," c[3] "," c[4] "," c[5] "," c[6] }' words.arff >dense.arff
quiet train words.arff -o w --machine relevance --learner ls --kernel linear --ridge 0.1
"$POLYTOMY" eval w words.arff | head -n 2
"$POLYTOMY" predict w words.arff --scores >sparse.txt
"$POLYTOMY" predict w dense.arff --scores >dense.txt
cmp sparse.txt dense.txt
# Without a word on the labels the last columns are doubted; Mulan's file names them.
sed 's/: -C -2//; s/length numeric/long {0,1}/; s/3 [0-9.]*,/3 1,/' words.arff >plain.arff
t info plain.arff
cat >names.xml <<'END'
<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<!-- <label name="oil"/> -->
<label name="T&#32;food"></label>
<label name='T&amp;energy'/>
</labels>
END
t info plain.arff --labels-xml names.xml
cp names.xml plain.xml
cp plain.arff plain-train.arff
t info plain-train.arff
t info plain-train.arff --label T?energy
sed -i 's/food/fruit/' names.xml
t info plain.arff --labels-xml names.xml
t info plain.arff --labels-xml plain.arff
sed 's/-C -2/-C 9/' words.arff >nine.arff
t info nine.arff
# Levels that training never saw: one line for all columns.
for v in "p q r s" "p q r t"; do
    set -- $v
    { echo "@relation r"; for j in 1 2 3 4 5; do echo "@attribute c$j {$1,$2,$3,$4}"; done
      echo "@attribute class {a,b}"; echo @data
      echo "$1,$1,$1,$1,$1,a"; echo "$2,$2,$2,$2,$2,b"; echo "$3,$4,$4,$4,$4,a"; } >"levels_$4.arff"
done
quiet train levels_s.arff -o l --ridge 1 --kernel linear
t predict l levels_t.arff
# labels that the header names are no ranks, whatever they are called
sed "s/-C -2/-C -3/; s/length numeric/L1 {0,1}/; s/'T food'/L2/; s/T&energy/L3/; s/3 [0-9.]*,/3 1,/" words.arff >named.arff
t info named.arff
