/* The coefficients of linear models.
 *
 * What a machine saves tells them: coefficients of the columns of prepared rows, or of rows that it
 * keeps where these are fewer, with a linear kernel. Of the machines of HNR these are class outputs
 * g; by inner products scores are a multiple of g, or Q g (codes/vectors/label_space.h). Of
 * machines that learn the columns of a code they are the outputs before decoding.
 */
#include "model/linear_model.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "codes/vectors/label_space.h"
#include "report/report.h"

/* Half a gigabyte: the sums of kept rows that are wide and sparse may be larger than the model. */
static const int64_t MOST_NUMBERS = (int64_t)1 << 26;

void pt_linear_model_free(pt_linear_model *linear)
{
    pt_free(linear->w);
    pt_free(linear->b);
    memset(linear, 0, sizeof *linear);
}

/* ---- which models ---------------------------------------------------------------------------- */

/* The coefficients that they save are those of the classes' scores, or of class outputs. */
static bool has_scores(const char *machine)
{
    static const char *const NAMES[] = {"softmax", "spoc",     "ww",     "constraint",
                                        "ls-ova",  "rank-ls",  "onelsm", "vo-lssvm",
                                        "vo-rls",  "vo-rls-f", "vo-svm", "suykens"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(NAMES[i], machine) == 0)
            return true;
    return false;
}

/* Or of the columns of a code, or of classes that are learned one by one. */
static bool has_outputs(const char *machine)
{
    return strcmp(machine, "code") == 0 || strcmp(machine, "relevance") == 0;
}

/* Inputs are columns: not values of a kernel that somebody else has computed. */
static bool is_of_columns(const pt_model *model)
{
    return strcmp(pt_params_text(model->params, PT_P_KERNEL), "precomputed") != 0;
}

/* ---- what is saved --------------------------------------------------------------------------- */

/* linear->w <- the sum of the rows that are kept, by their coefficients. */
static pt_status add_rows(pt_linear_model *linear, const pt_pack *pack, const pt_array *coef,
                          const int64_t *column, pt_type type, pt_error *err)
{
    pt_rows rows = {.n = coef->columns, .d = linear->d, .type = type};
    double *w = NULL;
    PT_TRY(pt_pack_find_rows(&rows, pack, err));
    PT_TRY(pt_expansion_collapse(&w, &rows, coef->value, column, linear->m, NULL, err));
    memcpy(linear->w, w, (size_t)(linear->m * linear->d) * sizeof *w);
    pt_free(w);
    return PT_OK;
}

static pt_status take_pack(pt_linear_model *linear, const pt_model *model, const pt_pack *pack,
                           pt_error *err)
{
    const pt_array *coef = pt_pack_find(pack, "coef");
    const pt_array *bias = pt_pack_find(pack, "bias");
    const pt_array *column = pt_pack_find(pack, "column");
    const bool kept = pt_pack_find(pack, "rows") || pt_pack_find(pack, "value");
    const int64_t d = pt_prepare_n_outputs(model->prepare);
    const bool linear_kernel = strcmp(pt_params_text(model->params, PT_P_KERNEL), "linear") == 0;
    if (!coef || pt_pack_find(pack, "class_first") || pt_pack_find(pack, "order") ||
        (kept ? !linear_kernel : coef->columns != d || column != NULL))
        return PT_OK;
    const int64_t m = bias ? bias->rows : column ? model->classes.count : coef->rows;
    if (coef->rows != (column ? 1 : m) || (column && !has_scores(model->machine->ops->name)) ||
        (double)m * (double)d > (double)MOST_NUMBERS)
        return PT_OK;
    linear->d = d;
    linear->w = pt_alloc(m, (size_t)d * sizeof *linear->w, "coefficients", err);
    linear->b = pt_alloc_zero(m, sizeof *linear->b, "coefficients", err);
    if (!linear->w || !linear->b)
        return PT_ENOMEM;
    linear->m = m;
    if (kept)
        PT_TRY(
            add_rows(linear, pack, coef, column ? column->value : NULL, pt_model_type(model), err));
    else
        memcpy(linear->w, coef->value, (size_t)(m * d) * sizeof *linear->w);
    if (bias)
        memcpy(linear->b, bias->value, (size_t)m * sizeof *linear->b);
    return PT_OK;
}

