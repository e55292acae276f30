/* What a file is, by its first bytes: spreadsheets, archives, tables of other programs, pages.
 *
 * A text may begin as some of them do ("PAR1,x", "BZh"): where the mark is made of letters alone,
 * more is looked at. Zip files are told by their members: a workbook has xl/, one of LibreOffice
 * the member mimetype, and what holds .npy is numpy's and is read. */
#include "data/read/reader.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct file_bytes {
    const char *bytes;
    size_t size;
} file_bytes;

static bool has(const file_bytes *f, size_t at, const char *bytes, size_t length)
{
    return f->size >= at + length && memcmp(f->bytes + at, bytes, length) == 0;
}

static pt_status refuse(const char *name, const char *what, const char *remedy, pt_error *err)
{
    return pt_fail_at(err, PT_EFORMAT, name, 0, 0, "this is %s; %s", what, remedy);
}

/* ---- bytes that say it alone ----------------------------------------------------------------- */

#define MARK(text) text, sizeof(text) - 1

static const struct {
    const char *bytes;
    size_t length;
    size_t at;
    bool binary; /* more than letters: a zero byte must be near, too */
    const char *what;
    const char *remedy;
} MARKS[] = {
    {MARK("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), 0, false,
     "an Excel workbook of the old kind (.xls), or another Office file",
     "open it and save the sheet as CSV"},
    {MARK("PAR1"), 0, true, "a Parquet file", "write it as CSV (pandas: to_csv(index=False))"},
    {MARK("ARROW1"), 0, true, "an Arrow or Feather file",
     "write it as CSV (pandas: to_csv(index=False))"},
    {MARK("FEA1"), 0, true, "a Feather file", "write it as CSV (pandas: to_csv(index=False))"},
    {MARK("ORC"), 0, true, "an ORC file", "write it as CSV"},
    {MARK("Obj\x01"), 0, false, "an Avro file", "write it as CSV"},
    {MARK("\x89HDF\r\n\x1a\n"), 0, false, "an HDF5 file",
     "write the table as CSV, or the arrays X and y with numpy.savez"},
    {MARK("MATLAB 5.0 MAT-file"), 0, true, "a MATLAB file",
     "write the table as CSV (writetable), or the arrays X and y with numpy.savez"},
    {MARK("SQLite format 3\0"), 0, false, "an SQLite data base",
     "write the table as CSV (sqlite3 -header -csv FILE 'select * from TABLE')"},
    {MARK("%PDF-"), 0, false, "a PDF file", "get the table as CSV where it comes from"},
    {MARK("RDX2\n"), 0, false, "an R data file", "write the table with write.csv(row.names=FALSE)"},
    {MARK("RDX3\n"), 0, false, "an R data file", "write the table with write.csv(row.names=FALSE)"},
    {MARK("X\n\0\0\0"), 0, false, "an R data file (.rds)",
     "write the table with write.csv(row.names=FALSE)"},
    {MARK("$FL2"), 0, true, "an SPSS file", "save it as CSV"},
    {MARK("$FL3"), 0, true, "an SPSS file", "save it as CSV"},
    {MARK("<stata_dta>"), 0, false, "a Stata file", "write it as CSV (export delimited)"},
    {MARK("\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60"), 0, false, "a SAS file", "write it as CSV"},
    {MARK("7z\xbc\xaf\x27\x1c"), 0, false, "a 7z archive", "unpack it"},
    {MARK("Rar!\x1a\x07"), 0, false, "a RAR archive", "unpack it"},
    {MARK("ustar"), 257, false, "a tar archive", "unpack it and name a file in it"},
    {MARK("\x89PNG\r\n\x1a\n"), 0, false, "an image", "a table of numbers is needed"},
    {MARK("\xff\xd8\xff"), 0, false, "an image", "a table of numbers is needed"},
    {MARK("\xfd\x37zXZ\0"), 0, false, "a file compressed by xz, which is not read",
     "expand it, or use gzip or zstd"},
};

/* Within the first bytes, where text has no zero. */
static bool has_zero(const file_bytes *f)
{
    enum { NEAR = 4096 };
    return memchr(f->bytes, '\0', f->size < NEAR ? f->size : NEAR) != NULL;
}

/* bzip2 says its level in a digit. */
static bool is_bzip2(const file_bytes *f)
{
    return has(f, 0, "BZh", 3) && has(f, 4, "\x31\x41\x59\x26\x53\x59", 6);
}

/* Python's own: a protocol from 2 to 5, and a stop at the end. */
static bool is_pickle(const file_bytes *f)
{
    return f->size > 4 && f->bytes[0] == '\x80' && f->bytes[1] >= 2 && f->bytes[1] <= 5 &&
           f->bytes[f->size - 1] == '.';
}

/* ---- zip files ------------------------------------------------------------------------------- */

static uint32_t little(const char *bytes, int count)
{
    uint32_t value = 0;
    for (int b = count - 1; b >= 0; b--)
        value = value << 8 | (unsigned char)bytes[b];
    return value;
}

static bool name_has(const char *name, size_t length, const char *part)
{
    const size_t own = strlen(part);
    for (size_t at = 0; at + own <= length; at++)
        if (memcmp(name + at, part, own) == 0)
            return true;
    return false;
}

static bool name_ends(const char *name, size_t length, const char *end)
{
    const size_t own = strlen(end);
    return length >= own && memcmp(name + length - own, end, own) == 0;
}

/* Where the central directory begins, which the end of the file says; the size: nowhere. */
static size_t directory_at(const file_bytes *f)
{
    enum { END = 22, COMMENT = 65535, OFFSET_AT = 16 };
    for (size_t back = END; back <= f->size && back <= END + COMMENT; back++) {
        const char *end = f->bytes + f->size - back;
        if (memcmp(end, "PK\x05\x06", 4) == 0)
            return little(end + OFFSET_AT, 4);
    }
    return f->size;
}

/* By the names of its members; one whose directory is not found may be numpy's. */
static pt_status refuse_zip(const file_bytes *f, const char *name, pt_error *err)
{
    enum { ENTRY = 46, LENGTH_AT = 28 };
    bool excel = false;
    bool office = false;
    bool numpy = false;
    bool any = false;
    char table[100] = "";
    size_t at = directory_at(f);
    while (at + ENTRY <= f->size && memcmp(f->bytes + at, "PK\x01\x02", 4) == 0) {
        const char *entry = f->bytes + at;
        const size_t length = little(entry + LENGTH_AT, 2);
        const char *member = entry + ENTRY;
        if (length > f->size - at - ENTRY)
            break;
        any = true;
        excel = excel || name_has(member, length, "xl/");
        office = office || (length == 8 && memcmp(member, "mimetype", 8) == 0);
        numpy = numpy || name_ends(member, length, ".npy");
        if (!table[0] && length < sizeof table &&
            (name_ends(member, length, ".csv") || name_ends(member, length, ".tsv") ||
             name_ends(member, length, ".txt") || name_ends(member, length, ".arff"))) {
            memcpy(table, member, length);
            table[length] = '\0';
        }
        at += ENTRY + length + little(entry + LENGTH_AT + 2, 2) + little(entry + LENGTH_AT + 4, 2);
    }
    if (numpy || !any)
        return PT_OK;
    if (excel)
        return refuse(name, "an Excel workbook", "open it and save the sheet as CSV", err);
    if (office)
        return refuse(name, "a LibreOffice file (.ods)", "open it and save the sheet as CSV", err);
    if (table[0])
        return pt_fail_at(err, PT_EFORMAT, name, 0, 0,
                          "this is a zip file with %s in it; unpack it, or compress with gzip",
                          table);
    return refuse(name, "a zip file and holds no table", "unpack it and name a file in it", err);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static size_t skip_space(const file_bytes *f, size_t at)
{
    while (at < f->size && (f->bytes[at] == ' ' || f->bytes[at] == '\t' || f->bytes[at] == '\r' ||
                            f->bytes[at] == '\n'))
        at++;
    return at;
}

static bool has_word(const file_bytes *f, size_t at, const char *word)
{
    const size_t length = strlen(word);
    if (f->size < at + length)
        return false;
    for (size_t i = 0; i < length; i++) {
        const char c = f->bytes[at + i];
        if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != word[i])
            return false;
    }
    return true;
}

/* A member "name": at `at`? */
static bool has_member(const file_bytes *f, size_t at)
{
    if (at >= f->size || f->bytes[at] != '"')
        return false;
    for (at++; at < f->size && f->bytes[at] != '"' && f->bytes[at] != '\n'; at++)
        at += f->bytes[at] == '\\';
    at = at < f->size ? skip_space(f, at + 1) : at;
    return at < f->size && f->bytes[at] == ':';
}

/* An object, or a list of objects or lists. A sparse row of ARFF is none: numbers follow. */
static bool is_json(const file_bytes *f, size_t at)
{
    if (at >= f->size || (f->bytes[at] != '{' && f->bytes[at] != '['))
        return false;
    const size_t inside = skip_space(f, at + 1);
    if (f->bytes[at] == '{')
        return has_member(f, inside);
    if (inside >= f->size)
        return false;
    if (f->bytes[inside] == '{')
        return has_member(f, skip_space(f, inside + 1));
    return f->bytes[inside] == '[' && f->size > 1;
}

/* A dump of a data base: remarks, then a statement; or a statement that makes or fills a table. */
static bool is_sql(const file_bytes *f, size_t at)
{
    static const char *const ANY[] = {"insert into ", "create table ", "drop table if "};
    static const char *const BEHIND_REMARKS[] = {"set ",  "create ", "drop ",   "copy ",
                                                 "lock ", "begin",   "pragma ", "use "};
    const size_t begin = at;
    while (has(f, at, "-- ", 3) || has(f, at, "--\n", 3) || has(f, at, "--\r", 3) ||
           has(f, at, "/*", 2)) {
        const char *newline = memchr(f->bytes + at, '\n', f->size - at);
        if (!newline)
            return false;
        at = skip_space(f, (size_t)(newline - f->bytes));
    }
    for (size_t i = 0; i < sizeof ANY / sizeof *ANY; i++)
        if (has_word(f, at, ANY[i]))
            return true;
    for (size_t i = 0; i < sizeof BEHIND_REMARKS / sizeof *BEHIND_REMARKS && at > begin; i++)
        if (has_word(f, at, BEHIND_REMARKS[i]))
            return true;
    return false;
}

static pt_status refuse_text(const file_bytes *f, const char *name, pt_error *err)
{
    const size_t at = skip_space(f, has(f, 0, "\xef\xbb\xbf", 3) ? 3 : 0);
    if (has_word(f, at, "<!doctype html") || has_word(f, at, "<html") || has_word(f, at, "<table"))
        return refuse(name, "an HTML page", "get the table as CSV where it comes from", err);
    if (has_word(f, at, "<?xml"))
        return refuse(name, "an XML file", "save the table as CSV", err);
    if (is_sql(f, at))
        return refuse(name, "an SQL dump",
                      "write the table as CSV (psql: \\copy TABLE to FILE csv header; mysql: "
                      "--batch, which has tabs)",
                      err);
    if (!is_json(f, at))
        return PT_OK;
    const char *newline = memchr(f->bytes + at, '\n', f->size - at);
    const size_t next = newline ? skip_space(f, (size_t)(newline - f->bytes)) : f->size;
    const bool lines = f->bytes[at] == '{' && next < f->size && f->bytes[next] == '{';
    return refuse(name, lines ? "a file of JSON lines" : "a JSON file",
                  lines ? "write it as CSV (pandas: read_json(lines=True), to_csv(index=False))"
                        : "write the table as CSV (pandas: read_json, to_csv(index=False))",
                  err);
}

pt_status pt_refuse_known(const char *bytes, size_t size, const char *name, pt_error *err)
{
    const file_bytes f = {bytes, size};
    if (has(&f, 0, "POLYTOMY", 8) && size >= 16 && memchr(bytes, '\0', 16))
        return pt_fail_at(err, PT_EFORMAT, name, 0, 0, "this is a model file, not data");
    if (is_bzip2(&f))
        return refuse(name, "a file compressed by bzip2, which is not read",
                      "expand it, or use gzip or zstd", err);
    for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
        if (has(&f, MARKS[i].at, MARKS[i].bytes, MARKS[i].length) &&
            (!MARKS[i].binary || has_zero(&f)))
            return refuse(name, MARKS[i].what, MARKS[i].remedy, err);
    if (has(&f, 0, "PK\x03\x04", 4))
        return refuse_zip(&f, name, err);
    if (is_pickle(&f))
        return refuse(name, "a pickle of Python",
                      "write the table as CSV, or the arrays X and y with numpy.savez", err);
    return refuse_text(&f, name, err);
}
