# A file parted into one to train on and one to test on, line by line.
. "$CASES/lib.sh"
three >three.csv
t split three.csv
t split three.csv
t split three.csv --force --test 0.4 --seed 2
sort three.csv >whole; sort three.train.csv three.test.csv | uniq | cmp - whole && echo "every line is there"; rm whole
gzip -k three.csv
t split three.csv.gz -o parts
zcat parts.train.csv.gz parts.test.csv.gz | wc -l
t split three.csv a.csv b.tsv.zst -q
t split - -o piped <three.csv
ls
echo "line ends, comments, quotes:"
printf '# head\na,b,class\r\n1,"x\ny",p\r\n\r\n# about\n3,z,q\r\n5,"w",p\r\n7,u,q' >odd.csv
t split odd.csv --comment '#' --test 0.5 -q
cat odd.train.csv odd.test.csv | od -c | sed 's/ *$//' | head -20
echo "arrays:"
{ printf '\223NUMPY\001\000\166\000'; printf "%-117s\n" "{'descr': '|u1', 'fortran_order': False, 'shape': (6, 3), }"; printf '\001\002\000\003\004\001\005\006\000\007\010\001\011\001\000\002\003\001'; } >six.npy
t split six.npy --test 0.5
cat six.test.csv
echo "groups, folds, times:"
awk 'BEGIN { print "x,g,u,f,t,class"; for (i = 0; i < 60; i++) print i * 37 % 61 "," i % 12 "," i ",1," 60 - i "," substr("ab", 1 + i % 2, 1) }' >g.csv
t split g.csv --group g --ignore u,f,t
cut -d, -f2 g.test.csv | sort | uniq -c
t split g.csv --group u --ignore g,f,t --force
t split g.csv --time-column t --ignore g,u,f --force
cut -d, -f5 g.test.csv | paste -s -d ' '
t split g.csv --fold f --ignore u,g,t -o refused
t split g.csv --group f --ignore u,g,t -o refused
ls refused* 2>&1
echo "rare classes:"
{ three; echo 9,9,rare; } >rare.csv
t split rare.csv --test 0.9
t split rare.csv --test 0.9 --json --force --quiet | grep -A 30 '"train"'
echo "refused:"
for share in 0 1 -0.2 half 0.001; do t split three.csv --test $share -o refused; done
t split three.csv three.csv b.csv
t split three.csv c.csv c.csv
t split three.csv c.csv
t split three.csv c.csv d.csv -o e
t split three.csv - d.csv
t split - <three.csv
t split missing.csv
t split three.csv no/such/folder.csv d.csv
t split three.csv d.csv no/such/folder.csv
t split three.csv d.csv /dev/full --force
t split six.npy d.xyz e.xyz
ls
