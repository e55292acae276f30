/* Online learning from rows in memory: epochs over them, in random orders. */
#ifndef PT_SOLVERS_ONLINE_ONLINE_EPOCHS_H
#define PT_SOLVERS_ONLINE_ONLINE_EPOCHS_H

#include "base/task.h"
#include "data/rows.h"
#include "params/params.h"
#include "solvers/online/online_update.h"

/* sides <- the side of example i in each of the k functions. */
typedef void (*pt_online_sides_fn)(const void *context, int64_t i, int8_t *sides);

typedef struct pt_online_problem {
    const pt_rows *rows;
    const double *weight; /* n positive numbers, whose mean counts as 1; or NULL: all 1 */
    int64_t epochs;       /* 0: until the weights make no mistake, at most PT_ONLINE_EPOCHS */
    int64_t first;        /* of these have been made before, to what the weights are */
    uint64_t seed;
    /* labels with `how` (data/labels/label_pairs.h), or sides */
    const pt_labels *labels;
    unsigned how;
    pt_online_sides_fn sides;
    const void *context;
} pt_online_problem;

typedef struct pt_online_epochs {
    int64_t epochs;
    int64_t mistakes; /* examples that were wrong when their turn came, in all epochs */
    int64_t last;     /* in the last of them */
    int64_t moves;    /* w->moves after it */
    int64_t left;     /* after all epochs of 0, rows that the weights have wrong */
} pt_online_epochs;

enum { PT_ONLINE_EPOCHS = 100000 };

/* w has the classes and the features of the problem. On one thread: every example sees what those
 * before it have taught. */
pt_status pt_online_train(pt_online_weights *w, const pt_online_problem *problem,
                          pt_online_epochs *result, const pt_task *task, pt_error *err);

/* problem->first <- the epochs of what training begins with. PT_EINVAL if there are to be less. */
pt_status pt_online_go_on(pt_online_problem *problem, const pt_params *start, pt_error *err);

/* Bytes of a problem with n rows of d features and k classes, at most. */
double pt_online_bytes(const pt_online_rule *rule, int64_t n, int64_t d, int64_t k);

/* Row i without its zeros, in memory of the caller: room for d numbers each, used where needed. */
pt_online_row pt_online_row_of(const pt_rows *rows, int64_t i, int64_t *index, double *value);

#endif
