# Small compressed files that hold much: refused at the limit, the way that fits is named and works.
. "$CASES/lib.sh"
(echo x,class; yes '1,a' | head -n 15000000) | gzip -1 >rows.csv.gz
(echo name,class; awk 'BEGIN { for (i = 0; i < 600000; i++) print "u" i ",a" }') | gzip -1 >names.csv.gz
t info rows.csv.gz --memory 20M
t train rows.csv.gz -o m --memory 20M
t info names.csv.gz --memory 20M --threads 1
# A column that is missing is told after the first part: the broken row is never reached.
three >three.csv
quiet train three.csv -o m --sigma 1 --ridge 1
(echo x,z; yes '1,2' | head -n 800000; echo 1,2,3) >long.csv
t predict m long.csv --memory 20M
# In parts, errors name the line, and nothing is printed before.
(echo x,y; yes '1,2' | head -n 800000; echo 1,2,3) >long.csv
t predict m long.csv --memory 20M
(echo x,y; yes '1,2' | head -n 800000) >long.csv
"$POLYTOMY" predict m long.csv --memory 20M | uniq -c
gzip -c long.csv | "$POLYTOMY" predict m - --memory 20M | uniq -c
rm -f m
