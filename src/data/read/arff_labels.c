/* Labels of multilabel ARFF files.
 *
 *   <labels xmlns="http://mulan.sourceforge.net/labels">      emotions.xml
 *     <label name="amazed-suprised"/> <label name="sad"> <label name="lonely"/> </label>
 *   </labels>
 *
 *   @relation 'emotions: -C 6'                                 MEKA
 *
 * Of XML this is what Mulan writes: elements, comments, the five named characters and numbers. */
#include "data/read/roles.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "data/read/intern.h"
#include "data/read/source.h"

/* ---- names in XML ---------------------------------------------------------------------------- */

typedef struct xml_text {
    const char *p;
    const char *end;
    const char *path;
    char *name; /* the last one that was read */
    size_t length;
    size_t room;
} xml_text;

static bool begins(const xml_text *x, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(x->end - x->p) >= length && memcmp(x->p, word, length) == 0;
}

/* Moves behind the next `word`; false: there is none. */
static bool skip_past(xml_text *x, const char *word)
{
    for (; x->p < x->end; x->p++)
        if (begins(x, word)) {
            x->p += strlen(word);
            return true;
        }
    return false;
}

/* UTF-8 of a character's number; 0 bytes: it is none. */
static size_t utf8(unsigned long c, char out[4])
{
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char LEAD[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t b = length - 1; b > 0; b--, c >>= 6)
        out[b] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(LEAD[length] | c);
    return length;
}

/* The character that &...; at x->p stands for; 0 bytes: it is not known. */
static size_t entity(xml_text *x, char out[4])
{
    static const struct {
        const char *text;
        char c;
    } NAMED[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++)
        if (begins(x, NAMED[i].text)) {
            x->p += strlen(NAMED[i].text);
            out[0] = NAMED[i].c;
            return 1;
        }
    char digits[12] = "";
    const char *close = memchr(x->p, ';', (size_t)(x->end - x->p));
    const size_t length = close ? (size_t)(close - x->p) : 0;
    if (length < 3 || length - 2 >= sizeof digits || x->p[1] != '#')
        return 0;
    const bool hex = x->p[2] == 'x';
    memcpy(digits, x->p + 2 + hex, length - 2 - hex);
    char *rest = NULL;
    const unsigned long c = strtoul(digits, &rest, hex ? 16 : 10);
    x->p = close + 1;
    return *rest ? 0 : utf8(c, out);
}

static pt_status not_xml(const xml_text *x, const char *what, pt_error *err)
{
    return pt_fail_at(err, PT_EFORMAT, x->path, 0, 0,
                      "%s; Mulan's file of labels has <label name=\"...\"/> for each", what);
}

/* The value in quotes at x->p into x->name. */
static pt_status quoted_value(xml_text *x, pt_error *err)
{
    if (x->p == x->end || (*x->p != '"' && *x->p != '\''))
        return not_xml(x, "a name is not in quotes", err);
    const char quote = *x->p++;
    const char *close = memchr(x->p, quote, (size_t)(x->end - x->p));
    if (!close)
        return not_xml(x, "a quote is opened and not closed", err);
    if ((size_t)(close - x->p) > x->room) {
        /* what is escaped is longer than what it says */
        const size_t room = 2 * (size_t)(close - x->p);
        PT_TRY(pt_alloc_grow((void **)&x->name, 0, (int64_t)room, 1, "a label's name", err));
        x->room = room;
    }
    x->length = 0;
    while (x->p < close) {
        char c[4] = {*x->p};
        const size_t bytes = *x->p == '&' ? entity(x, c) : (x->p++, 1);
        if (bytes == 0 || c[0] == '\0' || x->p > close)
            return not_xml(x, "a name has a character that is not known", err);
        memcpy(x->name + x->length, c, bytes);
        x->length += bytes;
    }
    x->p = close + 1;
    return PT_OK;
}

/* The attribute "name" of the element that is open at x->p. */
static pt_status element_name(xml_text *x, pt_error *err)
{
    for (;;) {
        while (x->p < x->end && isspace((unsigned char)*x->p))
            x->p++;
        const char *word = x->p;
        while (x->p < x->end && (isalnum((unsigned char)*x->p) || strchr(":_-.", *x->p)))
            x->p++;
        const bool found = x->p - word == 4 && memcmp(word, "name", 4) == 0;
        while (x->p < x->end && isspace((unsigned char)*x->p))
            x->p++;
        if (x->p == word || x->p == x->end || *x->p++ != '=')
            return not_xml(x, "a <label> has no name", err);
        while (x->p < x->end && isspace((unsigned char)*x->p))
            x->p++;
        PT_TRY(quoted_value(x, err));
        if (found)
            return PT_OK;
    }
}

static pt_status fail_label(const xml_text *x, const char *data, const char *what, pt_error *err)
{
    char shown[64];
    const size_t length = x->length < sizeof shown - 1 ? x->length : sizeof shown - 1;
    memcpy(shown, x->name, length);
    shown[length] = '\0';
    return pt_fail_at(err, PT_EFORMAT, x->path, 0, 0, what, shown, data);
}

