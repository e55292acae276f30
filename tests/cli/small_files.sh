# Files of costs, codes and kernels on labels are read as data files are: quotes, semicolons, tabs.
. "$CASES/lib.sh"
cat >odd.csv <<'END'
x,class
1,"a,1"
1.1,"a,1"
1.2,"a,1"
3,"b ""q"""
3.1,"b ""q"""
3.2,"b ""q"""
END
printf 'class;"a,1";"b ""q"""\n"a,1";0;2\n"b ""q""";1;0\n' >costs.csv
quiet train odd.csv -o m --machine spoc --costs costs.csv
printf 'class\t"a,1"\t"b ""q"""\r\n"a,1"\t0\t2\r\n"b ""q"""\t1\t0\r\n' >costs.tsv
quiet train odd.csv -o m2 --machine spoc --costs costs.tsv
"$POLYTOMY" predict m odd.csv --scores >scores
"$POLYTOMY" predict m2 odd.csv --scores | cmp - scores && echo the same
printf '# a code\n\n"b ""q""" ; 1;-1\n"a,1" ;-1; 1\n' >code.csv
quiet train odd.csv -o m --code code.csv --learner ls
"$POLYTOMY" predict m odd.csv
printf '"a,1";0;2,5\n"b ""q""";1,25;0\n' >comma.csv
printf '"a,1",0,2.5\n"b ""q""",1.25,0\n' >point.csv
quiet train odd.csv -o m --machine spoc --costs comma.csv
quiet train odd.csv -o m2 --machine spoc --costs point.csv
"$POLYTOMY" predict m odd.csv --scores >scores
"$POLYTOMY" predict m2 odd.csv --scores | cmp - scores && echo the same
printf '0;2,5,1\n1;0\n' >two.csv
t train odd.csv -o m --machine spoc --costs two.csv
printf -- '-1;1\n1;-1\n' >signs.csv
quiet train odd.csv -o m --code signs.csv --learner ls
printf '"a,1,0,2\n' >open.csv
t train odd.csv -o m --machine spoc --costs open.csv
printf '"a\n1";0;2\nb;1\n' >lines.csv
t train odd.csv -o m --machine spoc --costs lines.csv
rm -f m m2
