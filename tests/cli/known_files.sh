# Files of other programs are named for what they are, whatever their name ends with.
. "$CASES/lib.sh"
command -v python3 >/dev/null || exit 77
python3 - <<'END'
import zipfile, sqlite3, pickle
def archive(name, members):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
        for member, text in members:
            z.writestr(member, text)
archive("book.csv", [("[Content_Types].xml", "<x/>"), ("xl/workbook.xml", "<x/>")])
archive("sheet.ods", [("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", "<x/>")])
archive("data.zip", [("folder/train.csv", "a,class\n1,x\n")])
archive("photos.zip", [("a.jpg", "x")])
def write(name, data):
    open(name, "wb").write(data)
write("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504))
write("a.parquet", b"PAR1" + bytes(60) + b"PAR1")
write("a.feather", b"ARROW1\0\0" + bytes(60))
write("a.h5", b"\x89HDF\r\n\x1a\n" + bytes(60))
write("a.pdf", b"%PDF-1.7\n")
write("a.json", b'\xef\xbb\xbf [\n {"a": 1, "class": "x"}]')
write("lines.csv", b'{"a": 1, "class": "x"}\n{"a": 2, "class": "y"}\n')
write("page.csv", b"\n<!DOCTYPE HTML><html><table></table></html>")
write("book.xml", b'<?xml version="1.0"?>\n<Workbook/>')
write("a.pkl", pickle.dumps({"a": [1, 2]}, 4))
write("a.tar", b"train.csv".ljust(257, b"\0") + b"ustar\0" + bytes(249))
write("a.sav", b"$FL2@(#) IBM" + bytes(60))
write("fine.csv", b"PAR1,ORC,class\n1,2,x\n2,1,y\n1,3,x\n2,2,y\n")
write("pg.sql", b"--\n-- PostgreSQL database dump\n--\n\nSET x = 0;\nCOPY t (a, class) FROM stdin;\n1\tx\n")
write("my.sql", b"/*!40101 SET x */;\nINSERT INTO `t` VALUES (1,'x'),(2,'y');\n")
for name in "utf-16", "utf-16-le", "utf-16-be", "utf-32":
    write(name + ".csv", "a,class\n1,x\n2,y\n".encode(name))
write("set.csv", b"set ,class\n1,x\n2,y\n1,x\n2,y\n")
connection = sqlite3.connect("a.db")
connection.execute("create table t (a)")
connection.commit()
END
for f in book.csv sheet.ods data.zip photos.zip old.xls a.parquet a.feather a.h5 a.pdf a.json lines.csv \
    page.csv book.xml a.pkl a.tar a.sav a.db pg.sql my.sql utf-16.csv utf-16-le.csv utf-16-be.csv utf-32.csv; do
    t info "$f"
done
cat lines.csv | "$POLYTOMY" train --online - -o m 2>&1
# Letters alone are no mark.
"$POLYTOMY" info fine.csv | head -n 1
"$POLYTOMY" info set.csv | head -n 1
