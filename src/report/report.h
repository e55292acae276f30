/* Results as named figures and tables: what pt_report_* of the public header reads. Whoever has a
 * result adds its items one after the other; names are the document (docs/reports.md). */
#ifndef PT_REPORT_REPORT_H
#define PT_REPORT_REPORT_H

#include "base/text.h"
#include "base/warnings.h"

/* `kind` says what it is of: "evaluation", "search". */
pt_status pt_report_new(pt_report **out, const char *kind, pt_error *err);

/* One figure, count, yes or no, text. A text may be NULL: it is left out. */
pt_status pt_report_add_number(pt_report *report, const char *name, double value, pt_error *err);
pt_status pt_report_add_integer(pt_report *report, const char *name, int64_t value, pt_error *err);
pt_status pt_report_add_text(pt_report *report, const char *name, const char *text, pt_error *err);

/* A list, matrix or larger table; shape and axes as in pt_item. Its values are copied (of texts the
 * letters too), left to be filled in (*values <- room, of numbers only), or lent: they stay where
 * they are, and live as long as the report. */
pt_status pt_report_copy(pt_report *report, const pt_item *item, pt_error *err);
pt_status pt_report_room(pt_report *report, const pt_item *item, void *values, pt_error *err);
pt_status pt_report_lend(pt_report *report, const pt_item *item, pt_error *err);
pt_status pt_report_add_texts(pt_report *report, const char *name, const char *axis,
                              const pt_texts *texts, pt_error *err); /* copied */
/* "warning" and "warning_kind". */
pt_status pt_report_add_warnings(pt_report *report, const pt_warnings *warnings, pt_error *err);

/* Shapes of items in a line: PT_LIST("recall", PT_F64, "class", k, recall). */
#define PT_LIST(item_name, element, over, count, from) \
    (&(const pt_item){.name = (item_name),             \
                      .type = (element),               \
                      .n_axes = 1,                     \
                      .length = {(count)},             \
                      .axis = {(over)},                \
                      .values = (from)})
#define PT_TABLE(item_name, element, over, rows, across, columns, from) \
    (&(const pt_item){.name = (item_name),                              \
                      .type = (element),                                \
                      .n_axes = 2,                                      \
                      .length = {(rows), (columns)},                    \
                      .axis = {(over), (across)},                       \
                      .values = (from)})

/* Back to its first n items, where adding more of them has failed. */
void pt_report_cut(pt_report *report, int64_t n);

/* An object that lent values lie in: freed with the report. */
void pt_report_own(pt_report *report, void *object, void (*free_object)(void *object));
/* That object, for functions that ask it more (polytomy/experimental.h); NULL: of another kind. */
void *pt_report_object(const pt_report *report, const char *kind);

static inline void pt_report_free_at(pt_report **address) /* for PT_FREED_BY */
{
    pt_report_free(*address);
}

#endif
