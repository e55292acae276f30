#!/usr/bin/env python3
"""Writes the files that docs/messy-data.md tells of: exports of programs, dumps, surveys, logs.

Every file has 120 rows of three classes, k0, k1 and k2, which the column x (in some spelling)
decides in part. The numbers come from a generator of our own, so that the files are the same
everywhere."""
import datetime

ROWS = 120
state = 12345


def draw():
    """A number in [0, 1)."""
    global state
    state = (state * 1103515245 + 12345) % 2**31
    return state / 2**31


def pick(items):
    return items[int(draw() * len(items))]


def value(i):
    """What tells the classes apart."""
    return 1000 * (i % 3) + 1500 * draw()


def name(i):
    return "k%d" % (i % 3)


def write(path, lines, encoding="utf-8", end="\n"):
    with open(path, "wb") as f:
        f.write((end.join(lines) + end).encode(encoding))


def rows(path, header, row, separator=",", encoding="utf-8", end="\n", before=(), after=()):
    lines = list(before) + [separator.join(header)]
    lines += [separator.join(row(i)) for i in range(ROWS)]
    write(path, lines + list(after), encoding, end)


def day(i, step=3):
    return datetime.date(2023, 1, 1) + datetime.timedelta(days=i * step)


def german(x, digits=2):
    return "{:,.{}f}".format(x, digits).replace(",", "_").replace(".", ",").replace("_", ".")