/* Marks the attributes that the file names. */
static pt_status mark_named(xml_text *x, const pt_texts *names, bool *is_label, const char *data,
                            pt_error *err)
{
    PT_FREED_BY(pt_intern_free) pt_intern known = {0};
    const pt_status filled = pt_intern_fill(&known, names, err);
    if (filled == PT_EINVAL)
        return pt_fail_at(err, PT_EFORMAT, data, 0, 0, "two attributes have the same name");
    PT_TRY(filled);
    if (!skip_past(x, "<labels"))
        return not_xml(x, "there is no <labels>", err);
    while (skip_past(x, "<")) {
        if (begins(x, "!--")) {
            (void)skip_past(x, "-->");
            continue;
        }
        if (!begins(x, "label") || x->end - x->p < 6 || !isspace((unsigned char)x->p[5]))
            continue;
        x->p += strlen("label");
        PT_TRY(element_name(x, err));
        const int64_t column = pt_intern_find(&known, x->name, x->length);
        if (column < 0)
            return fail_label(x, data,
                              "the label '%s' is no attribute of %s; name the labels with `label` "
                              "if the file belongs to other data",
                              err);
        if (is_label[column])
            return fail_label(x, data, "the label '%s' is named twice for %s", err);
        is_label[column] = true;
    }
    return PT_OK;
}

/* ---- where they are said --------------------------------------------------------------------- */

/* Whether a file that happens to lie beside the data says <labels at its beginning. */
static bool is_mulan(const char *path)
{
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    xml_text x = {.p = bytes, .end = bytes + size, .path = path};
    if (file)
        fclose(file);
    return skip_past(&x, "<labels");
}

/* The XML file of Mulan beside the data, for the caller to free; *path NULL: there is none. */
static pt_status find_beside(char **path, const char *data, pt_error *err)
{
    *path = NULL;
    const char *slash = strrchr(data, '/');
    const char *base = slash ? slash + 1 : data;
    const char *dot = strstr(base, ".arff");
    if (!dot)
        return PT_OK;
    char *name = pt_alloc_text_n(data, (size_t)(dot - data) + strlen(".xml"), err);
    if (!name)
        return PT_ENOMEM;
    size_t stem = (size_t)(dot - data);
    for (int attempt = 0; attempt < 2 && !*path; attempt++) {
        memcpy(name + stem, ".xml", sizeof ".xml");
        if (access(name, R_OK) == 0 && is_mulan(name)) {
            *path = name;
            return PT_OK;
        }
        name[stem] = '\0';
        const char *dash = strrchr(name + (base - data), '-');
        if (!dash)
            break;
        stem = (size_t)(dash - name);
    }
    pt_free(name);
    return PT_OK;
}

/* How many labels a relation of MEKA says: "name: -C 6 ..."; 0: nothing. */
static int64_t meka_count(const char *relation)
{
    const char *at = strchr(relation, ':');
    while (at && *at) {
        at += strspn(at, ": \t");
        if ((strncmp(at, "-C", 2) == 0 || strncmp(at, "-c", 2) == 0) &&
            (at[2] == ' ' || at[2] == '\t')) {
            char *rest = NULL;
            errno = 0;
            const long long count = strtoll(at + 2, &rest, 10);
            if (rest != at + 2 && (*rest == '\0' || isspace((unsigned char)*rest)) && errno == 0)
                return count;
        }
        at += strcspn(at, ": \t");
    }
    return 0;
}

static pt_status mark_counted(int64_t count, int64_t n_columns, bool *is_label,
                              const pt_read_options *options, pt_error *err)
{
    const int64_t labels = count < 0 ? -count : count;
    if (labels >= n_columns || labels < 0)
        return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                          "the relation says -C %lld, which leaves none of the %lld attributes for "
                          "features; say `label`, or correct it",
                          (long long)count, (long long)n_columns);
    for (int64_t c = 0; c < labels; c++)
        is_label[count < 0 ? n_columns - 1 - c : c] = true;
    return PT_OK;
}

static pt_status mark_by_file(const char *path, const pt_texts *names, bool *is_label,
                              const pt_read_options *options, pt_error *err)
{
    PT_FREED_BY(pt_source_close) pt_source source = {0};
    PT_TRY(pt_source_open(&source, path, options->task, err));
    xml_text x = {.p = source.bytes, .end = source.bytes + source.size, .path = path};
    const pt_status status = mark_named(&x, names, is_label, options->source, err);
    pt_free(x.name);
    return status;
}

static pt_status take_marked(pt_label_columns *out, const bool *is_label, const pt_texts *names,
                             pt_error *err)
{
    PT_TRY(PT_NEW(out->column, names->count, "label columns", err));
    for (int64_t j = 0; j < names->count; j++)
        if (is_label[j]) {
            out->column[out->count++] = j + 1;
            PT_TRY(pt_texts_add_n(&out->names, names->items[j], strlen(names->items[j]), err));
        }
    return PT_OK;
}

pt_status pt_arff_labels(pt_label_columns *out, const char *relation, const pt_texts *names,
                         const pt_read_options *options, pt_error *err)
{
    const char *asked = options->labels_xml ? options->labels_xml : "";
    const bool said = (options->label && *options->label) || (options->ranks && *options->ranks) ||
                      (options->labels_said && strcmp(options->labels, "set") != 0);
    if (*asked && said)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`labels-xml` names the labels of sets; leave out `label`, `ranks` and "
                          "other kinds of `labels`");
    /* a model knows its labels */
    if (said || (options->label_optional && !*asked))
        return PT_OK;
    PT_SCRATCH bool *is_label = NULL;
    PT_TRY(PT_NEW_ZERO(is_label, names->count, "label columns", err));
    PT_SCRATCH char *beside = NULL;
    PT_TRY(*asked ? PT_OK : find_beside(&beside, options->source, err));
    const char *path = *asked ? asked : beside;
    const int64_t count = meka_count(relation);
    if (path)
        PT_TRY(mark_by_file(path, names, is_label, options, err));
    else if (count != 0)
        PT_TRY(mark_counted(count, names->count, is_label, options, err));
    if (path || count != 0)
        PT_TRY(take_marked(out, is_label, names, err));
    if (path && out->count == 0)
        return pt_fail_at(err, PT_EFORMAT, path, 0, 0, "it names no label");
    return PT_OK;
}
