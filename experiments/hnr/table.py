"""Puts the paper's figures beside ours: table.py WORK reads the JSON files of run.sh and prints RESULTS.md."""

import csv
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
SETS = ["iris", "wine", "glass", "vowel", "yeast"]
SAMPLED = ["usps1000", "usps2000", "letter2000"]
TITLES = {"usps1000": "USPS 1000", "usps2000": "USPS 2000", "letter2000": "letters 2000"}
NAMES = {
    "onelsm": "oneLSM",
    "vo-lssvm": "vo-LSSVM",
    "vo-rls": "vo-RLS(beta)",
    "vo-rls-f": "vo-RLS(f)",
    "vo-svm": "vo-SVM",
    "szedmak": "Szedmak",
    "szedmak-mean": "Szedmak, mean bias",
    "penalised": "Szedmak, penalised bias",
    "ls-ova": "LS OvA",
    "ls-ovo": "LS OvO",
    "suykens": "Suykens",
    "elm": "ELM",
}


class Paper:
    """The rows of paper.csv by table, machine, labelbook and set; numbers where there are any."""

    def __init__(self):
        with open(HERE / "paper.csv", newline="") as file:
            self.rows = {
                (int(r["table"]), r["machine"], r["labelbook"], r["set"]): {
                    name: float(r[name]) if r[name] else None
                    for name in ("mean", "best", "worst", "seconds")
                }
                for r in csv.DictReader(file)
            }

    def get(self, *key):
        return self.rows.get(key)

    def pairs(self, table):
        """Machines with their labelbooks, in the order of the table."""
        return list(dict.fromkeys((m, b) for t, m, b, _ in self.rows if t == table))


def load(path):
    return json.loads(path.read_text()) if path.exists() else None


def trained(result):
    return result is not None and "best" in result


def spread(errors):
    """Mean, best and worst in percent."""
    percent = [100 * e for e in errors]
    return sum(percent) / len(percent), min(percent), max(percent)


def show(figures):
    return f"{figures[0]:.2f} [{figures[1]:.2f}, {figures[2]:.2f}]"


def best_of_each(result):
    """The smallest error of every partition over the grid."""
    return [min(errors) for errors in zip(*(p["errors"] for p in result["grid"]))]


def agrees(ours, paper, n):
    """Whether [best, worst] overlap; nearly: by half an error more (PLAN.md)."""
    gap = max(ours[1] - paper["worst"], paper["best"] - ours[2])
    return "yes" if gap <= 0 else "nearly" if gap <= 50 / n else "no"


def point(result):
    return ", ".join(f"{name} {value:g}" for name, value in result["best"]["parameters"].items())


