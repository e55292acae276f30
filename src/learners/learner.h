/* Binary margin learners: real outputs whose sign says which side an example is on. One file and
 * one table entry each.
 *
 * A learner gets all the binary problems of a code at once, since they are on the same rows: kernel
 * values, sorted features and factorisations are made once for all of them. */
#ifndef PT_LEARNERS_LEARNER_H
#define PT_LEARNERS_LEARNER_H

#include <stdbool.h>

#include "base/plan.h"
#include "base/task.h"
#include "base/text.h"
#include "data/rows.h"
#include "data/ties.h"
#include "kernels/expansion.h"
#include "losses/loss.h"
#include "params/params.h"
#include "store/pack.h"
#include "trees/forest.h"

/* ell binary problems on the same n rows. Rows of one group are on the same side in every column:
 * sign[g * ell + s] is that of group g in column s, 0: it takes no part there. */
typedef struct pt_columns {
    int64_t n;
    const int64_t *group_of; /* n */
    int64_t groups;
    int64_t ell;
    bool pairs;       /* all pairs of groups, in the order of base/math.h: sign is NULL */
    bool passing;     /* groups are those of the rows at hand: no learner keeps anything of them */
    bool single_call; /* as one problem, whose examples are pairs of row and column */
    const int8_t *sign;         /* groups x ell, row-major */
    const double *weight;       /* n positive numbers, or NULL: all 1 */
    const pt_texts *names;      /* of the groups, for messages; or NULL */
    pt_ties ties;               /* rows that are held out together */
    const pt_valid_rows *valid; /* by these rounds or epochs end; NULL: there are none */
    /* What `fit` begins with: a learner of the same table entry and columns, and what its
     * parameters were; NULL: it begins at nothing. */
    const struct pt_started_learner *start;
} pt_columns;

/* The side of group g in column s; of all pairs this takes some divisions. */
int pt_columns_sign(const pt_columns *columns, int64_t g, int64_t s);
/* Where rows of group g have what belongs to column s: at s, or of all pairs at their opponent. */
int64_t pt_columns_slot(const pt_columns *columns, int64_t g, int64_t s);

/* Warns of columns whose solver stopped at a limit of `what` ("steps"): `reached` is where, 0 for
 * the others; the parameter `name` is `asked`, which they missed. */
pt_status pt_columns_warn(const double *reached, int64_t ell, const char *what, const char *name,
                          double asked, pt_warnings *warnings, pt_error *err);

typedef struct pt_learner pt_learner; /* each learner's own struct begins with one */

typedef struct pt_started_learner {
    const pt_learner *learner;
    const pt_params *params;
} pt_started_learner;

typedef struct pt_learner_ops {
    const char *name;
    const char *summary;
    const char
        *parameters; /* names of the groups machine and kernel that it uses: "C,eps,kernel" */
    /* Of those whose training can begin with a learner of theirs: names of the parameters that may
     * differ from that one's; NULL: it cannot. */
    const char *warm;
    /* Refuses it where the learner does not keep what it takes, as `params` stand; err may be NULL.
     * NULL: it can. */
    pt_status (*check_start)(const pt_params *params, pt_error *err);
    const pt_loss *loss; /* what it minimises: --decode loss decodes with it */
    /* Where that depends on parameters; NULL: it does not. Ask pt_learner_loss. */
    const pt_loss *(*loss_of)(const pt_params *params);
    const char *defaults;  /* where they are not the table's: "bias=yes"; NULL: none */
    unsigned capabilities; /* PT_LEARNS_... */
    size_t size;           /* of its own struct */

    /* Whether it takes this choice of a parameter that it uses. NULL: each of the table's. */
    bool (*takes)(const pt_params *params, pt_param_id id, const char *choice);

    /* Before anything is computed: params may still say "auto". */
    pt_status (*plan)(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                      const pt_task *task, pt_plan *plan, pt_error *err);
    /* The learner is zero but for its base. params are resolved: no "auto" left. */
    pt_status (*fit)(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                     const pt_params *params, const pt_task *task, pt_warnings *warnings,
                     pt_error *err);
    /* outputs: rows.n x ell row-major. */
    pt_status (*outputs)(const pt_learner *learner, const pt_rows *rows, double *outputs,
                         const pt_task *task, pt_error *err);
    /* What it holds, all of it or what there is of it so far; not the learner. */
    void (*free)(pt_learner *learner);
    /* Adds its arrays, which it lends, to a pack that has been begun. */
    pt_status (*save)(const pt_learner *learner, pt_pack *pack, pt_error *err);
    /* Into one that is zero but for its base, from arrays that may be hostile; *used grows by how
     * many of them it is made of. Copies what it keeps. columns: n, group_of and weight are not
     * known. */
    pt_status (*load)(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                      const pt_columns *columns, const pt_params *params, int64_t *used,
                      const pt_task *task, pt_error *err);

    /* Of learners that work by rounds, both or none: how many there are, and the outputs after
     * rounds[0] < rounds[1] < ... of them (0: before the first). */
    int64_t (*rounds)(const pt_learner *learner);
    pt_status (*staged)(const pt_learner *learner, const pt_rows *rows, const int64_t *rounds,
                        int64_t n_rounds, pt_staged_fn take, void *context, const pt_task *task,
                        pt_error *err);

    /* At most PT_FIGURES - 2: machines add theirs; returns how many. NULL: none. */
    int64_t (*figures)(const pt_learner *learner, pt_figure *figures);
    /* Of learners made of trees, for words about them: tree t adds to output t % ell, or to all of
     * them (trees/forest.h). NULL: it is made of something else. */
    const pt_forest *(*forest)(const pt_learner *learner);
} pt_learner_ops;

