# The other formats: LIBSVM, ARFF, NPY; there and back, sparse data, and what is wrong with them.
. "$CASES/lib.sh"
three >three.csv
t convert three.csv three.svm
cat three.svm
t convert three.svm back.csv
cat back.csv
printf '1 1:2 3:4\n2 2:1\n' >sparse.svm
t info sparse.svm
printf '@relation r\n@attribute x numeric\n@attribute c {p,q}\n@data\n1.5,p\n2,q\n' >r.arff
t convert r.arff -
t info r.arff
# Sparse data with more columns than the model saw.
printf '1 1:1\n2 2:1\n' >s.svm
quiet train s.svm -o s --ridge 1
printf '0 1:1\n0 2:1 9:5\n' >s2.svm
t predict s s2.svm
# A million columns, almost all empty.
awk 'BEGIN { for (i = 0; i < 6; i++) printf "%d 1:%g 1000000:%g\n", i % 2, i % 2, i / 9 }' >wide.svm
quiet train wide.svm -o w --ridge 0.1
t predict w wide.svm
printf '1 1:1\n2 4294967297:1\n' >far.svm
t info far.svm
t convert far.svm far.csv
printf 'p 0:1 1:2\nq 1:1\n' | gzip -c >base0.svm.gz
t convert base0.svm.gz - --index-base 0 -q
bad() # NAME: is refused
{
    t train "$@" -o m --sigma 1 --ridge 1
    [ ! -e m ] || { echo "a model was written"; rm m; }
}
bad three.csv --format libsvm
bad three.csv --format npy
bad three.csv --format npz
bad three.csv --format arff
printf '@relation r\n@attribute x numeric\n@data\n' >no_data.arff
bad no_data.arff
printf '@relation r\n@attribute x numeric\n@attribute c {p,q}\n@data\n1,z\n' >level.arff
bad level.arff
printf '\223NUMPY\001\000' >cut.npy
bad cut.npy
