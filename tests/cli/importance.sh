# Which columns a model needs.
. "$CASES/lib.sh"
awk 'BEGIN { print "noise,size,color,shape,class"
    for (i = 0; i < 120; i++)
        print (i * 37) % 11 "," i % 3 + (i % 7) / 7 "," (i % 2 ? "red" : "blue") "," \
            (i % 3 == 2 && i % 10 ? "round" : "flat") "," substr("abc", i % 3 + 1, 1) }' >rows.csv
awk 'NR == 1 || int(NR / 3) % 2' rows.csv >train.csv
awk 'NR == 1 || int(NR / 3) % 2 == 0' rows.csv >test.csv
quiet train train.csv -o m --machine tree --calibrate no
t importance m test.csv
t importance m test.csv --together 'n*,size,4' --permutations 2 --metric macro-f1
t importance m test.csv --top 1
t importance m test.csv --top 1 --json | sed -e '/"seconds"/,/}/d' -e '/"parameters"/,/}/d' -e '/version/d' -e '/"interval"/,/]/d'
# Rows of training; another number of threads; a column that training did not have.
t importance m train.csv --top 1
"$POLYTOMY" importance m test.csv --threads 1 >one
"$POLYTOMY" importance m test.csv --threads 2 | cmp one - && echo same
sed 's/^/9,/; 1s/^9/more/' test.csv >more.csv
t importance m more.csv --top 1
# What is refused.
t importance m test.csv --together zebra
t importance m test.csv --metric kendall-tau
t importance m test.csv --top 0
t importance m test.csv --permutations 0
t importance m
cut -d , -f 1-4 test.csv >unlabelled.csv
t importance m unlabelled.csv
printf 'noise,size,color,shape,class\n1,2,red,flat,\n' >none.csv
t importance m none.csv
cut -d , -f 1,3-5 test.csv >fewer.csv
t importance m fewer.csv
printf '0,1\n1,0\n' >costs.csv
t importance m test.csv --costs costs.csv
t importance m test.csv --costs costs.csv --metric mcc
