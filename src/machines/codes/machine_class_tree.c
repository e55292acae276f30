/* class-tree: a tree of classes (class_tree.h) is grown, and its k - 1 columns are learned as those
 * of a code. What is left is the machine `code`, whose code the tree is.
 *
 * A prediction goes down the tree: with --decode weakest, the default, the score of a class is the
 * smallest margin on the path to it (decoders/decode_pairs.c). Other decoders take the tree as
 * any code. */
#include <string.h>

#include "base/alloc.h"
#include "codes/code.h"
#include "kernels/kernel_params.h"
#include "machine/code_scores.h"
#include "machine/subproblem.h"
#include "machines/codes/class_tree.h"
#include "machines/codes/machine_code.h"
#include "metrics/label_judge.h"
#include "params/params_table.h"
#include "validate/auto.h"

static bool tree_uses(const pt_params *params, const char *parameter)
{
    static const char not_ours[] = "code,columns,draws,paper,coupling-slope,single-call";
    return strcmp(parameter, "design-folds") == 0 ||
           (!pt_word_listed(not_ours, ',', parameter, strlen(parameter)) &&
            pt_machine_code.uses(params, parameter));
}

static bool tree_takes(const pt_params *params, pt_param_id id, const char *choice)
{
    (void)params;
    return id != PT_P_DECODE || pt_decoder_suits(choice, false, false);
}

static pt_status tree_check(const pt_params *params, pt_error *err)
{
    if (pt_params_integer(params, PT_P_DESIGN_FOLDS) == 1)
        return pt_fail(err, PT_EINVAL,
                       "`design-folds=1` leaves nothing to learn columns from; 0 is without folds");
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

static pt_status tree_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                          const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    PT_FREED_BY(pt_code_free) pt_code tree = {0};
    pt_problem with_tree = *problem;
    if (!problem->code) { /* where there is one, its columns are learned again */
        PT_TRY(pt_class_tree_grow(&tree, problem, params, task, err));
        with_tree.code = &tree;
    }
    return pt_machine_code.fit(machine, &with_tree, params, task, warnings, err);
}

/* ---- automatic parameters -------------------------------------------------------------------- */

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
    PT_FREED_BY(pt_machine_free_at) pt_machine *machine = NULL;
    PT_SCRATCH double *scores = NULL;
    PT_TRY(PT_NEW(scores, n * k, "scores", err));
    PT_TRY(pt_machine_fit(&machine, &pt_machine_class_tree, sample, params, task, NULL, err));
    PT_TRY(pt_code_scores(machine, &sample->rows, scores, task, err));
    *errors = 0;
    for (int64_t i = 0; i < n; i++)
        *errors += pt_label_loss(sample->labels, i, scores + i * k) > 0;
    return PT_OK;
}

/* Parameters that were chosen for pairs may be too smooth for a tree: where all points of a search
 * tell the pairs apart the smoothest wins, and one class against several then has the sign of the
 * larger side everywhere. They are so where a tree errs more on rows that it has learned from than
 * another, with parameters that are chosen for it, on rows that it has not. */
static pt_status check_choice(pt_params *params, const pt_params *given, const pt_problem *problem,
                              const pt_task *task, pt_error *err)
{
    const bool ridge = ridge_is_auto(given);
    int64_t seen = 0;
    pt_chosen chosen = {0};
    PT_FREED_BY(pt_subproblem_free) pt_subproblem sample = {0};
    PT_FREED_BY(pt_code_free) pt_code tree = {0};
    PT_FREED_BY(pt_params_free_at) pt_params *start = NULL;
    PT_FREED_BY(pt_params_free_at) pt_params *other = NULL;
    PT_TRY(pt_subproblem_sample(&sample, problem, PT_AUTO_SAMPLE,
                                (uint64_t)pt_params_integer(params, PT_P_SEED),
                                pt_kernel_is_precomputed(params), task, err));
    PT_TRY(seen_errors(&seen, &sample.problem, params, task, err));
    if (seen == 0)
        return PT_OK;
    PT_TRY(pt_auto_start(&start, given, &sample.problem, task, err));
    if (!start)
        return PT_OK;
    PT_TRY(pt_class_tree_grow(&tree, &sample.problem, start, task, err));
    PT_TRY(pt_params_copy(&other, given, err));
    sample.problem.code = &tree;
    sample.problem.chosen = &chosen;
    PT_TRY(pt_auto_by_training(&pt_machine_class_tree, other, &sample.problem, task, err));
    if (!((double)seen > chosen.loss * (double)chosen.rows))
        return PT_OK;
    PT_TRY(pt_params_set(params, "sigma", pt_params_get(other, "sigma"), err));
    return ridge ? pt_params_set(params, "ridge", pt_params_get(other, "ridge"), err) : PT_OK;
}

