/* Machines: what learns scores of classes from prepared rows. One file and one table entry each. */
#ifndef PT_MACHINE_MACHINE_H
#define PT_MACHINE_MACHINE_H

#include <stdbool.h>

#include "base/plan.h"
#include "base/task.h"
#include "codes/code.h"
#include "data/labels/labels.h"
#include "data/rows.h"
#include "data/ties.h"
#include "decoders/decoder.h"
#include "kernels/expansion.h"
#include "kernels/kernel.h"
#include "losses/loss.h"
#include "params/params.h"
#include "store/pack.h"
#include "theory/boost_margin.h"
#include "theory/margin_theory.h"
#include "trees/forest.h"

/* What `resolve` found on its way: the mean loss (metrics/label_judge.h) of what it chose, on
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
    pt_ties ties;             /* rows that are held out together */
    const pt_valid_rows *valid; /* PT_CAN_VALID: its training ends by them; NULL: there are none */
    pt_chosen *chosen;          /* where `resolve` tells what it found; NULL: nobody asks */
    /* Where `holdout` notes what machines that it trains warn of (validate/remarks.h); NULL: nobody
     * asks. Training (p n_partitions + partition) n_folds + fold is that of point p. */
    struct pt_remarks *remarks;
    /* What `fit` begins with: a machine of the same table entry, classes and columns, whose
     * parameters differ in those of `warm` alone; NULL: it begins at nothing. */
    const struct pt_started *start;
} pt_problem;

/* Held-out scores that are asked for: of each example by a machine trained without its fold.
 * fold[p][i] in 0..n_folds-1; rows with any other number are always trained on, and their scores
 * are not asked for. Folds differ in size, and some may be empty; n_folds = n: each row is one. */
typedef struct pt_partitions {
    int64_t count;
    int64_t n_folds;
    const int64_t *const *fold; /* count arrays of n */
    /* Folds are in the order of time: without fold f only rows with a smaller number are trained
     * on, those that are never held out (PT_NEVER_HELD) among them, and no later ones. Ways of
     * machines know nothing of it (validate/past.h does). */
    bool past;
} pt_partitions;

/* Whether row i is held out at all. */
static inline bool pt_is_held(const pt_partitions *partitions, int64_t partition, int64_t i)
{
    const int64_t fold = partitions->fold[partition][i];
    return fold >= 0 && fold < partitions->n_folds;
}

/* Its fold; n_folds where it is never held out: a set more as far as sums go. */
static inline int64_t pt_fold_or_rest(const pt_partitions *partitions, int64_t partition, int64_t i)
{
    return pt_is_held(partitions, partition, i) ? partitions->fold[partition][i]
                                                : partitions->n_folds;
}

/* Takes the held-out scores of one point in one partition: n x k, row-major (of rows that are not
 * held out any numbers), valid during the call. NULL: there is no answer at this point (its matrix
 * is not positive definite). Called from any thread, once for each pair. */
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
    PT_CAN_RAW = 4,        /* raw rows: nominal columns not encoded, missing cells kept */
    PT_CAN_HOLDOUT = 8,    /* held-out scores of its own: `holdout`, in closed form or not */
    PT_CAN_JOINT = 16,     /* a joint kernel of inputs and outputs */
    PT_CAN_END_EARLY = 32, /* asks pt_task_ends_early, or its learner does */
    PT_CAN_VALID = 64,     /* of classes, where it uses `patience`: ends by problem->valid */
    PT_CAN_VALID_ANY = 128 /* of other labels, too */
} pt_capability;

typedef struct pt_machine pt_machine; /* each machine's own struct begins with one */

/* A machine that training begins with, and the parameters that it was trained with. */
typedef struct pt_started {
    const pt_machine *machine;
    const pt_params *params;
} pt_started;

/* What a machine is made of, lent by it; what it has not is zero. */
typedef struct pt_machine_parts {
    /* Of machines that learn the columns of a code. */
    const pt_code *code;
    const pt_code_decoder *decoder; /* NULL: its scores come from elsewhere (designed) */
    const pt_loss *loss;            /* what its binary learner minimises */
    int64_t rounds;                 /* that it learned by; 0: not by rounds */
    /* Of boosting in a single call (ASS section 5): the weights and errors of its rounds. alpha
     * NULL: its hypotheses do not all say +1 or -1, or it is no such machine. */
    pt_boost_rounds boosting;
    /* Of trees, for words about them. */
    const pt_forest *forest;
    const struct pt_label_space *labels; /* of machines with a vector for each class */
    bool shares; /* leaves have logarithms of the shares of classes; else they add to outputs */
} pt_machine_parts;

