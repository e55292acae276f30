# Files as people have them (tests/messy/make.py): the right kinds, or a warning, never silence.
command -v python3 >/dev/null || exit 77
python3 "$CASES/../messy/make.py"
python3 "$CASES/../messy/kinds.py" "$POLYTOMY" *.csv *.tsv *.txt