def main():
    # pandas: to_csv() with the index, floats, NaN as nothing, booleans and dates as Python writes them
    rows("pandas.csv", ["", "x", "flag", "when", "city", "class"],
         lambda i: [str(i), repr(round(value(i), 3)) if i % 9 else "", str(draw() < 0.5),
                    "%s 00:00:00" % day(i), pick(["Bonn", "Lyon", "Bern"]), name(i)])
    # R: write.csv with row names in quotes and NA, write.table with spaces and one name less
    rows("r_write_csv.csv", ['""', '"x"', '"f"', '"class"'],
         lambda i: ['"%d"' % (i + 1), "%.4g" % value(i) if i % 8 else "NA",
                    '"%s"' % pick(["lo", "mid", "hi"]), '"%s"' % name(i)])
    rows("r_write_table.txt", ['"x"', '"f"', '"class"'],
         lambda i: ['"%d"' % (i + 1), "%.4g" % value(i) if i % 8 else "NA",
                    '"%s"' % pick(["lo", "mid", "hi"]), '"%s"' % name(i)], separator=" ")
    # Excel: German (semicolons, decimal commas, CRLF, Windows-1252), Swiss, French, with sep=
    rows("excel_german.csv", ["Größe", "Preis", "Anteil", "Datum", "class"],
         lambda i: [german(value(i)), german(10 * draw()) + " €", "%d%%" % (100 * draw()),
                    day(i).strftime("%d.%m.%Y"), name(i)], ";", "cp1252", "\r\n")
    rows("excel_swiss.csv", ["Betrag", "Menge", "class"],
         lambda i: ["{:,.2f}".format(value(i)).replace(",", "'"), str(int(9 * draw())), name(i)], ";")
    rows("excel_french.csv", ["montant", "part", "class"],
         lambda i: [german(value(i)).replace(".", "\u00a0"), german(100 * draw(), 1) + " %", name(i)],
         ";", "utf-8-sig", "\r\n")
    rows("excel_sep.csv", ["x", "y", "class"],
         lambda i: [german(value(i)), str(int(100 * draw())), name(i)], ";", "utf-8", "\r\n",
         before=["sep=;"])
    # LibreOffice: decimal commas in quotes, TRUE and FALSE, US dates
    rows("libreoffice.csv", ["x", "ok", "date", "class"],
         lambda i: ['"%s"' % ("%.2f" % value(i)).replace(".", ","), pick(["TRUE", "FALSE"]),
                    day(i).strftime("%m/%d/%Y"), name(i)])
    # data bases: PostgreSQL's COPY (tabs, \N), MySQL (quoted, \N)
    rows("postgres.tsv", ["id", "x", "made", "ok", "class"],
         lambda i: [str(7000 + i), "%.2f" % value(i) if i % 7 else "\\N",
                    "%s 13:%02d:05.25+00" % (day(i), i % 60), pick(["t", "f"]), name(i)], "\t")
    rows("mysql.csv", ['"x"', '"kind"', '"class"'],
         lambda i: ['"%.2f"' % value(i) if i % 7 else "\\N", '"%s"' % pick(["a", "b", "c"]),
                    '"%s"' % name(i)])
    # a survey: answers in words, several answers in a cell, a free remark
    scale = ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"]
    words = "the staff was very kind and room small bed hard food fine lake near noise bus late".split()
    rows("survey.csv", ["respondent", "age", "q1", "q2 (several)", "remark", "class"],
         lambda i: ["R-%04d" % (i * 37), pick(["18-25", "26-40", "41-65", "66+"]),
                    scale[min(4, i % 3 + int(3 * draw()))],
                    '"%s"' % "; ".join(w for w in ("bus", "car", "bike") if draw() < 0.5),
                    '"%s"' % " ".join(pick(words) for _ in range(5 + int(9 * draw()))), name(i)])
    # Kaggle: a passenger list with names, tickets, cabins
    rows("kaggle.csv", ["PassengerId", "Name", "Sex", "Fare", "Cabin", "class"],
         lambda i: [str(i + 1), '"Doe%d, Mr. John %s"' % (i * 7, chr(65 + i % 26)),
                    pick(["male", "female"]), "%.4f" % (value(i) / 50),
                    "C%d" % (100 * draw()) if draw() < 0.3 else "", name(i)])
    # a sensor's log: time stamps, units in cells, an error word
    rows("sensor.log.csv", ["time", "weight", "temp", "class"],
         lambda i: ["2024-03-01T%02d:%02d:00Z" % (i // 60 + 6, i % 60), "%.1f kg" % (value(i) / 100),
                    "%.1f" % (20 + draw()) if i % 25 else "error", name(i)])
    # a report: a title, a line of totals at the end
    rows("totals.csv", ["region", "units", "class"],
         lambda i: [pick(["north", "south"]), "%d" % value(i), name(i)],
         before=["# Sales of 2023", "# all regions"], after=["Total,%d," % 123456])
    # codes: zip codes with zeros in front, phone numbers, coordinates
    rows("codes.csv", ["zip", "phone", "lat", "lon", "class"],
         lambda i: ["%05d" % (500 + int(90000 * draw())), "+49 30 %07d" % (1e6 + 8e6 * draw()),
                    "%.5f" % (48 + value(i) / 1000), "%.5f" % (-11 - draw()), name(i)])
    # identifiers: UUID, hash, a counter
    rows("ids.csv", ["uuid", "sha", "n", "x", "class"],
         lambda i: ["%08x-%04x-4%03x-a%03x-%012x" % tuple(int(draw() * 16**b) for b in (8, 4, 3, 3, 12)),
                    "%016x" % int(draw() * 16**16), str(100 + i), "%.2f" % value(i), name(i)])
    # JSON in cells
    rows("json_cells.csv", ["x", "extra", "class"],
         lambda i: ["%.2f" % value(i), '"{""a"": %d, ""b"": [%d, 2]}"' % (i, i * 3), name(i)])
    # money before and behind, accounting's negative numbers, per cent
    rows("money.csv", ["usd", "eur", "net", "rate", "class"],
         lambda i: ['"${:,.2f}"'.format(value(i)), "%.2f €" % (100 * draw()),
                    "(%.2f)" % (50 * draw()) if i % 4 == 0 else "%.2f" % (50 * draw()),
                    "%.1f %%" % (100 * draw()), name(i)])
    # numbers of science, and yes and no in many spellings
    rows("science.csv", ["x", "small", "yn", "onoff", "class"],
         lambda i: ["%.3E" % value(i), "%.2e" % (1e-9 * draw()), pick(["Yes", "no", "YES", "No"]),
                    pick(["on", "off"]), name(i)])
    # ambiguous: dates that may begin with the month, thousands that may be decimals
    rows("ambiguous.csv", ["date", "x", "class"],
         lambda i: ["%02d/%02d/2024" % (1 + int(12 * draw()), 1 + int(12 * draw())),
                    '"%d,%03d"' % (1 + i % 3, 1000 * draw()), name(i)])
    # missing in many words, and a class that is called NA
    rows("missing.csv", ["x", "y", "class"],
         lambda i: ["%.2f" % value(i) if i % 5 else pick(["", "NA", "N/A", "null", "-", "?"]),
                    "%.2f" % draw() if i % 6 else "None", "NA" if i % 3 == 0 else name(i)])
    # a pipe between the cells, quotes and line breaks in them, a byte order mark
    rows("pipe.txt", ["x", "note", "class"],
         lambda i: ["%.2f" % value(i), '"said ""%s""\nand left"' % pick(["yes", "no"]), name(i)], "|",
         "utf-8-sig")
    # labels: sets and rankings in a cell, a number that was never a class
    rows("sets.csv", ["x", "genres"],
         lambda i: ["%.2f" % value(i), ";".join(w for w in ("jazz", "rock", "pop") if draw() < 0.6) or "none"])
    rows("rankings.csv", ["x", "order"],
         lambda i: ["%.2f" % value(i), pick(["a>b>c", "b>a>c", "c>a>b", "c>b>a"])])
    rows("real_target.csv", ["x", "rent"], lambda i: ["%.2f" % value(i), "%.1f" % (500 + value(i))])
    # numbers with their units: one unit, one with cells that lack it, two, amounts in two currencies
    rows("units.csv", ["mass", "temp", "speed", "length", "price", "class"],
         lambda i: ["%.1f kg" % value(i), "%.1f °C" % (30 * draw()),
                    "%d" % (120 * draw()) if i % 7 == 0 else "%d km/h" % (120 * draw()),
                    "%.1f cm" % (20 * draw()) if i % 2 else "%.1f in" % (8 * draw()),
                    "$%d" % (99 * draw()) if i % 3 else "%d EUR" % (99 * draw()), name(i)])
    # percent mixed with fractions; yes, TRUE and 1 in one column; years of two digits, days without signs
    rows("mixtures.csv", ["share", "member", "short", "compact", "stamp", "class"],
         lambda i: ["%.1f%%" % (100 * draw()) if i % 3 else "%.3f" % draw(),
                    pick(["Yes", "no", "TRUE", "0", "1"]), day(i).strftime("%d.%m.%y"),
                    day(i).strftime("%Y%m%d"), day(i).strftime("%Y%m%dT1230Z"), name(i)])
    # months by their names in other languages, a form with its time stamps and several answers in a cell
    rows("languages.csv", ["de", "fr", "es", "class"],
         lambda i: ["%d. %s 2024" % (1 + i % 28, pick(["Januar", "März", "Mai", "Okt.", "Dez."])),
                    "%d %s 2024" % (1 + i % 28, pick(["février", "août", "décembre", "juil."])),
                    "%d de %s de 2024" % (1 + i % 28, pick(["enero", "agosto", "diciembre"])), name(i)])
    rows("form.csv", ["Timestamp", '"How did you hear of us?"', "Rate", "class"],
         lambda i: ["%s %d:%02d:00 %s GMT+1" % (day(i).strftime("%Y/%m/%d"), 1 + i % 12, i % 60, pick(["AM", "PM"])),
                    '"%s"' % ", ".join(w for w in ("Email", "Phone", "Post", "Radio") if draw() < 0.6) or "None",
                    str(1 + int(5 * draw())), name(i)])
    # numbers that mean missing; a class that is a line of totals, and such a line without a class
    rows("sentinels.csv", ["x", "age", "visits", "class"],
         lambda i: ["-999" if i % 6 == 0 else "%.2f" % value(i), "9999" if i % 8 == 0 else str(20 + i % 50),
                    "-1" if i % 5 == 0 else str(i % 40), name(i)])
    rows("sums.csv", ["shop", "x", "class"],
         lambda i: [pick(["north", "south"]), "%.2f" % value(i), name(i)],
         after=["Grand Total,99999.00,", ",833.33,Average"])
    # tables as data bases and Markdown print them; names above levels alone; Windows-1252
    rows("psql.txt", [" x ", " city ", " class "],
         lambda i: [" %8.2f " % value(i), " %-6s " % pick(["Bonn", "Lyon"]), " %s" % name(i)], "|",
         after=["(120 rows)", ""])
    with open("psql.txt") as f:
        lines = f.read().split("\n")
    write("psql.txt", lines[:1] + ["----------+--------+-------"] + lines[1:])
    write("markdown.txt", ["| x | city | class |", "|---|:----:|---|"] +
          ["| %.2f | %s | %s |" % (value(i), pick(["Bonn", "Lyon"]), name(i)) for i in range(ROWS)])
    rows("words.csv", ["outlook", "wind", "play"],
         lambda i: [pick(["sunny", "rain"]), pick(["weak", "strong"]), pick(["yes", "no"])])
    rows("windows.csv", ["größe", "farbe", "klasse"],
         lambda i: ["%.1f" % value(i), pick(["grün", "weiß"]), "für" if i % 2 else "gegen"], ";", "cp1252")
    # columns that are wave lengths or years, a survey with its questions below the names, NumPy's savetxt
    rows("spectra.csv", ["400.5", "401.0", "401.5", "species"],
         lambda i: ["%.3f" % (value(i) / 9999), "%.3f" % draw(), "%.3f" % draw(), name(i)])
    rows("years.csv", ["2019", "2020", "2021", "class"],
         lambda i: ["%d" % value(i), str(int(900 * draw())), str(int(900 * draw())), str(i % 3)])
    rows("qualtrics.csv", ["StartDate", "Q1", "Q2", "group"],
         lambda i: ["%s 13:%02d:05" % (day(i), i % 60), "%d" % value(i), pick(["1", "2", "3"]), name(i)])
    with open("qualtrics.csv") as f:
        lines = f.read().rstrip("\n").split("\n")
    write("qualtrics.csv", lines[:1] + ['Start Date,How much?,"Rate us, please",Group',
                                        ",".join('"{""ImportId"":""QID%d""}"' % i for i in range(4))] + lines[1:])
    rows("savetxt.txt", ["# x", "y", "group"],
         lambda i: ["%.18e" % value(i), "%.18e" % draw(), str(i % 3)], " ", before=["# made by a script"])
    # labels: sets of MovieLens, lists of Python, rankings with commas, a column of 0 and 1 for each class
    items = ("Comedy", "Drama", "Noir", "War")
    some = [[w for w in items if draw() < 0.6] or ["Noir"] for _ in range(ROWS)]
    rows("movielens.csv", ["x", "genres"], lambda i: ["%.2f" % value(i), "|".join(some[i])])
    rows("lists.csv", ["x", "genres"], lambda i: ["%.2f" % value(i), '"%s"' % some[i]])
    rows("votes.csv", ["x", "order"],
         lambda i: ["%.2f" % value(i), '"%s"' % pick(["1,2,3", "2,1,3", "3,1,2", "3,2,1", "1,3,2", "2,3,1"])])
    rows("one_hot.csv", ["x", "is_a", "is_b", "is_c"],
         lambda i: ["%.2f" % value(i)] + ["1" if i % 3 == c else "0" for c in range(3)])
    # a counter of tables that were joined (cells missing, rows twice), patients with two visits, codes
    rows("joined.csv", ["row", "x", "class"],
         lambda i: ["" if i % 30 == 0 else str(i + 1 if i < 115 else i - 100), "%.2f" % value(i), name(i)])
    rows("visits.csv", ["patient", "city", "x", "class"],
         lambda i: ["P%03d" % (i // 2), "T%d" % (i % 40), "%.2f" % value(i), name(i)])
    rows("postcodes.csv", ["PLZ", "phone", "x", "class"],
         lambda i: [str(10000 + int(80000 * draw())), str(1510000000 + int(9e7 * draw())), "%.2f" % value(i),
                    name(i)])
    # answers with numbers in them, and 99 for none; dates with the month first by its name
    rows("likert.csv", ["q1", "q2", "when", "class"],
         lambda i: [pick(["1 - never", "2", "3", "4", "5 - always"]), pick(["1", "2", "3", "4", "5", "99"]),
                    '"%s"' % day(i).strftime("%b %d, %Y"), name(i)])
    # dashes for minus signs, rupees, millions, single quotes, NaN as C prints it
    rows("typography.csv", ["x", "rupees", "volume", "quoted", "c", "class"],
         lambda i: ["\u2013%.1f" % value(i) if i % 2 else "%.1f" % value(i), "Rs. %d" % (900 * draw()),
                    "$%.1fM" % (99 * draw()), "'%.2f'" % draw(), "-nan" if i % 9 == 0 else "%.3f" % draw(), name(i)])
    # semicolons, and nothing that says what the comma, or the point, before three digits means
    rows("semicolons.csv", ["x", "n", "class"],
         lambda i: ["%d,%03d" % (1 + value(i) / 99, 1000 * draw()), str(int(9 * draw())), name(i)], ";")
    rows("semipoints.csv", ["x", "n", "class"],
         lambda i: ["%d.%03d" % (1 + value(i) / 99, 1000 * draw()), str(int(9 * draw())), name(i)], ";")


main()
