# What the pages show runs as it stands, and every option that they name is one. After a change of what commands print:
#     python3 tests/docs/session.py build/polytomy data README.md --write
command -v python3 >/dev/null || exit 77
top=$DATA/..
for page in README.md docs/tutorial.md; do
    python3 "$top/tests/docs/session.py" "$POLYTOMY" "$DATA" "$top/$page"
done
python3 "$top/tests/docs/options.py" "$POLYTOMY" "$top/README.md" "$top"/docs/*.md
for page in "$top"/docs/*.md; do # the index has them all
    name=$(basename "$page")
    [ "$name" = README.md ] || grep -q "($name)" "$top/docs/README.md" || echo "docs/README.md does not list $name"
done
