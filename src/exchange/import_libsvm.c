/* A C-SVC model of LIBSVM, as svm-train writes it, becomes a support vector machine for all pairs
 * of classes whose outputs are those of svm-predict.
 *
 * The classes stay in the order of the file, which need not be sorted: then the pairs, their signs
 * and the ties of votes are LIBSVM's own (export_libsvm.c says how the layouts correspond).
 *
 * The file may come from a stranger. What it says of its own size is believed only as far as there
 * are bytes for it; a number that stands for memory beyond that (the width of a linear machine, the
 * rows of a precomputed kernel) is compared with the task's memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/sort.h"
#include "base/text.h"
#include "data/read/lines.h"
#include "data/read/number.h"
#include "exchange/model_format.h"
#include "learners/pair_expansion.h"
#include "machines/codes/machine_code.h"

static const int64_t MOST_FEATURES = (int64_t)1 << 40;
enum { MOST_CLASSES = 1000000 };
enum { WORD_CELLS = 16 }; /* a number is read in the time that so many take to be copied */

typedef enum svm_kernel {
    KERNEL_NONE = -1,
    KERNEL_LINEAR,
    KERNEL_POLYNOMIAL,
    KERNEL_RBF,
    KERNEL_SIGMOID,
    KERNEL_PRECOMPUTED,
    N_KERNELS
} svm_kernel;

/* A line of numbers in the head, by its first word. */
enum { DEGREE, GAMMA, COEF0, NR_CLASS, TOTAL_SV, RHO, LABEL, PROB_A, PROB_B, NR_SV, DENSITY };
static const char *const LISTS[] = {
    [DEGREE] = "degree",
    [GAMMA] = "gamma",
    [COEF0] = "coef0",
    [NR_CLASS] = "nr_class",
    [TOTAL_SV] = "total_sv",
    [RHO] = "rho",
    [LABEL] = "label",
    [PROB_A] = "probA",
    [PROB_B] = "probB",
    [NR_SV] = "nr_sv",
    [DENSITY] = "prob_density_marks",
};
enum { N_LISTS = sizeof LISTS / sizeof *LISTS };

/* Their name, ours, and the lists that say the rest of it. */
static const struct {
    const char *theirs;
    const char *ours;
    unsigned needs;
} KERNELS[N_KERNELS] = {
    [KERNEL_LINEAR] = {"linear", "linear", 0},
    [KERNEL_POLYNOMIAL] = {"polynomial", "poly", 1U << DEGREE | 1U << GAMMA | 1U << COEF0},
    [KERNEL_RBF] = {"rbf", "rbf", 1U << GAMMA},
    [KERNEL_SIGMOID] = {"sigmoid", "sigmoid", 1U << GAMMA | 1U << COEF0},
    [KERNEL_PRECOMPUTED] = {"precomputed", "precomputed", 0},
};

/* The numbers of such a line; NULL: it was not there. */
typedef struct svm_list {
    double *value;
    int64_t count;
} svm_list;

typedef struct svm_import {
    pt_lines text; /* for errors: bytes, size, source */
    const char *p;
    const char *end;

    /* the head */
    bool c_svc;
    bool proba; /* asked for: outputs that make probabilities */
    svm_kernel kernel;
    svm_list list[N_LISTS];

    /* the support vectors, in the order of the file */
    int64_t k;
    int64_t n;
    double *sv_coef; /* n x (k-1) row-major */
    int64_t *start;  /* n + 1 */
    int64_t *index;  /* from 0; of a precomputed kernel unused */
    double *value;
    int64_t *serial; /* n: precomputed, from 0 */
    int64_t *first;  /* k + 1: where those of a class begin */
    int64_t d;
} svm_import;