/* What a machine says of itself, for the model's metadata. Zero-initialise; free `words`. */
typedef struct pt_description {
    int64_t n_figures;
    pt_figure figure[PT_FIGURES];
    int64_t n_reals;
    pt_real_figure real[PT_FIGURES];
    const pt_margin_theory *theory; /* lent by it, as the next; NULL: there is none */
    const pt_pair_theory *pair_theory;
    const char *words_name; /* what the words are */
    char *words;            /* a line; NULL: none */
} pt_description;

typedef struct pt_machine_ops {
    const char *name;
    const char *summary;
    const char
        *parameters;      /* names of the groups machine and kernel that it uses: "ridge,kernel" */
    const char *defaults; /* where they are not the table's: "bias=yes"; those of its learner count
                               where it says nothing. decode=loss: its loss. NULL: none */
    const pt_loss *loss;  /* what its columns minimise, where it has no learner to say it */
    /* Of those whose training can begin with a machine of theirs: names of the parameters that may
     * differ from that one's, its learner's apart; NULL: it cannot. Ask pt_machine_warm. */
    const char *warm;
    /* Refuses it where the machine does not keep what it takes, as `params` stand; err may be NULL.
     * NULL: it can. Ask pt_machine_check_start. */
    pt_status (*check_start)(const pt_params *params, pt_error *err);
    unsigned label_kinds; /* bits 1 << pt_label_kind */
    unsigned capabilities;
    size_t size; /* of its own struct */

    /* Whether it uses a parameter that it lists, as `params` stand: what is composed of parts that
     * they name uses what those do. NULL: always. */
    bool (*uses)(const pt_params *params, const char *parameter);
    /* Whether it takes this choice of a parameter that it uses, as the others stand. NULL: each of
     * the table's, but for what capabilities say of kernels and missing cells. */
    bool (*takes)(const pt_params *params, pt_param_id id, const char *choice);
    /* Whether it gets raw rows as `params` stand; NULL: where it can. */
    bool (*raw)(const pt_params *params);
    /* Whether it ends early as `params` stand; NULL: where it can, and its learner does. */
    bool (*ends_early)(const pt_params *params);
    /* Refuses parameters that do not go together. NULL: all do. */
    pt_status (*check)(const pt_params *params, pt_error *err);
    /* Before anything is computed: params may still say "auto". */
    pt_status (*plan)(const pt_problem *problem, const pt_params *params, const pt_task *task,
                      pt_plan *plan, pt_error *err);
    /* The machine is zero but for its base. params are resolved: no "auto" left. */
    pt_status (*fit)(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                     const pt_task *task, pt_warnings *warnings, pt_error *err);
    /* scores: rows.n x k row-major, larger is better. Of a machine trained on sets, a class is in
     * the set where its score is above 0. */
    pt_status (*scores)(const pt_machine *machine, const pt_rows *rows, double *scores,
                        const pt_task *task, pt_error *err);
    /* What it holds, all of it or what there is of it so far; not the machine. */
    void (*free)(pt_machine *machine);

    /* What it is made of; NULL: neither a code nor trees. */
    pt_machine_parts (*parts)(const pt_machine *machine);
    /* Of machines that learn the columns of a code: the outputs before decoding, rows.n x ell
     * row-major. NULL: it is no such machine. */
    pt_status (*outputs)(const pt_machine *machine, const pt_rows *rows, double *outputs,
                         const pt_task *task, pt_error *err);
    /* Of those whose code is not that of --code: how many columns it has for k classes. */
    int64_t (*own_columns)(int64_t k);

    /* Of machines that may learn by rounds: the outputs after some of them (trees/forest.h). */
    pt_status (*staged)(const pt_machine *machine, const pt_rows *rows, const int64_t *rounds,
                        int64_t n_rounds, pt_staged_fn take, void *context, const pt_task *task,
                        pt_error *err);

    /* The arrays of the machine, borrowed from it; pack->arrays is allocated for the caller. */
    pt_status (*save)(const pt_machine *machine, pt_pack *pack, pt_error *err);
    /* Into one that is zero but for its base, from arrays that may be hostile: every shape is
     * checked. *used (0) <- how many of them it is made of. Copies what it keeps. */
    pt_status (*load)(pt_machine *machine, const pt_pack *pack, int64_t n_inputs, int64_t n_classes,
                      const pt_params *params, int64_t *used, const pt_task *task, pt_error *err);

    /* Replaces every "auto" by a number, chosen on the problem alone. NULL: kernel, sigma and ridge
     * are chosen as for all machines that list them (validate/auto.h). */
    pt_status (*resolve)(pt_params *params, const pt_problem *problem, const pt_task *task,
                         pt_warnings *warnings, pt_error *err);
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
    /* Adds what it says of itself; classes NULL: without words. NULL: nothing. */
    pt_status (*describe)(const pt_machine *machine, const pt_texts *classes,
                          pt_description *description, pt_error *err);
} pt_machine_ops;

struct pt_machine {
    const pt_machine_ops *ops;
};

