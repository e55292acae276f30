/* The rows that a model keeps, against a row that it decides on: kernel values, and what each adds
 * to the difference of two scores. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "codes/vectors/label_space.h"
#include "kernels/kernel_params.h"
#include "model/explain.h"

void pt_kept_rows_free(pt_kept_rows *kept)
{
    pt_pack_free(&kept->pack);
    pt_gram_free(kept->gram);
    pt_free(kept->value);
    pt_free(kept->scratch);
    memset(kept, 0, sizeof *kept);
}

static bool among(const char *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Machines whose kept rows are those of training, and whose coefficients make scores of them. */
static const char *const KEEP[] = {
    "spoc",     "ww",     "constraint", "ls-ova", "rank-ls",   "onelsm", "vo-lssvm", "vo-rls",
    "vo-rls-f", "vo-svm", "suykens",    "code",   "relevance", "ls-ovo", "powerset", NULL};
static const char *const SCORE[] = {"spoc",     "ww",     "constraint", "ls-ova",
                                    "rank-ls",  "onelsm", "vo-lssvm",   "vo-rls",
                                    "vo-rls-f", "vo-svm", "suykens",    NULL};

/* How many rows it keeps; 0: none. */
static int64_t count_rows(const pt_pack *pack)
{
    const pt_array *dense = pt_pack_find(pack, "rows");
    const pt_array *start = pt_pack_find(pack, "start");
    const bool sparse = pt_pack_find(pack, "value") && start && start->rows > 0;
    return dense ? dense->rows : sparse ? start->rows - 1 : 0;
}

static void take_coefficients(pt_kept_rows *kept, const pt_model *model)
{
    const pt_array *coef = pt_pack_find(&kept->pack, "coef");
    const pt_array *column = pt_pack_find(&kept->pack, "column");
    const int64_t k = model->classes.count;
    const pt_label_space *space = pt_machine_parts_of(model->machine).labels;
    const bool inner = strcmp(pt_params_text(model->params, PT_P_DECODE), "inner") == 0;
    if (!among(model->machine->ops->name, SCORE) || !coef || coef->columns != kept->n ||
        coef->rows != (column ? 1 : k) || (space && (!inner || (!space->alike && !space->Q))))
        return;
    kept->k = k;
    kept->coef = coef->value;
    kept->column = column ? column->value : NULL;
    kept->space = space;
}

pt_status pt_kept_rows_of(pt_kept_rows *kept, const pt_model *model, const pt_task *task,
                          pt_error *err)
{
    const pt_machine_ops *ops = model->machine->ops;
    if (!among(ops->name, KEEP))
        return PT_OK;
    PT_TRY(ops->save(model->machine, &kept->pack, err));
    pt_rows rows = {.n = count_rows(&kept->pack),
                    .d = pt_prepare_n_outputs(model->prepare),
                    .type = pt_model_type(model)};
    if (rows.n == 0)
        return PT_OK;
    PT_TRY(pt_kernel_from_params(&kept->kernel, model->params, err));
    if (kept->kernel.ops->base == PT_BASE_ROW)
        return PT_OK;
    PT_TRY(pt_pack_find_rows(&rows, &kept->pack, err));
    PT_TRY(pt_gram_new(&kept->gram, &rows, kept->kernel.ops, PT_F64, task, err));
    PT_TRY(PT_NEW(kept->value, rows.n, "kernel values", err));
    kept->n = rows.n;
    take_coefficients(kept, model);
    return PT_OK;
}

pt_status pt_kept_rows_meet(pt_kept_rows *kept, const pt_gram *rows, int64_t i, pt_error *err)
{
    if (!kept->scratch) {
        kept->scratch =
            pt_alloc(1, pt_gram_scratch(rows, kept->gram, 1, kept->n), "kernel values", err);
        PT_TRY(kept->scratch ? PT_OK : PT_ENOMEM);
    }
    return pt_gram_block_mapped(rows, i, 1, kept->gram, 0, kept->n, &kept->kernel, kept->value, 1,
                                kept->scratch, err);
}

/* Of the coefficient of class c: how far it moves the score of class r. */
static double product(const pt_label_space *space, int64_t r, int64_t c)
{
    return !space ? r == c : space->alike ? space->on * (r == c) : space->Q[r * space->k + c];
}

double pt_kept_rows_part(const pt_kept_rows *kept, int64_t i, int64_t a, int64_t b)
{
    double sum = 0;
    if (kept->column) {
        const int64_t c = kept->column[i];
        sum = kept->coef[i] * (product(kept->space, a, c) - product(kept->space, b, c));
    } else {
        for (int64_t c = 0; c < kept->k; c++)
            sum += kept->coef[c * kept->n + i] *
                   (product(kept->space, a, c) - product(kept->space, b, c));
    }
    return sum * kept->value[i];
}

void pt_largest(const double *value, int64_t n, bool absolute, int64_t count, int64_t *place)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        const double size = absolute ? fabs(value[i]) : value[i];
        if (value[i] == 0 || isnan(value[i]))
            continue;
        int64_t at = found;
        while (at > 0) {
            const double before = value[place[at - 1]];
            if ((absolute ? fabs(before) : before) >= size)
                break;
            at--;
        }
        if (at == count)
            continue;
        found += found < count;
        memmove(place + at + 1, place + at, (size_t)(found - 1 - at) * sizeof *place);
        place[at] = i;
    }
    for (int64_t at = found; at < count; at++)
        place[at] = -1;
}