static pt_status tree_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                              pt_warnings *warnings, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *given = NULL;
    if (tree_uses(params, "kernel"))
        PT_TRY(pt_kernel_settle(params, !problem->rows.dense, err));
    PT_TRY(pt_params_copy(&given, params, err));
    /* For all pairs, which are the smallest of the problems in a tree, and have closed forms where
     * a tree has none. */
    pt_problem pairs = *problem;
    pairs.chosen = NULL;
    PT_TRY(pt_code_resolve_columns(params, &pairs, task, warnings, err));
    if (tree_uses(given, "kernel") && (pt_sigma_is_auto(given) || ridge_is_auto(given)))
        return check_choice(params, given, problem, task, err);
    return PT_OK;
}

/* ---- in words: ((a | b) | c) ----------------------------------------------------------------- */

typedef struct tree_writer {
    const pt_code *tree;
    const pt_texts *names;
    int64_t *order;  /* k: the classes, those of a node side by side */
    int64_t *parted; /* k: work space */
    int64_t *size;   /* of each column: how many classes take part */
    char *at;
} tree_writer;

static void put(tree_writer *w, const char *text)
{
    const size_t length = strlen(text);
    memcpy(w->at, text, length);
    w->at += length;
}

/* The column of the node with these classes: on the way to a class every node is smaller than the
 * one above. */
static int64_t column_of(const tree_writer *w, int64_t first, int64_t count)
{
    int64_t s = 0;
    while (w->size[s] != count || pt_code_entry(w->tree, w->order[first], s) == 0)
        s++;
    return s;
}

/* The classes of a node at +, then those at -; returns how many the former are. */
static int64_t part(tree_writer *w, int64_t first, int64_t count, int64_t s)
{
    int64_t n = 0;
    int64_t left = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int64_t j = 0; j < count; j++)
            if (pt_code_entry(w->tree, w->order[first + j], s) == sign)
                w->parted[n++] = w->order[first + j];
        left = sign > 0 ? n : left;
    }
    memcpy(w->order + first, w->parted, (size_t)count * sizeof *w->order);
    return left;
}

static void put_node(tree_writer *w, int64_t first, int64_t count)
{
    if (count == 1) {
        put(w, pt_texts_get(w->names, w->order[first]));
        return;
    }
    const int64_t left = part(w, first, count, column_of(w, first, count));
    put(w, "(");
    put_node(w, first, left);
    put(w, " | ");
    put_node(w, first + left, count - left);
    put(w, ")");
}

pt_status pt_class_tree_words(char **text, const pt_code *tree, const pt_texts *names,
                              pt_error *err)
{
    const int64_t k = tree->k;
    tree_writer w = {.tree = tree, .names = names};
    char *words = NULL;
    size_t length = 1;
    for (int64_t r = 0; r < k; r++)
        length += strlen(pt_texts_get(names, r)) + strlen("( | )");
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "a tree in words", err, PT_PIECE(w.order, k), PT_PIECE(w.parted, k),
                    PT_PIECE(w.size, tree->ell)));
    PT_TRY(PT_NEW(words, (int64_t)length, "a tree in words", err));
    for (int64_t r = 0; r < k; r++)
        w.order[r] = r;
    for (int64_t s = 0; s < tree->ell; s++)
        w.size[s] = k - pt_code_count(tree, s, 0);
    w.at = words;
    put_node(&w, 0, k);
    *w.at = '\0';
    *text = words;
    return PT_OK;
}

static int64_t tree_columns(int64_t k)
{
    return k - 1;
}

static pt_status tree_describe(const pt_machine *machine, const pt_texts *classes,
                               pt_description *description, pt_error *err)
{
    enum { MOST_CLASSES = 1000 }; /* more are nothing to read */
    PT_TRY(pt_code_machine_describe(machine, classes, description, err));
    description->words_name = "class_tree";
    return !classes || classes->count > MOST_CLASSES
               ? PT_OK
               : pt_class_tree_words(&description->words, pt_code_machine_parts(machine).code,
                                     classes, err);
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
    .defaults = "decode=weakest",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW,
    .uses = tree_uses,
    .takes = tree_takes,
    .raw = pt_code_machine_raw,
    .check = tree_check,
    .size = sizeof(pt_code_machine),
    .plan = tree_plan,
    .fit = tree_fit,
    .scores = pt_code_scores,
    .parts = pt_code_machine_parts,
    .outputs = pt_code_machine_outputs,
    .own_columns = tree_columns,
    .staged = pt_code_machine_staged,
    .free = pt_code_machine_free,
    .save = pt_code_machine_save,
    .load = pt_code_machine_load,
    .resolve = tree_resolve,
    .describe = tree_describe,
};