/* A machine that is an expansion of its scores; such a one may begin with it and have more. */
typedef struct pt_expansion_machine {
    pt_machine base;
    pt_expansion expansion;
} pt_expansion_machine;

/* Every machine there is: a line of registry/machines.def each. */
#define PT_ENTRY(entry, name) extern const pt_machine_ops pt_machine_##entry;
#include "registry/machines.def"
#undef PT_ENTRY
extern const pt_machine_ops *const pt_machines[]; /* ended by NULL */
const pt_machine_ops *pt_machine_find(const char *name);
/* The one place where a machine is trained. params are resolved; warnings NULL: they are lost. */
pt_status pt_machine_fit(pt_machine **out, const pt_machine_ops *ops, const pt_problem *problem,
                         const pt_params *params, const pt_task *task, pt_warnings *warnings,
                         pt_error *err);
/* From the arrays of a file: all of them must be its own. */
pt_status pt_machine_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                          int64_t n_inputs, int64_t n_classes, const pt_params *params,
                          const pt_task *task, pt_error *err);
/* One that has learned nothing: for what is made in another way. NULL: there is no memory. */
pt_machine *pt_machine_new(const pt_machine_ops *ops, pt_error *err);
void pt_machine_free(pt_machine *machine);
/* For PT_FREED_BY: the address of a pointer to a machine. */
static inline void pt_machine_free_at(void *address)
{
    pt_machine_free(*(pt_machine **)address);
}
/* What it says of itself, and what it is made of: nothing where it has no such function. */
pt_status pt_machine_describe(pt_description *description, const pt_machine *machine,
                              const pt_texts *classes, pt_error *err);
pt_machine_parts pt_machine_parts_of(const pt_machine *machine);
/* Adds a figure to a description. */
void pt_describe_count(pt_description *description, const char *name, int64_t value);
void pt_describe_real(pt_description *description, const char *name, double value);
/* What training takes, foreseen; nothing where the machine does not say. */
pt_status pt_machine_plan(pt_plan *plan, const pt_machine_ops *ops, const pt_problem *problem,
                          const pt_params *params, const pt_task *task, pt_error *err);
/* Whether it lists the parameter and uses it as `params` stand; not for those of kernels. */
bool pt_machine_uses(const pt_machine_ops *ops, const pt_params *params, const char *parameter);
/* Refuses to begin with a machine where one with these parameters cannot, its learner apart; err
 * may be NULL. */
pt_status pt_machine_check_start(const pt_machine_ops *ops, const pt_params *params, pt_error *err);
/* Whether training with these parameters can begin with a machine; and with one that differs in
 * the parameter. */
bool pt_machine_can_start(const pt_machine_ops *ops, const pt_params *params);
bool pt_machine_warm(const pt_machine_ops *ops, const pt_params *params, const char *parameter);
/* Whether a parameter of any group counts as `params` stand: in the machine, its learner, code and
 * kernel. */
bool pt_machine_counts(const pt_machine_ops *ops, const pt_params *params, pt_param_id id);
/* Whether training takes this choice of it. */
bool pt_machine_takes(const pt_machine_ops *ops, const pt_params *params, pt_param_id id,
                      const char *choice);
/* *out <- what the machine, with the learner that `params` name, has in place of the table's
 * defaults: the parameters that are set in it. */
pt_status pt_machine_defaults(pt_params **out, const pt_machine_ops *ops, const pt_params *params,
                              pt_error *err);
/* Sets these where they were not set, or are "auto", and the loss that --decode loss stands for. */
pt_status pt_machine_settle(const pt_machine_ops *ops, pt_params *params, pt_error *err);
/* Whether it gets raw rows (data/rows.h) with these parameters. */
bool pt_machine_takes_raw(const pt_machine_ops *ops, const pt_params *params);
/* Whether it ends with what it has where time is up (base/task.h), as `params` stand. */
bool pt_machine_ends_early(const pt_machine_ops *ops, const pt_params *params);
/* The kernel, where it uses one, that it will have. */
const pt_kernel_ops *pt_machine_kernel(const pt_machine_ops *ops, const pt_params *params,
                                       bool sparse);

/* Of machines that stop on a duality gap and did not reach it: adds the warning that `reached` is
 * above `gap`, both relative, and what would help: a higher precision too, where the rows of this
 * type do not have it yet. */
pt_status pt_warn_gap(pt_warnings *warnings, const char *machine, double reached, double gap,
                      pt_type type, pt_error *err);

/* For the tables of machines that are an expansion. */
void pt_expansion_machine_free(pt_machine *machine);
pt_status pt_expansion_machine_scores(const pt_machine *machine, const pt_rows *rows,
                                      double *scores, const pt_task *task, pt_error *err);
pt_status pt_expansion_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err);
pt_status pt_expansion_machine_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                                    int64_t n_classes, const pt_params *params, int64_t *used,
                                    const pt_task *task, pt_error *err);

#endif