/* values (k x count row-major) <- Q values, or a multiple of them. */
static pt_status multiply(const pt_label_space *space, int64_t count, double *values, pt_error *err)
{
    const int64_t k = space->k;
    PT_SCRATCH double *g = NULL;
    PT_TRY(PT_NEW(g, k, "coefficients", err));
    for (int64_t j = 0; j < count; j++) {
        for (int64_t r = 0; r < k; r++)
            g[r] = values[r * count + j];
        for (int64_t r = 0; r < k; r++) {
            double sum = space->alike ? space->on * g[r] : 0;
            for (int64_t c = 0; c < k && !space->alike; c++)
                sum += space->Q[r * k + c] * g[c];
            values[r * count + j] = sum;
        }
    }
    return PT_OK;
}

/* From class outputs to scores, and what is taken off these. */
static pt_status to_scores(pt_linear_model *linear, const pt_model *model, pt_error *err)
{
    const pt_label_space *space = pt_machine_parts_of(model->machine).labels;
    const bool inner = strcmp(pt_params_text(model->params, PT_P_DECODE), "inner") == 0;
    if (linear->m != model->classes.count || (space && (!inner || (!space->alike && !space->Q)))) {
        pt_linear_model_free(linear);
        return PT_OK;
    }
    linear->scores = true;
    if (space) {
        PT_TRY(multiply(space, linear->d, linear->w, err));
        PT_TRY(multiply(space, 1, linear->b, err));
    }
    for (int64_t r = 0; r < linear->m && model->thresholds; r++)
        linear->b[r] -= model->thresholds[r];
    return PT_OK;
}