def markdown(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + " --- |" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def seconds(s):
    """As the paper writes times: h:mm:ss; below ten minutes in seconds."""
    if s < 600:
        return f"{s:.3g} s" if s < 100 else f"{s:.0f} s"
    return f"{int(s) // 3600}:{int(s) // 60 % 60:02}:{int(s) % 60:02}"


def table4_row(work, paper, machine, book, name):
    result = load(work / "table4" / f"{name}.{machine}.{book}.json")
    printed = paper.get(4, machine.removesuffix("-mean"), book, name)
    told = show([printed[c] for c in ("mean", "best", "worst")]) if printed else "-"
    start = [NAMES[machine], book if book != "any" else "any", told]
    if result is None:
        return start + ["not run"] + ["-"] * 5
    if not trained(result):
        return start + ["refused: degenerate bias"] + ["-"] * 5
    n, errors = result["data"]["n"], result["best"]["errors"]
    each = best_of_each(result)
    a, b = spread(errors), spread(each)
    verdicts = [agrees(f, printed, n) if printed else "-" for f in (a, b)]
    return start + [str(len(errors)), show(a), verdicts[0], show(b), verdicts[1], point(result)]


def table4(work, paper):
    print("## Table 4: errors in percent")
    print()
    print("Mean [best, worst] over partitions (their number before it). A: one grid point for all partitions, the best in the")
    print("mean; B: the best grid point of each partition. Overlap: of [best, worst] with the paper's; \"nearly\" with half an error more.")
    print()
    pairs = paper.pairs(4)
    books = [book for machine, book in pairs if machine == "szedmak"]
    ours = [(machine, book) for machine in ("szedmak-mean", "penalised") for book in books]
    at = pairs.index(("ls-ova", "pm1"))
    pairs = pairs[:at] + ours + pairs[at:] + [("suykens", "pm1"), ("elm", "pm1")]
    tables = {name: [table4_row(work, paper, m, b, name) for m, b in pairs] for name in SETS}
    verdicts_by_machine(tables)
    distances(tables)
    for name in SETS:
        print(f"### {name}")
        print()
        head = ["machine", "labelbook", "paper", "partitions", "ours, A", "overlap", "ours, B", "overlap"]
        markdown(head + ["grid point of A"], tables[name])


def verdicts_by_machine(tables):
    """Rows of a machine that overlap, of those that were trained and that the paper has."""
    print("Rows that overlap under A (\"nearly\" counted in), of the rows that the paper has and that can be trained:")
    print()
    machines = list(dict.fromkeys(row[0] for row in tables[SETS[0]]))
    rows = []
    for machine in machines:
        cells = []
        for name in SETS:
            verdicts = [r[5] for r in tables[name] if r[0] == machine and r[5] != "-"]
            good = sum(v in ("yes", "nearly") for v in verdicts)
            cells.append(f"{good} of {len(verdicts)}" if verdicts else "-")
        if any(c != "-" for c in cells):
            rows.append([machine] + cells)
    markdown(["machine"] + SETS, rows)


def distances(tables):
    """How far our means are from the paper's."""
    print("Mean absolute difference between the paper's mean and ours, in points, over those rows:")
    print()
    rows = []
    for reading, column in (("A", 4), ("B", 6)):
        cells = []
        for name in SETS:
            gaps = [abs(float(r[2].split()[0]) - float(r[column].split()[0])) for r in tables[name] if r[5] != "-"]
            cells.append(f"{sum(gaps) / len(gaps):.2f}" if gaps else "-")
        rows.append([reading] + cells)
    markdown(["reading"] + SETS, rows)


def table5(work, paper):
    print("## Table 5: time of the whole protocol, one partition")
    print()
    print("Plus-minus-one labels, all cores; the paper's time, then ours, then how many times oneLSM that is, in the paper and here.")
    print()
    machines = ["ls-ova", "ls-ovo", "onelsm", "vo-lssvm", "vo-rls", "vo-svm"]
    rows = []
    for name in SETS:
        base = load(work / "table5" / f"{name}.onelsm.pm1.json")
        row = [name]
        for machine in machines:
            result = load(work / "table5" / f"{name}.{machine}.pm1.json")
            told = paper.get(5, machine, "", name)["seconds"]
            row.append(time_cell(told, paper.get(5, "onelsm", "", name)["seconds"], result, base))
        rows.append(row)
    markdown(["set"] + [NAMES[m] for m in machines], rows)


def time_cell(told, told_base, result, base):
    cell = seconds(told)
    if not trained(result):
        return cell + "; not run"
    took = result["seconds"]["train"]
    cell += f"; {seconds(took)}"
    if trained(base) and result is not base and told != told_base:
        cell += f"; {told / told_base:.1f} and {took / base['seconds']['train']:.1f} times"
    return cell


def table6_results(work, name, machine, book):
    found = sorted((work / "table6").glob(f"{name}-*.{machine}.{book}.json"))
    return [load(path) for path in found]


def table6(work, paper):
    print("## Table 6: errors in percent, and seconds")
    print()
    print("Mean [best, worst] over samples (their number before it), one partition each, the best grid point of each. The paper's labelbook is")
    print("unknown. In: the paper's figure lies in our interval, widened by two standard errors of a rate on n rows.")
    print()
    rows = []
    for machine, _ in paper.pairs(6):
        books = dict.fromkeys(
            path.name.rsplit(".", 2)[1] for path in sorted((work / "table6").glob(f"*.{machine}.*.json"))
        )
        for book in books or ["-"]:
            rows.append([NAMES[machine], book] + table6_cells(work, paper, machine, book))
    markdown(["machine", "labelbook"] + [c for s in SAMPLED for c in (TITLES[s], "in", "seconds")], rows)


def table6_cells(work, paper, machine, book):
    cells = []
    for name in SAMPLED:
        told = paper.get(6, machine, "", name)
        results = table6_results(work, name, machine, book)
        good = [r for r in results if trained(r)]
        text = f"{told['mean']:.2f}; "
        if not good:
            cells += [text + ("refused" if results else "not run"), "-", f"{seconds(told['seconds'])}; -"]
            continue
        figures = spread([r["best"]["errors"][0] for r in good])
        took = sum(r["seconds"]["train"] for r in good) / len(good)
        n = good[0]["data"]["n"]
        two = 2 * math.sqrt(told["mean"] * (100 - told["mean"]) / n)
        inside = figures[1] - two <= told["mean"] <= figures[2] + two
        cells += [f"{text}({len(good)}) {show(figures)}", "yes" if inside else "no"]
        cells.append(f"{seconds(told['seconds'])}; {seconds(took)}")
    return cells


def times(work, paper):
    print("## The ratios: the whole protocol on letters, n = 2000, one partition, the same folds")
    print()
    rows = []
    for part in ("times", "naive"):
        base = load(work / part / "letter2000-1.onelsm.pm1.json")
        for machine in ("onelsm", "ls-ova", "ls-ovo"):
            result = load(work / part / f"letter2000-1.{machine}.pm1.json")
            if trained(base) and trained(result):
                rows.append(ratio_row(paper, machine, result, base))
    head = ["machine", "paper", "ratio", "our seconds", "our ratio", "error", "held-out scores"]
    markdown(head, rows)


def ratio_row(paper, machine, result, base):
    told = paper.get(6, machine, "", "letter2000")["seconds"]
    ratio = told / paper.get(6, "onelsm", "", "letter2000")["seconds"]
    took = result["seconds"]["train"]
    ours = [f"{took:.1f}", f"{took / base['seconds']['train']:.1f}", f"{100 * result['best']['error']:.2f}"]
    return [NAMES[machine], seconds(told), f"{ratio:.1f}"] + ours + [result["method"]]


def ftests(work, _):
    print("## F tests")
    print()
    print("The combined 5x2cv F test; different: f > 4.74, p < 0.05. Labelbooks of one machine against each other: how many pairs differ,")
    print("the largest f and its pair, by how many rows these two differ in the ten halves (5n decisions), the mean error of the labelbooks")
    print("from the least to the largest. f is infinite where the differences are the same in both halves of every replication.")
    print()
    rows = []
    for machine in ("vo-lssvm", "vo-rls", "vo-rls-f", "vo-svm", "szedmak", "penalised"):
        for name in SETS:
            result = load_halves(work, f"{name}.{machine}")
            if result:
                n = load(work / "ftest" / f"{name}.{machine}.json")["data"]["n"]
                rows.append([NAMES[machine], name] + books_cells(result, n))
    markdown(["machine", "set", "pairs that differ", "largest f", "p", "rows", "of", "errors"], rows)
    print("Machines against each other, plus-minus-one labels: f (p); **different** in bold.")
    print()
    pairs = {}
    for name in SETS:
        for pair in load_halves(work, f"{name}.machines").get("pairs", []):
            pairs.setdefault((pair["first"], pair["second"]), {})[name] = f_cell(pair)
    used = [n for n in SETS if any(n in cells for cells in pairs.values())]
    rows = [[f"{NAMES[a.split(':')[0]]}, {NAMES[b.split(':')[0]]}"] + [cells.get(n, "-") for n in used] for (a, b), cells in pairs.items()]
    markdown(["pair"] + used, rows)


def load_halves(work, name):
    """The machines and pairs of a comparison; empty where there is none."""
    return (load(work / "ftest" / f"{name}.json") or {}).get("5x2cv", {})


def f_of(pair):
    return math.inf if pair["f_is_infinite"] else pair["f"]


def f_cell(pair):
    text = f"{f_of(pair):.2f} ({pair['p_value']:.3f})"
    return f"**{text}**" if pair["different"] else text


def short(name):
    """The labelbook of NAME:...labelbook=BOOK."""
    return name.rsplit("=", 1)[-1]


def rows_apart(pair, n):
    """The differences of a pair over its ten halves, in rows, signs left out."""
    return round(sum(abs(d) for trial in pair["differences"] for d in trial) * n / 2)


def books_cells(result, n):
    pairs = result["pairs"]
    largest = max(pairs, key=f_of)
    errors = sorted(100 * m["error"] for m in result["machines"])
    different = sum(pair["different"] for pair in pairs)
    return [
        f"{different} of {len(pairs)}",
        "infinite" if largest["f_is_infinite"] else f"{largest['f']:.2f}",
        f"{largest['p_value']:.3f}",
        str(rows_apart(largest, n)),
        f"{short(largest['first'])}, {short(largest['second'])}",
        f"{errors[0]:.2f} to {errors[-1]:.2f}",
    ]


def open_choices(work, paper):
    print("## What the open choices change: oneLSM")
    print()
    rows = []
    for name in SETS:
        printed = paper.get(4, "onelsm", "any", name)
        row = [name, show([printed[c] for c in ("mean", "best", "worst")])]
        for path in (f"table4/{name}.onelsm.any", f"open/{name}.unstratified", f"open/{name}.per-fold"):
            result = load(work / f"{path}.json")
            row.append(counted([result]) if trained(result) else "not run")
        rows.append(row)
    markdown(["set", "paper", "ours, A", "folds not stratified", "range by fold"], rows)
    print("USPS: images made 8x8 in two ways. Mean [best, worst] over samples, their number before it.")
    print()
    rows = [images_row(work, paper, "onelsm", "any")]
    rows += [images_row(work, paper, m, b) for m in ("vo-lssvm", "vo-svm") for b in ("pm1", "alignment")]
    ways = ["paper", "mean of 2x2 pixels", "every second pixel"]
    markdown(["machine", "labelbook"] + [f"{TITLES[name]}: {way}" for name in SAMPLED[:2] for way in ways], rows)
    rows = []
    for name in SAMPLED[:2]:
        patterns = (f"table6/{name}-*.onelsm.any", f"open/{name}-*.range")
        rows.append([TITLES[name]] + [matching(work, pattern) for pattern in patterns])
    markdown(["oneLSM", "not scaled", "scaled by range"], rows)
    print("vo-SVM where its best point lies on the edge of the grid; Szedmak's machine with a smaller gap.")
    print()
    rows = [changed(work, paper, *row) for row in (
        ("yeast", "vo-svm", "pm1", "wide", "C from 2^-12"), ("vowel", "szedmak", "alignment", "gap", "gap 1e-6"),
        ("vowel", "szedmak", "consistency", "gap", "gap 1e-6"))]
    markdown(["set", "machine", "labelbook", "paper", "ours, A", "change", "ours with it", "grid point"], rows)


def changed(work, paper, name, machine, book, suffix, what):
    printed = paper.get(4, machine, book, name)
    before = load(work / f"table4/{name}.{machine}.{book}.json")
    after = load(work / f"open/{name}.{machine}.{book}.{suffix}.json")
    point = ", ".join(f"{k} {v:g}" for k, v in after["best"]["parameters"].items()) if trained(after) else "-"
    return [name, NAMES[machine], book, show([printed[c] for c in ("mean", "best", "worst")]),
            counted([before]) if trained(before) else "not run", what,
            counted([after]) if trained(after) else "not run", point]


def images_row(work, paper, machine, book):
    cells = []
    for name in SAMPLED[:2]:
        cells.append(f"{paper.get(6, machine, '', name)['mean']:.2f}")
        for pattern in (f"table6/{name}-*.{machine}.{book}", f"open/{name}-*.thin.{machine}.{book}"):
            cells.append(matching(work, pattern))
    return [NAMES[machine], book] + cells


def matching(work, pattern):
    results = [load(path) for path in sorted(work.glob(f"{pattern}.json"))]
    return counted(results) if results else "not run"


def counted(results):
    """The spread of all errors of the results, with their number."""
    errors = [e for r in results for e in r["best"]["errors"]]
    return f"({len(errors)}) {show(spread(errors))}"


def main():
    work, paper = pathlib.Path(sys.argv[1]), Paper()
    print("# HNR, Tables 4 to 6 and the F tests: the paper's figures and ours")
    print()
    print("Made by `sh experiments/hnr/run.sh`; PLAN.md says what was decided before.")
    print()
    print((HERE / "findings.md").read_text().strip())
    print()
    for part in (table4, table5, table6, times, ftests, open_choices):
        part(work, paper)


if __name__ == "__main__":
    main()
