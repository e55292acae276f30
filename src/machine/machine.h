/* Machines: what learns scores of classes from prepared rows. One file and one table entry each. */
#ifndef PT_MACHINE_MACHINE_H
#define PT_MACHINE_MACHINE_H

#include <stdbool.h>

#include "base/plan.h"
#include "base/task.h"
#include "codes/code.h"
#include "data/labels/labels.h"
#include "data/rows.h"
#include "decoders/decoder.h"
#include "kernels/kernel.h"
#include "losses/loss.h"
#include "params/params.h"
#include "store/pack.h"
#include "theory/boost_margin.h"
#include "theory/margin_theory.h"
#include "trees/forest.h"

/* What `resolve` found on its way: the mean loss (metrics/label_loss.h) of what it chose, on
 * training rows that the machines it tried had not seen. */
typedef struct pt_chosen {
    int64_t rows; /* 0: nothing was chosen, or by another machine than the one that is trained */
    double loss;
} pt_chosen;

/* What a machine is trained on. weight is NULL (all 1) or n positive numbers: example weights times
 * class weights. Machines look at weights alone; `copies` says into how many examples a row falls
 * where some are held out (subproblem.h). */
typedef struct pt_problem {
    pt_rows rows;
    const pt_labels *labels;
    const double *weight;
    const double *label_gram; /* k x k: the matrix of --label-kernel FILE, or NULL */
    const pt_code *code;      /* of --code FILE, or drawn beforehand (codes/code.h); or NULL */
    const double *costs;      /* k x k: the matrix of --costs FILE, row: the true class; or NULL */
    const int64_t *copies;    /* n: examples that a row stands for; NULL: one each */
    pt_chosen *chosen;        /* where `resolve` tells what it found; NULL: nobody asks */
} pt_problem;

/* Held-out scores that are asked for: of each example by a machine trained without its fold.
 * fold[p][i] in 0..n_folds-1; leave-one-out: n_folds = n, fold[p][i] = i. By brute force, folds
 * with larger numbers are trained on alone, and the scores of their rows are not asked for. */
typedef struct pt_partitions {
    int64_t count;
    int64_t n_folds;
    const int64_t *const *fold; /* count arrays of n */
} pt_partitions;

/* Takes the held-out scores of one point in one partition: n x k, row-major, valid during the call.
 * NULL: there is no answer at this point (its matrix is not positive definite). Called from any
 * thread, once for each pair. */
typedef pt_status (*pt_holdout_fn)(void *context, int64_t point, int64_t partition,
                                   const double *scores, pt_error *err);

/* Hands over held-out scores of least squares at many points (ls_holdout.h) by a machine that has
 * these parameters otherwise. */
struct pt_ls_point;
typedef pt_status (*pt_ls_auto_fn)(const pt_problem *problem, const pt_params *params,
                                   const struct pt_ls_point *points, int64_t n_points,
                                   const pt_partitions *partitions, pt_holdout_fn take,
                                   void *context, const pt_task *task, pt_error *err);

typedef enum pt_capability {
    PT_CAN_WEIGHTS = 1,
    PT_CAN_SPARSE = 2,
    PT_CAN_RAW = 4,           /* raw rows: nominal columns not encoded, missing cells kept */
    PT_CAN_HOLDOUT = 8,       /* held-out scores of its own: `holdout`, in closed form or not */
    PT_CAN_JOINT = 16,        /* a joint kernel of inputs and outputs */
    PT_CAN_END_EARLY = 32,    /* asks pt_task_ends_early, or its learner does */
    PT_LINEAR_BY_DEFAULT = 64 /* where no kernel is named, whatever the rows are */
} pt_capability;

typedef struct pt_machine pt_machine; /* each machine's own struct begins with `ops` */

/* What a machine that learns the columns of a code is made of; lent by it. */
typedef struct pt_machine_code_parts {
    const pt_code *code;
    const pt_code_decoder *decoder; /* NULL: its scores come from elsewhere (designed) */
    const pt_loss *loss;            /* what its binary learner minimises */
} pt_machine_code_parts;

/* The trees of a machine, lent by it; forest NULL: it is not made of trees. */
typedef struct pt_machine_trees {
    const pt_forest *forest;
    bool shares; /* leaves have logarithms of the shares of classes; else they add to outputs */
} pt_machine_trees;

