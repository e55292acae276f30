# Labels that are sets, rankings and pairs: files, what is wrong with them, info, convert, models.
. "$CASES/lib.sh"
printf 'x,z,tags\n1,2,a;b\n2,1,\n3,5,b\n4,1,a;c\n' >set.csv
t info set.csv --labels set
t convert set.csv set.svm --labels set -q
cat set.svm
t convert set.svm - --labels set -q
printf 'x,class\n1,a>b=c\n2,c>a\n' >ranking.csv
t info ranking.csv --labels ranking
t convert ranking.csv - --labels ranking --to libsvm -q
printf 'x,class\n1,a>b;a>c\n2,b>c>a\n' >pairs.csv
t info pairs.csv --labels pairs
t convert pairs.csv - --labels pairs -q

# several columns
printf 'x,label_a,label_b\n1,0,1\n2,1,1\n3,0,0\n' >columns.csv
t info columns.csv --label 'label_*'
t info columns.csv
t convert columns.csv - --label 'label_*' -q
printf 'x,L1,L2,L3\n1,2,1,3\n2,1,1,\n' >ranks.csv
t info ranks.csv --ranks 'L*'

# in files of semicolons sets stand in quotes; what commas separate are names, which is doubted
printf 'x;z;tags\n1,5;2;"a;b"\n2,5;1;\n3,5;5;b\n4,5;1;"a, c"\n5,5;2;c\n6,5;3;a\n' >german.csv
t info german.csv --labels set

# broken files
printf 'x,class\n1,a\n2,a;b;a\n' >bad.csv
t info bad.csv --labels set
printf 'x,class\n1,a>b;b>a\n' >bad.csv
t info bad.csv --labels pairs
printf 'x,label_a,label_b\n1,0,1\n2,1,maybe\n' >bad.csv
t info bad.csv --label 'label_*'
printf 'x,L1,L2\n1,0,1\n' >bad.csv
t info bad.csv --ranks 'L*'
printf '1,2 1:1\n2,2 1:1\n' >bad.svm
t info bad.svm --labels set
t info bad.svm
t info columns.csv --labels class --label 'label_*'

# a model remembers its label columns; a file may lack them
awk 'BEGIN { print "x,z,label_a,label_b"; for (i = 0; i < 40; i++) {
    x = i % 8 - 3.5; z = int(i / 8) - 2; print x "," z "," (x > 0) "," (z > 0) } }' >train.csv
quiet train train.csv -o m --label 'label_*' --machine constraint
cut -d, -f 1,2 train.csv >bare.csv
cut -d, -f 3,2,1 train.csv >some.csv
"$POLYTOMY" predict m train.csv >with
"$POLYTOMY" predict m bare.csv | cmp - with && echo same
"$POLYTOMY" predict m some.csv 2>warning | cmp - with && echo same
cat warning
t eval m bare.csv
