# Prediction data with other columns than the training data.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --sigma 2 --ridge 0.1
printf 'y,x\n0.1,5\n5,0\n' >swapped.csv
t predict m swapped.csv
printf 'y,id,x\n0.1,17,5\n5,18,0\n' >extra.csv
t predict m extra.csv
printf 'x,z\n1,2\n' >other.csv
t predict m other.csv
printf '5,0\n0,5\n' >no_names.csv
t predict m no_names.csv --header no
printf '5\n0\n' >narrow.csv
t predict m narrow.csv --header no
printf '5,0,1,2\n' >wide.csv
t predict m wide.csv --header no
printf 'x,y\n5,red\n' >words.csv
t predict m words.csv
printf 'x,y\n' >none.csv
t predict m none.csv
printf 'color,class\nred,a\nred,a\nred,a\nblue,b\nblue,b\n' >colors.csv # no tie for what is neither
quiet train colors.csv -o c --sigma 1 --ridge 0.1
printf 'color\nred\nblue\ngreen\n' >green.csv
t predict c green.csv
printf '5,0,b\n0,5,c\n' >labelled.csv # one column more than the model: the labels
t predict m labelled.csv --header no
t eval m labelled.csv --header no -q
printf 'x;y\n5;0,5\n' >comma.csv
t predict m comma.csv
t predict m comma.csv --decimal comma
# A misspelt column is no column of the file, nor of the training file.
awk -F, -v OFS=, 'NR == 1 { print "id", $0, "g" } NR > 1 { print "r" NR, $0, NR % 5 }' three.csv >roles.csv
quiet train roles.csv -o r --ignore id --group g --sigma 2 --ridge 0.1
for option in --group --fold --time-column --weight --ignore --nominal; do
    t predict r roles.csv $option nosuch
    t eval r roles.csv $option nosuch -q
    t importance r roles.csv $option nosuch -q
done
t eval r roles.csv --ignore id,gg -q
t eval r roles.csv --ignore 'z*' -q
t eval r roles.csv --weight 7 -q
t predict r - --weight gg <roles.csv
# Of the training file the file may lack what the model does without.
cut -d, -f2- roles.csv >no_id.csv
cut -d, -f2-3 roles.csv >plain.csv
t eval r no_id.csv -q --ignore id --group g
t eval r no_id.csv -q --ignore 'i*' --group g --weight 5
t predict r plain.csv -q --ignore id,class --group g
t train roles.csv -o r2 --ignore id --group g --sigma 2 --ridge 0.1 -q --test no_id.csv
t train roles.csv -o r2 --ignore id --sigma 2 --ridge 0.1 -q --valid no_id.csv
