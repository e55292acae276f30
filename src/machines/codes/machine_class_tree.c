/* class-tree: a tree of classes (class_tree.h) is grown, and its k - 1 columns are learned as those
 * of a code. What is left is the machine `code`, whose code the tree is.
 *
 * A prediction goes down the tree: with --decode weakest, the default, the score of a class is the
 * smallest margin on the path to it (decoders/decoder_weakest.c). Other decoders take the tree as
 * any code. */
#include "machine/machine.h"

#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "machine/code_scores.h"
#include "machine/subproblem.h"
#include "machines/codes/class_tree.h"
#include "machines/codes/machine_code.h"
#include "metrics/label_loss.h"
#include "params/params_table.h"
#include "validate/auto.h"

static bool tree_uses(const pt_params *params, const char *parameter)
{
    static const char not_ours[] = "code,columns,draws,paper,coupling-slope,single-call";
    return strcmp(parameter, "design-folds") == 0 ||
           (!pt_word_listed(not_ours, ',', parameter, strlen(parameter)) &&
            pt_machine_code.uses(params, parameter));
}

static bool tree_raw(const pt_params *params)
{
    return pt_machine_code.raw(params);
}

static pt_status tree_check(const pt_params *params, pt_error *err)
{
    if (pt_params_integer(params, PT_P_DESIGN_FOLDS) == 1)
        return pt_fail(err, PT_EINVAL,
                       "--design-folds 1 leaves nothing to learn columns from; 0 is without folds");
    return pt_code_check_params(params, "design-folds", err);
}

static pt_status tree_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                           pt_plan *plan, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    const double columns = (double)pt_class_tree_most_columns(k);
    const int64_t folds = pt_params_integer(params, PT_P_DESIGN_FOLDS);
    PT_FREED_BY(pt_code_free) pt_code halves = {0};
    pt_problem with_tree = *problem;
    with_tree.code = &halves;
    PT_TRY(pt_class_tree_halves(&halves, k, err));
    PT_TRY(pt_machine_code.plan(&with_tree, params, task, plan, err));
    plan->bytes += ((double)problem->rows.n + (double)k) * (columns + 4) * sizeof(double);
    plan->flops *= 1 + 2 * (double)(folds > 0 ? folds : 1);
    return PT_OK;
}

static pt_status tree_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                          const pt_task *task, pt_texts *warnings, pt_error *err)
{
    pt_code tree = {0};
    pt_problem with_tree = *problem;
    pt_machine *machine = NULL;
    pt_status status = PT_OK;
    if (!problem->code) { /* where there is one, its columns are learned again */
        status = pt_class_tree_grow(&tree, problem, params, task, err);
        with_tree.code = &tree;
    }
    if (status == PT_OK)
        status = pt_machine_code.fit(&machine, &with_tree, params, task, warnings, err);
    if (status == PT_OK) {
        machine->ops = &pt_machine_class_tree;
        *out = machine;
    }
    pt_code_free(&tree);
    return status;
}

/* ---- automatic parameters
 * -----------------------------------------------------------------------
 */

static bool ridge_is_auto(const pt_params *params)
{
    return tree_uses(params, "ridge") && pt_params_is_auto(params, PT_P_RIDGE);
}

/* Rows of the sample that a tree errs on which has learned from them. */
static pt_status seen_errors(int64_t *errors, const pt_problem *sample, const pt_params *params,
                             const pt_task *task, pt_error *err)
{
    const int64_t n = sample->rows.n;
    const int64_t k = pt_labels_n_classes(sample->labels);
    pt_machine *machine = NULL;
    pt_texts unheard = {NULL, 0, 0};
    double *scores = pt_alloc(n * k, sizeof *scores, "scores", err);
    pt_status status = scores ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = tree_fit(&machine, sample, params, task, &unheard, err);
    if (status == PT_OK)
        status = pt_code_scores(machine, &sample->rows, scores, task, err);
    *errors = 0;
    for (int64_t i = 0; i < n && status == PT_OK; i++)
        *errors += pt_label_loss(sample->labels, i, scores + i * k) > 0;
    if (machine)
        machine->ops->free(machine);
    pt_texts_free(&unheard);
    pt_free(scores);
    return status;
}

/* Parameters that were chosen for pairs may be too smooth for a tree: where all points of a search
 * tell the pairs apart the smoothest wins, and one class against several then has the sign of the
 * larger side everywhere. They are so where a tree errs more on rows that it has learned from than
 * another, with parameters that are chosen for it, on rows that it has not. */