static void import_free(svm_import *x)
{
    for (int i = 0; i < N_LISTS; i++)
        pt_free(x->list[i].value);
    pt_free(x->sv_coef);
    pt_free(x->start);
    pt_free(x->index);
    pt_free(x->value);
    pt_free(x->serial);
    pt_free(x->first);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Behind the blanks; true where a word begins there, in this line. */
static bool at_word(svm_import *x)
{
    while (x->p < x->end && is_blank(*x->p))
        x->p++;
    return x->p < x->end && *x->p != '\n';
}

static const char *word_end(const svm_import *x)
{
    const char *p = x->p;
    while (p < x->end && *p != '\n' && !is_blank(*p))
        p++;
    return p;
}

static bool word_is(const svm_import *x, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(word_end(x) - x->p) == length && memcmp(x->p, word, length) == 0;
}

static pt_status fail_here(const svm_import *x, pt_error *err, const char *what)
{
    return pt_lines_fail(&x->text, x->p - x->text.bytes, err, "%s", what);
}

static pt_status fail_word(const svm_import *x, pt_error *err, const char *what)
{
    char shown[PT_CELL_SHOWN];
    return pt_lines_fail(&x->text, x->p - x->text.bytes, err, "'%s' %s",
                         pt_cell_show(x->p, (size_t)(word_end(x) - x->p), shown), what);
}

/* The number at p, which ends with its word or, where it may, with a colon. */
static pt_status take_number(svm_import *x, double *value, char ending, pt_error *err)
{
    const char *next = x->p;
    const pt_number kind = pt_number_scan(x->p, x->end, &next, value);
    const bool ends = next == x->end || *next == '\n' || is_blank(*next);
    if (kind == PT_NUMBER_NONE || (ending ? next == x->end || *next != ending : !ends))
        return fail_word(x, err, ending ? "is not index:value" : "is not a number");
    if (kind == PT_NUMBER_NOT_FINITE)
        return fail_word(x, err, "is not a finite number");
    x->p = next;
    return PT_OK;
}

/* The one number of a line that is there. */
static double number_of(const svm_import *x, int which)
{
    return x->list[which].value[0];
}

static bool is_whole(double value, double least, double most)
{
    return value >= least && value <= most && value == floor(value);
}

/* ---- the head -------------------------------------------------------------------------------- */

static pt_status take_list(svm_import *x, svm_list *list, pt_error *err)
{
    const char *line = memchr(x->p, '\n', (size_t)(x->end - x->p));
    const int64_t room = ((line ? line : x->end) - x->p) / 2 + 1; /* " 1 2 3" */
    if (list->value)
        return fail_here(x, err, "this line is there twice");
    PT_TRY(PT_NEW(list->value, room, "a model", err));
    while (at_word(x))
        PT_TRY(take_number(x, &list->value[list->count++], 0, err));
    return PT_OK;
}

static pt_status take_type(svm_import *x, pt_error *err)
{
    if (!at_word(x) || !word_is(x, "c_svc"))
        return fail_word(x, err, "is not a kind of machine that can be read; c_svc is");
    x->c_svc = true;
    x->p = word_end(x);
    return PT_OK;
}

static pt_status take_kernel(svm_import *x, pt_error *err)
{
    for (int i = 0; at_word(x) && i < N_KERNELS; i++)
        if (word_is(x, KERNELS[i].theirs)) {
            x->kernel = (svm_kernel)i;
            x->p = word_end(x);
            return PT_OK;
        }
    return fail_word(x, err,
                     "is no kernel; there are linear, polynomial, rbf, sigmoid and precomputed");
}

/* A line of the head, without its end. *done <- it was "SV". */
static pt_status take_line(svm_import *x, bool *done, pt_error *err)
{
    for (int i = 0; i < N_LISTS; i++)
        if (word_is(x, LISTS[i])) {
            x->p = word_end(x);
            return take_list(x, &x->list[i], err);
        }
    const bool type = word_is(x, "svm_type");
    *done = word_is(x, "SV");
    if (!type && !*done && !word_is(x, "kernel_type"))
        return fail_word(x, err, "begins no line of a LIBSVM model");
    x->p = word_end(x);
    return *done ? PT_OK : type ? take_type(x, err) : take_kernel(x, err);
}

static pt_status take_head(svm_import *x, pt_error *err)
{
    bool done = false;
    while (!done) {
        if (x->p == x->end)
            return fail_here(x, err, "the file ends before its support vectors (the line SV)");
        PT_TRY(at_word(x) ? take_line(x, &done, err) : PT_OK);
        if (at_word(x))
            return fail_word(x, err, "is one word too many in this line");
        x->p += x->p < x->end;
    }
    return PT_OK;
}

/* ---- is the head whole? ---------------------------------------------------------------------- */

static pt_status check_list(const svm_import *x, int which, int64_t count, pt_error *err)
{
    if (x->list[which].value && x->list[which].count == count)
        return PT_OK;
    char text[120];
    snprintf(text, sizeof text, "the lines above should have one '%s' with %lld number%s",
             LISTS[which], (long long)count, count == 1 ? "" : "s");
    return fail_here(x, err, text);
}

static pt_status check_kernel(const svm_import *x, pt_error *err)
{
    const unsigned needs = KERNELS[x->kernel].needs;
    for (int i = DEGREE; i <= COEF0; i++)
        if (needs & 1U << i)
            PT_TRY(check_list(x, i, 1, err));
    if (needs & 1U << DEGREE && !is_whole(number_of(x, DEGREE), 1, 100))
        return fail_here(x, err, "the degree is not in 1..100");
    if (needs & 1U << GAMMA && !(number_of(x, GAMMA) >= 1e-200 && number_of(x, GAMMA) <= 1e200))
        return fail_here(x, err, "gamma is not a positive number in 1e-200..1e200");
    return PT_OK;
}

/* Labels are ints to LIBSVM, and all different. */
static pt_status check_labels(const svm_import *x, pt_error *err)
{
    for (int64_t r = 0; r < x->k; r++)
        if (!is_whole(x->list[LABEL].value[r], -INT32_MAX - 1.0, INT32_MAX))
            return fail_here(x, err, "a label is not an integer");
    return PT_OK;
}

static pt_status check_counts(svm_import *x, pt_error *err)
{
    PT_TRY(PT_NEW(x->first, x->k + 1, "a model", err));
    double sum = 0;
    x->first[0] = 0;
    for (int64_t r = 0; r < x->k; r++) {
        if (!is_whole(x->list[NR_SV].value[r], 0, number_of(x, TOTAL_SV) - sum))
            return fail_here(x, err, "the numbers of nr_sv do not add up to total_sv");
        sum += x->list[NR_SV].value[r];
        x->first[r + 1] = (int64_t)sum;
    }
    return sum == number_of(x, TOTAL_SV)
               ? PT_OK
               : fail_here(x, err, "the numbers of nr_sv do not add up to total_sv");
}

static pt_status check_head(svm_import *x, pt_error *err)
{
    if (!x->c_svc || x->kernel == KERNEL_NONE)
        return fail_here(x, err, "the lines above lack svm_type or kernel_type");
    PT_TRY(check_kernel(x, err));
    PT_TRY(check_list(x, NR_CLASS, 1, err));
    PT_TRY(check_list(x, TOTAL_SV, 1, err));
    if (!is_whole(number_of(x, NR_CLASS), 2, MOST_CLASSES))
        return fail_here(x, err, "nr_class is not a number of classes, from 2 on");
    x->k = (int64_t)number_of(x, NR_CLASS);
    /* every coefficient takes two bytes at least */
    const double most = (double)(x->end - x->p) / 2 / (double)(x->k - 1) + 1;
    if (!is_whole(number_of(x, TOTAL_SV), 1, most))
        return fail_here(x, err, "total_sv is not the number of support vectors that follow");
    x->n = (int64_t)number_of(x, TOTAL_SV);
    const int64_t pairs = pt_pairs_count(x->k);
    PT_TRY(check_list(x, RHO, pairs, err));
    PT_TRY(check_list(x, LABEL, x->k, err));
    PT_TRY(check_list(x, NR_SV, x->k, err));
    if (x->list[PROB_A].value || x->list[PROB_B].value) {
        PT_TRY(check_list(x, PROB_A, pairs, err));
        PT_TRY(check_list(x, PROB_B, pairs, err));
    }
    PT_TRY(check_labels(x, err));
    return check_counts(x, err);
}

/* ---- the support vectors --------------------------------------------------------------------- */

static pt_status take_pair(svm_import *x, int64_t before, int64_t *index, double *value,
                           pt_error *err)
{
    double number = 0;
    const char *word = x->p;
    PT_TRY(take_number(x, &number, ':', err));
    if (!is_whole(number, 1, (double)MOST_FEATURES)) {
        x->p = word;
        return fail_word(x, err, "has an index that is not in 1..2^40");
    }
    *index = (int64_t)number - 1;
    if (*index <= before) {
        x->p = word;
        return fail_word(x, err, "has no larger index than the one before it");
    }
    x->p++;
    return take_number(x, value, 0, err);
}

/* "0:17": the support vector is row 17 of the training file. */
static pt_status take_serial(svm_import *x, int64_t i, pt_error *err)
{
    double zero = 1;
    double number = 0;
    const char *word = x->p;
    PT_TRY(at_word(x) ? take_number(x, &zero, ':', err)
                      : fail_here(x, err, "the row number, 0:NUMBER, is missing"));
    x->p++;
    PT_TRY(take_number(x, &number, 0, err));
    if (zero != 0 || !is_whole(number, 1, INT32_MAX)) {
        x->p = word;
        return fail_word(x, err, "is no row number, 0:NUMBER, of a precomputed kernel");
    }
    x->serial[i] = (int64_t)number - 1;
    if (number > (double)x->d)
        x->d = (int64_t)number;
    return PT_OK;
}

static pt_status take_vector(svm_import *x, int64_t i, int64_t *at, pt_error *err)
{
    for (int64_t c = 0; c < x->k - 1; c++) {
        if (!at_word(x))
            return fail_here(x, err, "the line has fewer coefficients than other classes");
        PT_TRY(take_number(x, &x->sv_coef[i * (x->k - 1) + c], 0, err));
    }
    if (x->kernel == KERNEL_PRECOMPUTED)
        PT_TRY(take_serial(x, i, err));
    int64_t before = -1;
    while (x->kernel != KERNEL_PRECOMPUTED && at_word(x)) {
        PT_TRY(take_pair(x, before, &x->index[*at], &x->value[*at], err));
        before = x->index[(*at)++];
    }
    if (before >= x->d)
        x->d = before + 1;
    if (at_word(x))
        return fail_word(x, err, "is one word too many in this line");
    x->p += x->p < x->end;
    return PT_OK;
}

/* *count <- the colons that follow. */
static pt_status count_colons(const svm_import *x, int64_t *count, const pt_task *task,
                              pt_error *err)
{
    static const ptrdiff_t PIECE = (ptrdiff_t)1 << 23;
    *count = 0;
    for (const char *p = x->p; p < x->end; p += x->end - p < PIECE ? x->end - p : PIECE) {
        *count += pt_count_byte(p, (size_t)(x->end - p < PIECE ? x->end - p : PIECE), ':');
        PT_TRY(pt_task_check(task, err));
    }
    return PT_OK;
}

static pt_status take_vectors(svm_import *x, const pt_task *task, pt_error *err)
{
    int64_t colons = 0;
    PT_TRY(count_colons(x, &colons, task, err));
    PT_TRY(PT_NEW(x->sv_coef, x->n * (x->k - 1), "coefficients", err));
    PT_TRY(PT_NEW(x->start, x->n + 1, "support vectors", err));
    PT_TRY(PT_NEW(x->index, colons + 1, "support vectors", err));
    PT_TRY(pt_task_clear(task, x->index, (size_t)(colons + 1) * sizeof *x->index, err));
    PT_TRY(PT_NEW(x->value, colons + 1, "support vectors", err));
    PT_TRY(PT_NEW(x->serial, x->n, "support vectors", err));
    int64_t at = 0;
    for (int64_t i = 0; i < x->n; i++) {
        PT_TRY(pt_task_check_row(task, i, WORD_CELLS * (x->k + colons / x->n), err));
        x->start[i] = at;
        PT_TRY(x->p < x->end ? take_vector(x, i, &at, err)
                             : fail_here(x, err, "the file ends before its last support vector"));
    }
    x->start[x->n] = at;
    while (x->p < x->end && (is_blank(*x->p) || *x->p == '\n'))
        x->p++;
    return x->p == x->end ? PT_OK : fail_here(x, err, "there are more lines than support vectors");
}

/* ---- probabilities -----------------------------------------------------------------------------
 *
 * LIBSVM's probability of the first label of a pair is 1 / (1 + e^(A f + B)), ours in coupling is
 * 1 / (1 + e^(-2 f')): the pair's output becomes f' = -(A f + B) / 2. */

static pt_status apply_sigmoids(svm_import *x, const pt_task *task, pt_error *err)
{
    if (!x->list[PROB_A].value)
        return pt_fail_at(err, PT_EFORMAT, x->text.source, 0, 0,
                          "the model has no probabilities (probA and probB); svm-train -b 1 makes "
                          "one that has");
    const int64_t width = x->k - 1;
    for (int64_t r = 0; r < x->k; r++)
        for (int64_t i = x->first[r]; i < x->first[r + 1]; i++) {
            PT_TRY(pt_task_check_row(task, i, width, err));
            for (int64_t c = 0; c < width; c++) {
                const int64_t o = c < r ? c : c + 1;
                const int64_t s = pt_pairs_column(x->k, o < r ? o : r, o < r ? r : o);
                x->sv_coef[i * width + c] *= -x->list[PROB_A].value[s] / 2;
            }
        }
    for (int64_t s = 0; s < x->list[RHO].count; s++)
        x->list[RHO].value[s] =
            (x->list[PROB_B].value[s] - x->list[PROB_A].value[s] * x->list[RHO].value[s]) / 2;
    return PT_OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* What the arrays of a machine need beyond the bytes of the file. */
static pt_status check_memory(const svm_import *x, double cells, const pt_task *task, pt_error *err)
{
    const double bytes = 16 * cells;
    if (bytes <= (double)pt_task_memory(task))
        return PT_OK;
    return pt_fail_at(
        err, PT_EMEMORY, x->text.source, 0, 0,
        "this model, with %lld columns, would take %s and %s may be used; raise `memory`",
        (long long)x->d, PT_SHOW_BYTES(bytes), PT_SHOW_BYTES(pt_task_memory(task)));
}

/* out <- the coefficients by class, each class column-major (learners/pair_expansion.h); `rows` of
 * the first class that are no support vectors come behind its own. */
static pt_status sort_coefficients(const svm_import *x, int64_t more, double *out,
                                   const pt_task *task, pt_error *err)
{
    const int64_t width = x->k - 1;
    for (int64_t r = 0; r < x->k; r++) {
        const int64_t own = x->first[r + 1] - x->first[r];
        const int64_t n = own + (r == 0 ? more : 0);
        for (int64_t c = 0; c < width; c++) {
            PT_TRY(pt_task_check_row(task, c, n, err));
            for (int64_t i = 0; i < own; i++)
                out[c * n + i] = x->sv_coef[(x->first[r] + i) * width + c];
            for (int64_t i = own; i < n; i++)
                out[c * n + i] = 0;
        }
        out += n * width;
    }
    return PT_OK;
}

/* An array that the pack keeps. */
static pt_status new_array(void *address, pt_pack *pack, int64_t count, size_t size,
                           const pt_task *task, pt_error *err)
{
    void *made = pt_alloc(count, size, "a model", err);
    *(void **)address = made;
    pt_pack_keep(pack, made);
    return made ? pt_task_clear(task, made, (size_t)count * size, err) : PT_ENOMEM;
}

/* The weight vectors of a linear kernel: f_pq = w_pq . x + b_pq. */
static pt_status make_linear(pt_pack *pack, const svm_import *x, const pt_task *task, pt_error *err)
{
    double *coef = NULL;
    const int64_t ell = pt_pairs_count(x->k);
    PT_TRY(check_memory(x, (double)ell * (double)x->d, task, err));
    PT_TRY(new_array(&coef, pack, ell * x->d, sizeof *coef, task, err));
    for (int64_t r = 0; r < x->k; r++)
        for (int64_t i = x->first[r]; i < x->first[r + 1]; i++)
            for (int64_t c = 0; c < x->k - 1; c++) {
                PT_TRY(pt_task_check_row(task, c, x->start[i + 1] - x->start[i], err));
                const int64_t o = c < r ? c : c + 1;
                const double weight = x->sv_coef[i * (x->k - 1) + c];
                double *w = coef + x->d * pt_pairs_column(x->k, o < r ? o : r, o < r ? r : o);
                for (int64_t p = x->start[i]; weight != 0 && p < x->start[i + 1]; p++)
                    w[x->index[p]] += weight * x->value[p];
            }
    for (int64_t i = 0; i < ell * x->d; i++) {
        PT_TRY(pt_task_check_row(task, i, 1, err));
        if (!isfinite(coef[i]))
            return pt_fail_at(err, PT_EFORMAT, x->text.source, 0, 0,
                              "the weights of a pair of classes are not finite");
    }
    pt_pack_add(pack, "coef", PT_F64, ell, x->d, coef);
    return PT_OK;
}

/* A precomputed kernel has a coefficient for every row of training: those that are no support
 * vectors have zeros, and go to the first class. */
static pt_status make_square(pt_pack *pack, const svm_import *x, const pt_task *task, pt_error *err)
{
    double *coef = NULL;
    PT_TRY(check_memory(x, (double)x->d * (double)(x->k + 1), task, err));
    const int64_t more = x->d - x->n;
    int64_t *order = NULL;
    int64_t *first = NULL;
    PT_SCRATCH int64_t *sorted = NULL;
    PT_TRY(new_array(&coef, pack, x->d * (x->k - 1), sizeof *coef, task, err));
    PT_TRY(new_array(&order, pack, x->d, sizeof *order, task, err));
    PT_TRY(new_array(&first, pack, x->k + 1, sizeof *first, task, err));
    PT_TRY(PT_NEW(sorted, x->n, "support vectors", err));
    memcpy(sorted, x->serial, (size_t)x->n * sizeof *sorted);
    PT_TRY(
        pt_sort(sorted, x->n, sizeof *sorted, pt_ascending_integers, "support vectors", task, err));
    for (int64_t i = 1; i < x->n; i++)
        if (sorted[i] == sorted[i - 1])
            return pt_fail_at(err, PT_EFORMAT, x->text.source, 0, 0,
                              "two support vectors have the row number %lld",
                              (long long)sorted[i] + 1);
    const int64_t own = x->first[1];
    memcpy(order, x->serial, (size_t)own * sizeof *order);
    memcpy(order + own + more, x->serial + own, (size_t)(x->n - own) * sizeof *order);
    for (int64_t row = 0, next = 0, at = own; row < x->d; row++) {
        if (next < x->n && sorted[next] == row)
            next++;
        else
            order[at++] = row;
    }
    PT_TRY(sort_coefficients(x, more, coef, task, err));
    first[0] = 0;
    for (int64_t r = 1; r <= x->k; r++)
        first[r] = x->first[r] + more;
    pt_pack_add(pack, "coef", PT_F64, x->d, x->k - 1, coef);
    pt_pack_add_integers(pack, "class_first", x->k + 1, first);
    pt_pack_add_integers(pack, "order", x->d, order);
    return PT_OK;
}

static pt_status make_vectors(pt_pack *pack, const svm_import *x, const pt_task *task,
                              pt_error *err)
{
    double *coef = NULL;
    PT_TRY(new_array(&coef, pack, x->n * (x->k - 1), sizeof *coef, task, err));
    const pt_rows rows = {.n = x->n,
                          .d = x->d,
                          .type = PT_F64,
                          .start = x->start,
                          .index = x->index,
                          .value = x->value};
    PT_TRY(sort_coefficients(x, 0, coef, task, err));
    pt_pack_add(pack, "coef", PT_F64, x->n, x->k - 1, coef);
    pt_pack_add_integers(pack, "class_first", x->k + 1, x->first);
    pt_pack_add_rows(pack, &rows);
    return PT_OK;
}

static pt_status make_arrays(pt_pack *pack, const svm_import *x, const pt_task *task, pt_error *err)
{
    const bool linear = x->kernel == KERNEL_LINEAR;
    const int64_t ell = pt_pairs_count(x->k);
    double *bias = NULL;
    PT_TRY(pt_pack_begin(pack, err));
    PT_TRY(new_array(&bias, pack, ell, sizeof *bias, task, err));
    for (int64_t s = 0; s < ell; s++)
        bias[s] = -x->list[RHO].value[s];
    PT_TRY(linear                            ? make_linear(pack, x, task, err)
           : x->kernel == KERNEL_PRECOMPUTED ? make_square(pack, x, task, err)
                                             : make_vectors(pack, x, task, err));
    pt_pack_add(pack, linear ? "bias" : "pair_bias", PT_F64, ell, 1, bias);
    pt_pack_add_integers(pack, "n_support", 1, &x->n);
    return PT_OK;
}

static pt_status set_kernel(pt_params *params, const svm_import *x, pt_error *err)
{
    const unsigned needs = KERNELS[x->kernel].needs;
    PT_TRY(pt_params_set(params, "kernel", KERNELS[x->kernel].ours, err));
    if (x->kernel == KERNEL_RBF)
        return pt_params_set_real(params, PT_P_RBF_GAMMA, number_of(x, GAMMA), err);
    if (needs & 1U << GAMMA)
        PT_TRY(pt_params_set_real(params, PT_P_SIGMA, 1 / sqrt(number_of(x, GAMMA)), err));
    if (needs & 1U << COEF0)
        PT_TRY(pt_params_set_real(params, PT_P_COEF0, number_of(x, COEF0), err));
    if (needs & 1U << DEGREE)
        PT_TRY(pt_params_set_real(params, PT_P_DEGREE, number_of(x, DEGREE), err));
    return PT_OK;
}

/* Double, for svm-predict works in double. */
static pt_status set_params(pt_model *model, const svm_import *x, pt_error *err)
{
    PT_TRY(pt_params_new(&model->params, err));
    PT_TRY(pt_params_parse(model->params,
                           "machine=code,code=ovo,learner=svm,decode=vote,bias=yes,"
                           "scale=none,precision=double",
                           err));
    if (x->proba)
        PT_TRY(pt_params_parse(model->params, "decode=coupling,coupling-slope=1", err));
    return set_kernel(model->params, x, err);
}

static pt_status set_classes(pt_model *model, const svm_import *x, pt_error *err)
{
    PT_SCRATCH int64_t *sorted = NULL;
    PT_TRY(PT_NEW(sorted, x->k, "classes", err));
    for (int64_t r = 0; r < x->k; r++) {
        sorted[r] = (int64_t)x->list[LABEL].value[r];
        PT_TRY(pt_texts_add(&model->classes, err, "%lld", (long long)sorted[r]));
    }
    qsort(sorted, (size_t)x->k, sizeof *sorted, pt_ascending_integers);
    for (int64_t r = 1; r < x->k; r++)
        if (sorted[r] == sorted[r - 1])
            return pt_fail_at(err, PT_EFORMAT, x->text.source, 0, 0,
                              "two classes have the label %lld", (long long)sorted[r]);
    return PT_OK;
}

static pt_status make_model(pt_model *model, const svm_import *x, const pt_task *task,
                            pt_error *err)
{
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_TRY(set_classes(model, x, err));
    PT_TRY(set_params(model, x, err));
    PT_TRY(make_arrays(&pack, x, task, err));
    PT_TRY(pt_prepare_plain(&model->prepare, x->d, NULL, err));
    PT_TRY(pt_machine_load(&model->machine, &pt_machine_code, &pack, x->d, x->k, model->params,
                           task, err));
    model->source = pt_alloc_text(x->text.source, err);
    if (!model->source)
        return PT_ENOMEM;
    model->n_examples = x->n;
    /* the probabilities of LIBSVM are its own: nothing is mixed with them */
    model->calibration =
        (pt_calibration){1, 1, 0, 0, 0, pt_decoder_gives_probabilities(model->params), NULL};
    return pt_model_describe(model, err);
}

/* Features that no support vector has change distances, and nothing else; LIBSVM's are ints. */
static void settle_width(svm_import *x, int64_t n_features)
{
    if (n_features < 0)
        n_features = x->kernel == KERNEL_RBF ? INT32_MAX : 0;
    if (x->d < n_features && x->kernel != KERNEL_PRECOMPUTED)
        x->d = n_features;
    if (x->d < 1)
        x->d = 1; /* support vectors that are all zero */
}

static pt_status read_model(pt_model **out, bool proba, const char *bytes, size_t size,
                            const char *source, int64_t n_features, const pt_task *task,
                            pt_error *err)
{
    PT_FREED_BY(import_free)
    svm_import x = {.text = {.bytes = bytes, .size = size, .source = source},
                    .p = bytes,
                    .end = bytes + size,
                    .proba = proba,
                    .kernel = KERNEL_NONE};
    PT_FREED_BY(pt_model_free_at) pt_model *model = pt_alloc_zero(1, sizeof *model, "a model", err);
    size_t begin = 0;
    if (!model)
        return PT_ENOMEM;
    PT_TRY(pt_reader_check_text(bytes, size, &begin, source, err));
    x.p += begin;
    PT_TRY(take_head(&x, err));
    PT_TRY(check_head(&x, err));
    PT_TRY(take_vectors(&x, task, err));
    if (proba)
        PT_TRY(apply_sigmoids(&x, task, err));
    settle_width(&x, n_features);
    PT_TRY(make_model(model, &x, task, err));
    *out = pt_keep(&model);
    return PT_OK;
}

static pt_status libsvm_read(pt_model **out, const char *bytes, size_t size, const char *source,
                             int64_t n_features, const pt_task *task, pt_error *err)
{
    return read_model(out, false, bytes, size, source, n_features, task, err);
}

static pt_status proba_read(pt_model **out, const char *bytes, size_t size, const char *source,
                            int64_t n_features, const pt_task *task, pt_error *err)
{
    return read_model(out, true, bytes, size, source, n_features, task, err);
}

static bool libsvm_detect(const char *bytes, size_t size)
{
    static const char FIRST[] = "svm_type ";
    return size >= sizeof FIRST - 1 && memcmp(bytes, FIRST, sizeof FIRST - 1) == 0;
}

const pt_model_format pt_model_format_libsvm = {
    .name = "libsvm",
    .summary = "a C-SVC model of LIBSVM: svm-train writes it, svm-predict reads it",
    .write = pt_libsvm_write,
    .read = libsvm_read,
    .detect = libsvm_detect,
};

const pt_model_format pt_model_format_libsvm_proba = {
    .name = "libsvm-proba",
    .summary = "the same with its probabilities, which are decoded by coupling (read only)",
    .read = proba_read,
};
