/* Warnings: results stand, and people should know. Each has a kind, a word for programs. */
#ifndef PT_BASE_WARNINGS_H
#define PT_BASE_WARNINGS_H

#include <stdint.h>

#include "base/error.h"

/* X(name, its word outside): warnings first, then what other messages are. docs/reports.md says
 * what each is about. */
#define PT_KIND_LIST(X)                      \
    X(PT_KIND_DATA, "data")                  \
    X(PT_KIND_CLASSES, "classes")            \
    X(PT_KIND_PARAMETERS, "parameters")      \
    X(PT_KIND_CONVERGENCE, "convergence")    \
    X(PT_KIND_NUMERIC, "numeric")            \
    X(PT_KIND_LIMIT, "limit")                \
    X(PT_KIND_OPTIMISM, "optimism")          \
    X(PT_KIND_UNSAVED, "unsaved")            \
    X(PT_KIND_PLAN, "plan") /* no warning */ \
    X(PT_KIND_PROGRESS, "progress")          \
    /* end */

typedef enum pt_kind {
#define PT_KIND_ENUM(name, word) name,
    PT_KIND_LIST(PT_KIND_ENUM)
#undef PT_KIND_ENUM
} pt_kind;

const char *pt_kind_name(pt_kind kind);

/* A list that grows. Zero-initialise it. */
typedef struct pt_warnings {
    char **items;           /* the texts */
    pt_kind *kinds;         /* of each */
    const char **sentences; /* of each, before figures and names are put in: the format */
    int64_t count;
} pt_warnings;

/* The text is UTF-8 whatever cells and names bring in, and cut to this room. `format` is a literal:
 * the list keeps it, not a copy. */
enum { PT_WARNING_ROOM = 2048 };
pt_status pt_warn(pt_warnings *warnings, pt_error *err, pt_kind kind, const char *format, ...)
    PT_PRINTF(4, 5);
/* All of `more`; those of them whose text is not there yet. */
pt_status pt_warnings_add(pt_warnings *warnings, const pt_warnings *more, pt_error *err);
pt_status pt_warnings_add_new(pt_warnings *warnings, const pt_warnings *more, pt_error *err);
const char *pt_warnings_get(const pt_warnings *warnings, int64_t index); /* NULL out of range */
void pt_warnings_free(pt_warnings *warnings);

#endif
