# --text: columns of free text become counts of words, stored in the model; --na with numbers.
. "$CASES/lib.sh"
awk 'BEGIN { split("lovely kind superb", w, " "); split("awful cold rude", v, " ")
    split("the room was near our lake with bus and food", f, " "); print "x,remark,class"
    for (i = 0; i < 80; i++) {
        c = i % 2; h = int(i / 2); s = ""
        for (j = 0; j < 7; j++) s = s f[(h * 7 + j * j * 3 + h * j) % 10 + 1] " "
        s = s (c ? w[h % 3 + 1] : v[h % 3 + 1]) " " f[h * 13 % 10 + 1] " number" i
        print h * 37 % 11 "," s "," (c ? "good" : "bad")
    } }' >reviews.csv
"$POLYTOMY" info reviews.csv 2>&1 | sed -n '1,5p'
"$POLYTOMY" info reviews.csv --text | sed -n '3,4p'
"$POLYTOMY" cv reviews.csv --machine softmax 2>/dev/null | grep '^error'
"$POLYTOMY" cv reviews.csv --machine softmax --text | grep '^error'
quiet train reviews.csv --text --machine softmax -o r
# The model knows that the column is a text, in long files and in short ones.
"$POLYTOMY" eval r reviews.csv 2>/dev/null | grep '^error'
printf 'remark,x\nKIND and lovely,3\nrude,\n' >new.csv
t predict r new.csv
# Numbers that mean missing.
printf 'a,class\n1,x\n-999,y\n2,x\n-999.0,y\n3,x\n' >gaps.csv
"$POLYTOMY" info gaps.csv --na -999 | sed -n '2,3p'
# Many places for words: rows are sparse, and what is told of them is the same row by row.
t train reviews.csv --text --text-bits 18 --machine onelsm --kernel rbf --sigma 3 --ridge 0.1 -o wide --missing indicator --memory 60M -q
"$POLYTOMY" eval wide reviews.csv --memory 60M 2>/dev/null | grep '^error'
"$POLYTOMY" predict wide reviews.csv --memory 60M >all
(sed -n 1p reviews.csv; sed -n 81p reviews.csv) >last.csv
[ "$("$POLYTOMY" predict wide last.csv)" = "$(sed -n 80p all)" ] && echo "the last row alone: the same"
# Trees see the counts of words, too.
"$POLYTOMY" cv reviews.csv --machine tree --text | grep '^error'
