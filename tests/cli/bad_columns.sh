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
