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
                       const pt_task *task, pt_texts *warnings, pt_error *err);
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

/* A family of codes: one table entry each. */
typedef struct pt_code_family {
    const char *name;
    const char *summary;
    const char *parameters; /* names used: "columns,draws,paper" */
    bool zeros;             /* its codes keep classes out of columns (of more than two) */
    /* code->k >= 2 is set; makes ell, and M or pairs. warnings is not NULL. */
    pt_status (*make)(pt_code *code, const pt_params *params, const pt_task *task,
                      pt_texts *warnings, pt_error *err);
} pt_code_family;

/* Every family of codes there is: a line of registry/codes.def each. */
#define PT_ENTRY(entry, name) extern const pt_code_family pt_code_##entry;
#include "registry/codes.def"
#undef PT_ENTRY
extern const pt_code_family *const pt_code_families[]; /* ended by NULL */
const pt_code_family *pt_code_family_find(const char *name);

#endif