pt_status pt_linear_model_of(pt_linear_model *linear, const pt_model *model, pt_error *err)
{
    const pt_machine_ops *ops = model->machine->ops;
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    memset(linear, 0, sizeof *linear);
    if ((!has_scores(ops->name) && !has_outputs(ops->name)) || !is_of_columns(model))
        return PT_OK;
    PT_TRY(ops->save(model->machine, &pack, err));
    PT_TRY(take_pack(linear, model, &pack, err));
    return linear->m > 0 && has_scores(ops->name) ? to_scores(linear, model, err) : PT_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

pt_status pt_term_add(pt_texts *terms, const pt_prepare *prepare, int64_t j, pt_error *err)
{
    const pt_output output = pt_prepare_output(prepare, j);
    char number[32];
    (void)snprintf(number, sizeof number, pt_prepare_hashes(prepare) ? "place %lld" : "%lld",
                   (long long)output.input + 1);
    const char *name = output.name && output.name[0] ? output.name : number;
    if (output.indicator)
        return pt_texts_add(terms, err, "%s missing", name);
    if (output.word >= 0)
        return pt_texts_add(terms, err, "%s words %lld", name, (long long)output.word + 1);
    return output.level ? pt_texts_add(terms, err, "%s=%s", name, output.level)
                        : pt_texts_add(terms, err, "%s", name);
}

/* "a" of a column of a code that has a class against all others, else its number. */
static pt_status name_column(pt_texts *names, const pt_code *code, int64_t s,
                             const pt_texts *classes, pt_error *err)
{
    int64_t plus = 0;
    int64_t minus = 0;
    int64_t of_plus = 0;
    for (int64_t r = 0; r < code->k; r++) {
        const int sign = pt_code_entry(code, r, s);
        plus += sign > 0;
        minus += sign < 0;
        of_plus = sign > 0 ? r : of_plus;
    }
    return plus == 1 && minus == code->k - 1
               ? pt_texts_add(names, err, "%s", classes->items[of_plus])
               : pt_texts_add(names, err, "column %lld", (long long)s + 1);
}

/* "a / b": positive outputs are for a. */
static pt_status name_pairs(pt_texts *names, const pt_texts *classes, pt_error *err)
{
    for (int64_t p = 0; p < classes->count; p++)
        for (int64_t q = p + 1; q < classes->count; q++)
            PT_TRY(pt_texts_add(names, err, "%s / %s", classes->items[p], classes->items[q]));
    return PT_OK;
}

static pt_status name_outputs(pt_texts *names, const pt_linear_model *linear, const pt_model *model,
                              pt_error *err)
{
    const pt_code *code = pt_machine_parts_of(model->machine).code;
    const bool coded = !linear->scores && code && code->ell == linear->m;
    if (coded && code->pairs)
        return name_pairs(names, &model->classes, err);
    for (int64_t s = 0; s < linear->m; s++)
        if (coded && code->M)
            PT_TRY(name_column(names, code, s, &model->classes, err));
        else if (linear->m == model->classes.count)
            PT_TRY(pt_texts_add(names, err, "%s", model->classes.items[s]));
        else
            PT_TRY(pt_texts_add(names, err, "output %lld", (long long)s + 1));
    return PT_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

static bool is_number(const pt_output *output)
{
    return !output->indicator && !output->level && output->word < 0;
}

/* w z + b of prepared columns z = (x - center) factor, in x. */
static void undo_scaling(const pt_linear_model *linear, const pt_prepare *prepare, double *w,
                         double *b)
{
    for (int64_t j = 0; j < linear->d; j++) {
        const pt_output output = pt_prepare_output(prepare, j);
        const bool number = is_number(&output);
        for (int64_t s = 0; s < linear->m; s++) {
            const double factor = number ? output.factor : 1;
            w[s * linear->d + j] = linear->w[s * linear->d + j] * factor;
            b[s] -= number ? w[s * linear->d + j] * output.center : 0;
        }
    }
}

static pt_status add_terms(pt_report *report, const pt_linear_model *linear,
                           const pt_prepare *prepare, pt_error *err)
{
    PT_FREED_BY(pt_texts_free) pt_texts terms = {0};
    int64_t *column = NULL;
    double *scale = NULL;
    PT_TRY(pt_report_room(report, PT_LIST("term_column", PT_I64, "term", linear->d, NULL), &column,
                          err));
    PT_TRY(pt_report_room(report, PT_LIST("term_scale", PT_F64, "term", linear->d, NULL), &scale,
                          err));
    for (int64_t j = 0; j < linear->d; j++) {
        PT_TRY(pt_term_add(&terms, prepare, j, err));
        const pt_output output = pt_prepare_output(prepare, j);
        column[j] = output.input + 1;
        scale[j] = is_number(&output) ? output.factor : 1;
    }
    return pt_report_add_texts(report, "term", "term", &terms, err);
}

pt_status pt_report_add_coefficients(pt_report *report, const pt_model *model, pt_error *err)
{
    PT_FREED_BY(pt_linear_model_free) pt_linear_model linear = {0};
    PT_FREED_BY(pt_texts_free) pt_texts outputs = {0};
    double *w = NULL;
    double *b = NULL;
    PT_TRY(pt_linear_model_of(&linear, model, err));
    if (linear.m == 0)
        return PT_OK;
    PT_TRY(name_outputs(&outputs, &linear, model, err));
    PT_TRY(pt_report_room(
        report, PT_TABLE("coefficient", PT_F64, "function", linear.m, "term", linear.d, NULL), &w,
        err));
    PT_TRY(
        pt_report_room(report, PT_LIST("intercept", PT_F64, "function", linear.m, NULL), &b, err));
    memcpy(b, linear.b, (size_t)linear.m * sizeof *b);
    undo_scaling(&linear, model->prepare, w, b);
    PT_TRY(pt_report_add_texts(report, "function", "function", &outputs, err));
    PT_TRY(pt_report_add_integer(report, "of_scores", linear.scores, err));
    return add_terms(report, &linear, model->prepare, err);
}