/* A trained learner. Its table is a copy: that of a program's own learner is made when it is asked
 * for. */
struct pt_learner {
    pt_learner_ops ops;
    /* Of one that a single call made, which itself has one output, of pairs of row and column: what
     * the rows and the code have. ell 0: it has its columns itself. */
    struct {
        int64_t d;
        int64_t ell;
    } single;
};

enum {
    PT_LEARNS_WEIGHTS = 1,
    PT_LEARNS_SPARSE = 2,
    PT_LEARNS_KERNELS = 4,
    PT_LEARNS_RAW = 8, /* raw rows (data/rows.h): nominal columns not encoded, missing cells kept */
    PT_LEARNS_ONLINE = 16,    /* row by row: a weight is the size of a step, not so many rows */
    PT_LEARNS_UNTIL_TOLD = 32 /* asks pt_task_ends_early (base/task.h) */
};

/* Every learner there is: a line of registry/learners.def each. */
#define PT_ENTRY(entry, name) extern const pt_learner_ops pt_learner_##entry;
#include "registry/learners.def"
#undef PT_ENTRY
extern const pt_learner_ops *const pt_learners[]; /* ended by NULL */
const pt_learner_ops *pt_learner_find(const char *name);
/* That of the parameters, which may be a program's own; without a name where there is none. */
pt_learner_ops pt_learner_of(const pt_params *params);
/* What it minimises with these parameters. */
const pt_loss *pt_learner_loss(const pt_learner_ops *learner, const pt_params *params);

/* The life of a learner: as the functions of its table, by a single call where columns say so. */
pt_status pt_learner_plan(const pt_learner_ops *ops, const pt_rows *rows, const pt_columns *columns,
                          const pt_params *params, const pt_task *task, pt_plan *plan,
                          pt_error *err);
pt_status pt_learner_fit(pt_learner **out, const pt_learner_ops *ops, const pt_rows *rows,
                         const pt_columns *columns, const pt_params *params, const pt_task *task,
                         pt_warnings *warnings, pt_error *err);
pt_status pt_learner_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                             const pt_task *task, pt_error *err);
pt_status pt_learner_staged(const pt_learner *learner, const pt_rows *rows, const int64_t *rounds,
                            int64_t n_rounds, pt_staged_fn take, void *context, const pt_task *task,
                            pt_error *err);
pt_status pt_learner_load(pt_learner **out, const pt_learner_ops *ops, const pt_pack *pack,
                          int64_t n_inputs, const pt_columns *columns, const pt_params *params,
                          int64_t *used, const pt_task *task, pt_error *err);
void pt_learner_free(pt_learner *learner);

/* A learner that is an expansion of its outputs; such a one may begin with it and have more. */
typedef struct pt_expansion_learner {
    pt_learner base;
    pt_expansion outputs;
} pt_expansion_learner;

/* For the tables of such learners. */
void pt_expansion_learner_free(pt_learner *learner);
pt_status pt_expansion_learner_outputs(const pt_learner *learner, const pt_rows *rows,
                                       double *outputs, const pt_task *task, pt_error *err);
pt_status pt_expansion_learner_save(const pt_learner *learner, pt_pack *pack, pt_error *err);
pt_status pt_expansion_learner_load(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                                    const pt_columns *columns, const pt_params *params,
                                    int64_t *used, const pt_task *task, pt_error *err);

#endif
