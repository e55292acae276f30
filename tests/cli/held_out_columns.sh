# Columns that say how rows are held out: groups, folds and times, in every format that has columns.
. "$CASES/lib.sh"
# Twelve patients of one class each, ten visits; a day a visit; a fold for each three patients.
awk 'BEGIN { srand(1); print "x,y,patient,fold,day,class"
    for (i = 0; i < 120; i++) { g = i * 7 % 12; c = g % 3
        x = c + (i * 37 % 101) / 60 - 0.8; y = (i * 61 % 89) / 50 + (c == 1)
        printf "%.3f,%.3f,p%02d,%s,%04d-%02d-%02d,%s\n", x, y, g, g % 4 ? "f" g % 4 : -1, 2020, 1 + int(i / 28), 1 + i % 28, substr("abc", c + 1, 1) } }' >visits.csv
m='--machine onelsm --sigma 1 --ridge 0.1'
t cv visits.csv --group patient --ignore fold,day $m
t cv visits.csv --fold fold --ignore patient,day $m
t cv visits.csv --time-column day --folds 5 --ignore patient,fold $m
t cv visits.csv --group patient --loo --ignore fold,day $m
t cv visits.csv --group patient --folds 5 --repeat 3 --ignore fold,day $m --machine tree
t compare visits.csv --group patient --ignore fold,day $m --machine tree -q
"$POLYTOMY" cv visits.csv --group patient --ignore fold,day $m --json | grep -e '"n_folds"' -e '"folds_by"' -e '"n_groups"' -e '"n_times"' -e '"group"'
"$POLYTOMY" cv visits.csv --fold fold --ignore patient,day $m --json | grep -e '"n_folds"' -e '"folds_by"' -e '"n_groups"' -e '"n_times"'
"$POLYTOMY" cv visits.csv --time-column day --ignore patient,fold $m --json | grep -e '"n_folds"' -e '"folds_by"' -e '"n_groups"' -e '"n_times"'

echo 'the same by number, from a file without names, from other formats:'
same()
{
    "$POLYTOMY" cv "$@" $m --kernel rbf --scale none | grep -e '^error' -e 'folds'
}
tail -n +2 visits.csv >bare.csv
same visits.csv --group patient --fold fold --ignore day
same bare.csv --group 3 --fold 4 --ignore 5
tr , '\t' <visits.csv >visits.tsv
same visits.tsv --group patient --fold fold --ignore day
{ printf '@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute patient string\n@attribute fold {f1,f2,f3,-1}\n@attribute day string\n@attribute class {a,b,c}\n@data\n'; tail -n +2 visits.csv; } >visits.arff
same visits.arff --group patient --fold fold --ignore day
same visits.csv --time-column day --ignore patient,fold
same visits.arff --time-column day --ignore patient,fold
same bare.csv --time-column 5 --ignore 3,4
# Small numbers: bytes of a matrix of numpy, and sparse rows. 0 is what a sparse row leaves out.
awk 'BEGIN { for (i = 0; i < 60; i++) print (i * 7) % 11, i % 3 + i % 4, i % 7, i % 7 % 3, int(i / 4), i % 3 }' >small
{ printf '\223NUMPY\001\000\166\000'; printf "%-117s\n" "{'descr': '|u1', 'fortran_order': False, 'shape': (60, 6), }"; printf "$(awk '{ for (j = 1; j <= NF; j++) printf "\\%03o", $j }' small)"; } >small.npy
{ echo 'x,y,g,f,t,class'; tr ' ' , <small; } >small.csv
{ printf '@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute g numeric\n@attribute f numeric\n@attribute t numeric\n@attribute class {0,1,2}\n@data\n'; awk '{ s = ""; for (j = 1; j <= NF; j++) if ($j) s = s (s == "" ? "" : ", ") j - 1 " " $j; print "{" s "}" }' small; } >small.arff
for file in small.csv small.npy small.arff; do
    same $file --group 3 --ignore 4,5
    same $file --fold 4 --ignore 3,5
    same $file --time-column 5 --folds 4 --ignore 3,4
done

echo 'models know the column, files may lack it:'
cut -d, -f1,2,6 visits.csv >plain.csv
tail -n +2 plain.csv >plain-bare.csv
quiet train visits.csv --group patient --ignore fold,day $m -o named
quiet train bare.csv --group 3 --ignore 4,5 $m -o numbered
for file in visits.csv plain.csv; do "$POLYTOMY" eval named $file -q; done
"$POLYTOMY" eval named visits.csv --group patient -q
for file in bare.csv plain-bare.csv; do "$POLYTOMY" eval numbered $file -q; done
t info named | grep -e patient -e ignored

echo 'written:'
"$POLYTOMY" convert visits.csv - --group patient --fold fold --time-column day | head -n 3
t convert visits.csv out.svm --group patient --ignore fold,day
[ ! -e out.svm ] || echo "written all the same"
