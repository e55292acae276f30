# What is wrong with columns that say how rows are held out: one line each, and nothing is written.
. "$CASES/lib.sh"
awk 'BEGIN { OFS = ","; print "x,y,g,f,t,id,class"
    for (i = 0; i < 24; i++) print i * 5 % 7, i % 4 + i % 3, "g" i % 4, i % 4 % 2 + 1, 10 + int(i / 3), "r" i, i % 2 ? "a" : "b" }' >data.csv
blur() { sed 's/after [0-9.]* s$/after # s/'; }
rest='--machine onelsm --sigma 1 --ridge 1'
try()
{
    t train "$@" $rest -o none
    [ ! -e none ] || echo "written all the same"
}
sed 's/,g3,/,,/' data.csv >no_group.csv
t cv no_group.csv --group g --ignore f,t,id --folds 4 $rest
t cv data.csv --group id --ignore f,g,t $rest
try data.csv --group id --ignore f,g,t
awk -F, -v OFS=, 'NR > 1 { $6 = "" } { print }' data.csv >no_id.csv
try no_id.csv --group id --ignore f,g,t
t split data.csv --group id --ignore f,g,t -o parts
ls parts.* 2>/dev/null
# In a file for a model each row may be the only one of its group.
quiet train data.csv --group g --ignore f,t,id $rest -o m
awk -F, 'NR == 1 || !seen[$3]++' data.csv >first.csv
t eval m first.csv --group g | head -n 2
t train data.csv --group g --ignore f,t,id $rest -o m --test first.csv | grep -v '^#' | blur
t compare data.csv --group g --ignore f,t,id --machine onelsm --machine tree --test first.csv -q | grep -A 3 first.csv
rm m
try data.csv --group patient
try data.csv --group G
try data.csv --group 9
try data.csv --group 'g,f'
try data.csv --group class
try data.csv --group g --fold g
try data.csv --weight t --time-column t
try data.csv --fold 'f,h'
awk -F, -v OFS=, 'NR > 1 { $4 = 7 } { print }' data.csv >one_fold.csv
try one_fold.csv --fold f --ignore g,t,id
awk -F, -v OFS=, 'NR > 1 { $4 = "" } { print }' data.csv >no_fold.csv
try no_fold.csv --fold f --ignore g,t,id
awk -F, -v OFS=, 'NR > 1 { $4 = NR == 20 ? "late" : "early" } { print }' data.csv >cut.csv
try cut.csv --group g --fold f --ignore t,id
awk -F, -v OFS=, 'NR > 1 { $3 = "all" } { print }' data.csv >one_group.csv
try one_group.csv --group g --ignore f,t,id
sed '5s/,1[0-9],/,soon,/' data.csv >text_time.csv
try text_time.csv --time-column t --ignore g,f,id
try data.csv --time-column g --ignore f,id
sed '7s/,1[0-9],/,,/' data.csv >no_time.csv
try no_time.csv --time-column t --ignore g,f,id
awk -F, -v OFS=, 'NR > 1 { $5 = "3 May 2021" } { print }' data.csv >one_time.csv
try one_time.csv --time-column t --ignore g,f,id
try data.csv --time-column t --group g --ignore f,id
try data.csv --time-column t --fold f --ignore g,id
t cv data.csv --time-column t --ignore g,f,id --loo $rest
t cv data.csv --time-column t --ignore g,f,id --repeat 3 $rest
t cv data.csv --time-column t --ignore g,f,id --stratify no $rest
t cv data.csv --time-column t --ignore g,f,id --folds 8 $rest
t cv data.csv --time-column t --ignore g,f,id $rest -q
t cv data.csv --fold f --ignore g,t,id --folds 3 $rest
t compare data.csv --time-column t --ignore g,f,id $rest --machine tree
t compare data.csv --test data.csv --mcnemar --time-column t --ignore g,f,id $rest --machine tree -q
awk -F, -v OFS=, 'NR > 1 { $5 = "0" 1 + NR * 4 % 9 "/0" 1 + NR % 9 "/2021" } { print }' data.csv >order.csv
t cv order.csv --time-column t --ignore g,f,id --folds 3 $rest
for order in dmy mdy; do
    head -n 3 order.csv >few.csv
    "$POLYTOMY" convert few.csv - --time-column t --types t=$order --ignore g,f,id
done
printf '1 1:1\n2 2:1\n1 1:2\n2 2:2\n' >s.svm
for option in group fold time-column; do try s.svm --$option 1; done
t train data.csv --online --group g --ignore f,t,id --machine constraint -o none
[ ! -e none ] || echo "written all the same"
t split data.csv --time-column t --group g --ignore f,id -o parts
t split data.csv --time-column t --fold f --ignore g,id -o parts
ls parts.* 2>/dev/null || echo none
