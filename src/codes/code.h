/* Codes (ASS): a row of signs for each class, a binary problem for each column. */
#ifndef PT_CODES_CODE_H
#define PT_CODES_CODE_H

#include <stdbool.h>

#include "base/math.h"
#include "base/task.h"
#include "base/text.h"
#include "params/params.h"

/* Zero-initialise; free it always. */
typedef struct pt_code {
    int64_t k;
    int64_t ell;
    bool pairs;      /* all pairs, in the order of base/math.h: M is NULL, it could be large */
    int8_t *M;       /* k x ell row-major: +1, -1, or 0 where a class takes no part in a column */
    uint64_t recipe; /* pt_code_recipe of what it was made from; 0: not told */
} pt_code;

/* The entry of class r in column s; of all pairs this takes some divisions. */
int pt_code_entry(const pt_code *code, int64_t r, int64_t s);

/* A number for the parameters that tell a code of k classes, never 0. */
uint64_t pt_code_recipe(const pt_params *params, int64_t k);

/* Whether a code (may be NULL) is the one that the parameters tell, or it is not told of which. */
bool pt_code_serves(const pt_code *code, const pt_params *params, int64_t k);

/* From the parameters code, columns, draws, paper and seed. given: one that was made before, of a
 * file or drawn, which is copied if it serves; may be NULL. Remarks go to warnings, which may be
 * NULL. */
pt_status pt_code_init(pt_code *code, const pt_params *params, int64_t k, const pt_code *given,
                       const pt_task *task, pt_warnings *warnings, pt_error *err);
pt_status pt_code_init_pairs(pt_code *code, int64_t k, pt_error *err);
/* From signs that may come from a file: k x ell; refuses what is not a code. */
pt_status pt_code_from(pt_code *code, int64_t k, int64_t ell, const int8_t *M, pt_error *err);
/* All pairs get M; other codes have it. */
pt_status pt_code_spell_out(pt_code *code, pt_error *err);
/* *code <- a copy, its recipe with it. */
pt_status pt_code_copy(pt_code *code, const pt_code *from, pt_error *err);
/* For families: code->k is set; makes ell and M, which is not filled. */
pt_status pt_code_alloc(pt_code *code, int64_t ell, pt_error *err);
void pt_code_free(pt_code *code);

/* ---- a code from a CSV file (code_file.c) ---------------------------------------------------- */

/* A line of -1, 0 and 1 for each class: in the order of `classes`, or with the name of the class in
 * the first cell. classes NULL: as many as there are lines, with any names. `names` (may be NULL)
 * <- the names, or nothing where there are none. Every fault is told with its line. */
pt_status pt_code_read(pt_code *code, pt_texts *names, const char *path, const pt_texts *classes,
                       const pt_task *task, pt_warnings *warnings, pt_error *err);

/* The same from bytes in memory; `name` stands for the file in errors. */
pt_status pt_code_read_memory(pt_code *code, pt_texts *names, const void *bytes, size_t size,
                              const char *name, const pt_texts *classes, const pt_task *task,
                              pt_warnings *warnings, pt_error *err);

/* That of the parameter `code`, which names a file or is an array (params/param_array.h). */
pt_status pt_code_of(pt_code *code, pt_texts *names, const pt_params *params,
                     const pt_texts *classes, const pt_task *task, pt_warnings *warnings,
                     pt_error *err);

/* ---- how good a code is, before anything is learned (code_measure.c) ------------------------- */

typedef struct pt_code_measure {
    double rho;             /* the smallest distance of two classes, sum_s (1 - u_s v_s)/2 (ASS) */
    int64_t row_separation; /* the fewest columns in which two classes have opposite signs */
    int64_t column_separation; /* the fewest classes in which two columns, or one and the opposite
                                * of the other, differ; k where there is one column */
    int64_t n_equal;           /* columns that are equal to an earlier one */
    int64_t n_opposite;   /* columns that are the opposite of an earlier one, and equal to none */
    double zero_share;    /* of all entries */
    double least_balance; /* of all columns, the smaller of its two sides over both: <= 1/2 */
    double mean_balance;
} pt_code_measure;

/* Time: (k^2 ell + ell^2 k) / 64; all pairs by their formulas. */
pt_status pt_code_measure_of(pt_code_measure *measure, const pt_code *code, const pt_task *task,
                             pt_error *err);

/* An item "code" of a report: -1, 0 and 1 of each class in each column, which the report calls so
 * ("column", "output"). */
pt_status pt_code_add(pt_report *report, const pt_code *code, const char *column,
                      const pt_task *task, pt_error *err);

/* How many entries of column s have this sign: -1, 0 or 1. */
int64_t pt_code_count(const pt_code *code, int64_t s, int sign);

/* ---- families -------------------------------------------------------------------------------- */

/* A family of codes: one table entry each. */
typedef struct pt_code_family {
    const char *name;
    const char *summary;
    const char *parameters; /* names used: "columns,draws,paper" */
    bool zeros;             /* its codes keep classes out of columns (of more than two) */
    /* code->k >= 2 is set; makes ell, and M or pairs. warnings is not NULL. */
    pt_status (*make)(pt_code *code, const pt_params *params, const pt_task *task,
                      pt_warnings *warnings, pt_error *err);
} pt_code_family;

/* Every family of codes there is: a line of registry/codes.def each. */
#define PT_ENTRY(entry, name) extern const pt_code_family pt_code_##entry;
#include "registry/codes.def"
#undef PT_ENTRY
extern const pt_code_family *const pt_code_families[]; /* ended by NULL */
const pt_code_family *pt_code_family_find(const char *name);

#endif