static pt_status check_choice(pt_params *params, const pt_params *given, const pt_problem *problem,
                              const pt_task *task, pt_error *err)
{
    const bool ridge = ridge_is_auto(given);
    pt_subproblem sample = {0};
    pt_code tree = {0};
    pt_params *start = NULL;
    pt_params *other = NULL;
    int64_t seen = 0;
    pt_chosen chosen = {0};
    pt_status status = pt_subproblem_sample(&sample, problem, PT_AUTO_SAMPLE,
                                            (uint64_t)pt_params_integer(params, PT_P_SEED),
                                            pt_kernel_is_precomputed(params), err);
    if (status == PT_OK)
        status = seen_errors(&seen, &sample.problem, params, task, err);
    if (status == PT_OK && seen > 0)
        status = pt_auto_start(&start, given, &sample.problem, task, err);
    if (status == PT_OK && start)
        status = pt_class_tree_grow(&tree, &sample.problem, start, task, err);
    if (status == PT_OK && start)
        status = pt_params_copy(&other, given, err);
    sample.problem.code = &tree;
    sample.problem.chosen = &chosen;
    if (status == PT_OK && start)
        status = pt_auto_by_training(&pt_machine_class_tree, other, &sample.problem, task, err);
    const bool better = start && (double)seen > chosen.loss * (double)chosen.rows;
    if (status == PT_OK && better)
        status = pt_params_set(params, "sigma", pt_params_get(other, "sigma"), err);
    if (status == PT_OK && better && ridge)
        status = pt_params_set(params, "ridge", pt_params_get(other, "ridge"), err);
    pt_params_free(other);
    pt_params_free(start);
    pt_code_free(&tree);
    pt_subproblem_free(&sample);
    return status;
}

static pt_status tree_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                              pt_texts *warnings, pt_error *err)
{
    const pt_learner_ops learner = pt_learner_of(params);
    pt_params *given = NULL;
    pt_status status = PT_OK;
    if (!pt_params_set_by_user(params, PT_P_DECODE))
        status = pt_params_set(params, "decode", "weakest", err);
    else if (strcmp(pt_params_text(params, PT_P_DECODE), "loss") == 0)
        status = pt_params_set(params, "decode", pt_learner_loss(&learner, params)->name, err);
    if (status == PT_OK)
        status = pt_learner_settle(params, err);
    if (status == PT_OK && tree_uses(params, "kernel"))
        status = pt_kernel_settle(params, !problem->rows.dense, err);
    if (status == PT_OK)
        status = pt_params_copy(&given, params, err);
    /* For all pairs, which are the smallest of the problems in a tree, and have closed forms where
     * a tree has none. */
    pt_problem pairs = *problem;
    pairs.chosen = NULL;
    if (status == PT_OK)
        status = pt_code_resolve_columns(params, &pairs, task, warnings, err);
    if (status == PT_OK && tree_uses(given, "kernel") &&
        (pt_sigma_is_auto(given) || ridge_is_auto(given)))
        status = check_choice(params, given, problem, task, err);
    pt_params_free(given);
    return status;
}

/* ---- what the machine `code` does ------------------------------------------------------------ */

static void tree_free(pt_machine *machine)
{
    pt_machine_code.free(machine);
}

static pt_machine_code_parts tree_parts(const pt_machine *machine)
{
    return pt_machine_code.code_parts(machine);
}

static int64_t tree_columns(int64_t k)
{
    return k - 1;
}

static pt_status tree_outputs(const pt_machine *machine, const pt_rows *rows, double *outputs,
                              const pt_task *task, pt_error *err)
{
    return pt_machine_code.outputs(machine, rows, outputs, task, err);
}

static int64_t tree_rounds(const pt_machine *machine)
{
    return pt_machine_code.rounds(machine);
}

static pt_status tree_staged(const pt_machine *machine, const pt_rows *rows, const int64_t *rounds,
                             int64_t n_rounds, pt_staged_fn take, void *context,
                             const pt_task *task, pt_error *err)
{
    return pt_machine_code.staged(machine, rows, rounds, n_rounds, take, context, task, err);
}

static pt_status tree_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    return pt_machine_code.save(machine, pack, err);
}

static pt_status tree_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                           int64_t n_inputs, int64_t n_classes, const pt_params *params,
                           pt_error *err)
{
    return pt_machine_code.load(out, ops, pack, n_inputs, n_classes, params, err);
}

static pt_machine_trees tree_trees(const pt_machine *machine)
{
    return pt_machine_code.trees(machine);
}

static int64_t tree_figures(const pt_machine *machine, pt_figure *figures)
{
    return pt_machine_code.figures(machine, figures);
}

static pt_status tree_words(const pt_machine *machine, const pt_texts *classes, const char **name,
                            char **text, pt_error *err)
{
    enum { MOST_CLASSES = 1000 }; /* more are nothing to read */
    *name = "class_tree";
    return classes->count <= MOST_CLASSES
               ? pt_class_tree_words(text, tree_parts(machine).code, classes, err)
               : PT_OK;
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_class_tree = {
    .name = "class-tree",
    .summary = "a tree of classes, split in two at each node by a binary learner (CS Theorem 1)",
    .parameters = "learner,decode,design-folds,ridge,C,eps,gap,bias,penalty,update,epochs,alpha,"
                  "rounds,boost,polarity,"
                  "stop-share,patience,noise,criterion,depth,min-leaf,min-leaf-weight,bins,prune,"
                  "class-weight,"
                  "precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW,
    .uses = tree_uses,
    .raw = tree_raw,
    .check = tree_check,
    .plan = tree_plan,
    .fit = tree_fit,
    .scores = pt_code_scores,
    .code_parts = tree_parts,
    .outputs = tree_outputs,
    .own_columns = tree_columns,
    .rounds = tree_rounds,
    .staged = tree_staged,
    .free = tree_free,
    .save = tree_save,
    .load = tree_load,
    .resolve = tree_resolve,
    .trees = tree_trees,
    .figures = tree_figures,
    .words = tree_words,
};