typedef struct pt_machine_ops {
    const char *name;
    const char *summary;
    const char
        *parameters;      /* names of the groups machine and kernel that it uses: "ridge,kernel" */
    unsigned label_kinds; /* bits 1 << pt_label_kind */
    unsigned capabilities;

    /* Whether it uses a parameter that it lists, as `params` stand: what is composed of parts that
     * they name uses what those do. NULL: always. */
    bool (*uses)(const pt_params *params, const char *parameter);
    /* Whether it gets raw rows as `params` stand; NULL: where it can. */
    bool (*raw)(const pt_params *params);
    /* Whether it ends early as `params` stand; NULL: where it can, and its learner does. */
    bool (*ends_early)(const pt_params *params);
    /* Refuses parameters that do not go together. NULL: all do. */
    pt_status (*check)(const pt_params *params, pt_error *err);
    /* Before anything is computed: params may still say "auto". */
    pt_status (*plan)(const pt_problem *problem, const pt_params *params, const pt_task *task,
                      pt_plan *plan, pt_error *err);
    /* params are resolved: no "auto" left. */
    pt_status (*fit)(pt_machine **out, const pt_problem *problem, const pt_params *params,
                     const pt_task *task, pt_texts *warnings, pt_error *err);
    /* scores: rows.n x k row-major, larger is better. Of a machine trained on sets, a class is in
     * the set where its score is above 0. */
    pt_status (*scores)(const pt_machine *machine, const pt_rows *rows, double *scores,
                        const pt_task *task, pt_error *err);
    void (*free)(pt_machine *machine);

    /* Of machines that learn the columns of a code, both or none: what they are made of, and the
     * outputs before decoding, rows.n x ell row-major. */
    pt_machine_code_parts (*code_parts)(const pt_machine *machine);
    pt_status (*outputs)(const pt_machine *machine, const pt_rows *rows, double *outputs,
                         const pt_task *task, pt_error *err);
    /* Of those whose code is not that of --code: how many columns it has for k classes. */
    int64_t (*own_columns)(int64_t k);

    /* Of machines that may learn by rounds, both or none: how many there are (0: not by rounds),
     * and the outputs after some of them (trees/forest.h). */
    int64_t (*rounds)(const pt_machine *machine);
    pt_status (*staged)(const pt_machine *machine, const pt_rows *rows, const int64_t *rounds,
                        int64_t n_rounds, pt_staged_fn take, void *context, const pt_task *task,
                        pt_error *err);

    /* Of boosting in a single call (ASS section 5): the weights and errors of its rounds, lent by
     * it; false where its hypotheses do not all say +1 or -1. NULL: it is no such machine. */
    bool (*boosting)(const pt_machine *machine, pt_boost_rounds *rounds);

    /* The arrays of the machine, borrowed from it; pack->arrays is allocated for the caller. */
    pt_status (*save)(const pt_machine *machine, pt_pack *pack, pt_error *err);
    /* Builds it from arrays that may be hostile: every shape is checked. Copies what it keeps. */
    pt_status (*load)(pt_machine **out, const struct pt_machine_ops *ops, const pt_pack *pack,
                      int64_t n_inputs, int64_t n_classes, const pt_params *params, pt_error *err);

    /* Replaces every "auto" by a number, chosen on the problem alone. NULL: kernel, sigma and ridge
     * are chosen as for all machines that list them (validate/auto.h). */
    pt_status (*resolve)(pt_params *params, const pt_problem *problem, const pt_task *task,
                         pt_texts *warnings, pt_error *err);
    /* Held-out scores in closed form, by which sigma and ridge are chosen; NULL, or returns NULL:
     * they are chosen in another way. */
    pt_ls_auto_fn (*guide)(const pt_problem *problem, const pt_params *params);
    /* Closed-form held-out scores for many points (resolved parameters that differ in ridge, sigma,
     * ...) at once; NULL: it has none, brute force serves (select/). */
    pt_status (*holdout)(const pt_problem *problem, const pt_params *const *points,
                         int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                         void *context, const pt_task *task, pt_error *err);
    /* Whether `holdout` serves this point; brute force takes the others. NULL: it serves all. */
    bool (*holdout_exact)(const pt_problem *problem, const pt_params *point);
    /* What `holdout` is, for people; NULL: "closed form". */
    const char *holdout_method;
    /* For words about them. NULL: it is not made of trees. */
    pt_machine_trees (*trees)(const pt_machine *machine);
    /* Figures for the model's metadata, at most PT_FIGURES; returns how many. NULL: none. */
    int64_t (*figures)(const pt_machine *machine, pt_figure *figures);
    int64_t (*real_figures)(const pt_machine *machine, pt_real_figure *figures); /* as those */
    /* For the metadata too, lent by it. NULL, or that: there is none. */
    const pt_margin_theory *(*theory)(const pt_machine *machine);
    const pt_pair_theory *(*pair_theory)(const pt_machine *machine); /* as that */
    /* A machine that was just trained in a line of words for the metadata: *name <- what it is,
     * *text <- the line, which the caller frees, or NULL. NULL: none. */
    pt_status (*words)(const pt_machine *machine, const pt_texts *classes, const char **name,
                       char **text, pt_error *err);
} pt_machine_ops;

struct pt_machine {
    const pt_machine_ops *ops;
};

/* For PT_FREED_BY: the address of a pointer to a machine's own struct, whose ops are set. */
static inline void pt_machine_free_at(void *address)
{
    pt_machine *machine = *(pt_machine **)address;
    if (machine)
        machine->ops->free(machine);
}

/* Every machine there is: a line of registry/machines.def each. */
#define PT_ENTRY(entry, name) extern const pt_machine_ops pt_machine_##entry;
#include "registry/machines.def"
#undef PT_ENTRY
extern const pt_machine_ops *const pt_machines[]; /* ended by NULL */
const pt_machine_ops *pt_machine_find(const char *name);
/* The one place where a machine is trained. params are resolved; warnings NULL: they are lost. */
pt_status pt_machine_fit(pt_machine **out, const pt_machine_ops *ops, const pt_problem *problem,
                         const pt_params *params, const pt_task *task, pt_texts *warnings,
                         pt_error *err);
/* What training takes, foreseen; nothing where the machine does not say. */
pt_status pt_machine_plan(pt_plan *plan, const pt_machine_ops *ops, const pt_problem *problem,
                          const pt_params *params, const pt_task *task, pt_error *err);
/* Whether it lists the parameter and uses it as `params` stand; not for those of kernels. */
bool pt_machine_uses(const pt_machine_ops *ops, const pt_params *params, const char *parameter);
/* Whether it gets raw rows (data/rows.h) with these parameters. */
bool pt_machine_takes_raw(const pt_machine_ops *ops, const pt_params *params);
/* Whether it ends with what it has where time is up (base/task.h), as `params` stand. */
bool pt_machine_ends_early(const pt_machine_ops *ops, const pt_params *params);
/* The kernel, where it uses one, that it will have. */
const pt_kernel_ops *pt_machine_kernel(const pt_machine_ops *ops, const pt_params *params,
                                       bool sparse);

#endif
