# Every option that the pages name is one of the tool; the index lists every page. What the pages show is
# run by tests/docs/session.py.
command -v python3 >/dev/null || exit 77
top=$DATA/..
python3 "$top/tests/docs/options.py" "$POLYTOMY" "$top/README.md" "$top"/docs/*.md
for page in "$top"/docs/*.md; do # the index has them all
    name=$(basename "$page")
    [ "$name" = README.md ] || grep -q "($name)" "$top/docs/README.md" || echo "docs/README.md does not list $name"
done
