# Data files that are no good: a clear message and exit code 1, or a documented answer; no model.
. "$CASES/lib.sh"
bad() # NAME: trains on it with fixed parameters
{
    t train "$@" -o m --sigma 1 --ridge 1
    [ ! -e m ] || { echo "a model was written"; rm m; }
}
: >empty.csv
bad empty.csv
printf '\n\n\n' >blank.csv
bad blank.csv
echo 'x,y,class' >header.csv
bad header.csv
printf 'x,class\n1,a\n2,a\n' >one_class.csv
bad one_class.csv
printf 'x,class\n1,a\n' >one_row.csv
bad one_row.csv
printf 'x,y,class\n1,2,a\n3,b\n' >short_row.csv
bad short_row.csv
printf 'x,y,class\n1,2,a\n3,4,5,b\n' >long_row.csv
bad long_row.csv
three >three.csv
bad three.csv --label species
bad three.csv --label 9
bad three.csv --ignore '*'
bad three.csv --weight nothing
printf 'x,class\n1,a\n2,\n3,b\n' >no_label.csv
bad no_label.csv
printf 'x,class\n1,a\n"2,b\n3,b\n' >open_quote.csv
bad open_quote.csv
printf 'x,class\n1,a\nNaN,b\n3,b\n' >nan.csv # a missing cell, not a number
bad nan.csv --missing error
printf 'x,class\n1,a\nInf,b\n3,b\n' >inf.csv
bad inf.csv
printf 'x,class\n1,a\n1e400,b\n3,b\n' >huge.csv
bad huge.csv
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\001\377\376' >garbage.csv
bad garbage.csv
cp garbage.csv garbage
bad garbage
printf 'a\0b,c\0d\n1,2\n' >zeros.csv
bad zeros.csv
bad missing.csv
bad .
bad three.csv --class-weight nobody=2
bad three.csv --class-weight a=-1
bad three.csv --class-weight a
printf 'x,y,class\n1,,a\n2,3,b\n' >missing_cell.csv
bad missing_cell.csv --missing error
bad missing_cell.csv --missing keep
bad missing_cell.csv --missing keep --code ova --learner ls
