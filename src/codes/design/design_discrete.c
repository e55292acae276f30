/* Discrete design: the four searches over one problem. */
#include "codes/design/design_discrete.h"

#include "base/alloc.h"
#include "codes/design/design_column.h"
#include "codes/design/discrete_problem.h"

enum {
    EXACT_ENTRIES = 256, /* more would never end, and each takes the memory of an output */
    COLUMN_STARTS = 2    /* of the local search for one column: it has few entries */
};

typedef struct column_design {
    const pt_design_data *data;
    const pt_discrete_options *options;
    pt_discrete_problem problem;
    int8_t *code;    /* ell x k */
    int8_t *start;   /* ell x k; NULL: none */
    double right;    /* the weight of what it gets right */
    double possible; /* what no code exceeds */
    int64_t nodes;
    const pt_task *task;
} column_design;

static int64_t starts_of(const pt_discrete_options *options)
{
    return options->starts > 0 ? options->starts : PT_DISCRETE_STARTS;
}

static int64_t nodes_of(const pt_discrete_options *options)
{
    return options->nodes > 0 ? options->nodes : PT_DISCRETE_NODES;
}

/* ---- the searches ---------------------------------------------------------------------------- */

static pt_status search_columns(column_design *d, pt_error *err)
{
    for (int64_t t = 0; t < d->data->ell; t++)
        PT_TRY(pt_design_first_column(d->data, t, d->code + t * d->data->k, NULL, err));
    return PT_OK;
}

static pt_status search_local(column_design *d, pt_error *err)
{
    return pt_discrete_local(&d->problem, d->code, d->start, starts_of(d->options),
                             d->options->seed, &d->right, d->task, err);
}

static pt_status search_exact(column_design *d, pt_error *err)
{
    const int64_t entries = (d->problem.ell - d->problem.fixed) * d->problem.k;
    if (entries > EXACT_ENTRIES)
        return pt_fail(err, PT_ELIMIT,
                       "an exact search is for codes of at most %d entries, not of %lld; "
                       "use --design-search local",
                       EXACT_ENTRIES, (long long)entries);
    PT_TRY(search_local(d, err));
    return pt_discrete_exact(&d->problem, d->code, &d->right, &d->possible, &d->nodes,
                             nodes_of(d->options), d->task, err);
}

/* Column t, where those before it are decided. */
static pt_status next_column(column_design *d, int64_t t, pt_error *err)
{
    if (t == 0 && d->options->entries == PT_ENTRIES_SIGN)
        return pt_design_first_column(d->data, 0, d->code, NULL, err);
    d->problem.ell = t + 1;
    d->problem.fixed = t;
    pt_status status = pt_discrete_local(&d->problem, d->code, NULL, COLUMN_STARTS,
                                         d->options->seed, &d->right, d->task, err);
    if (status == PT_OK && d->problem.k <= PT_DISCRETE_EXACT_CLASSES)
        status = pt_discrete_exact(&d->problem, d->code, &d->right, &d->possible, &d->nodes,
                                   nodes_of(d->options), d->task, err);
    return status;
}

static pt_status search_greedy(column_design *d, pt_error *err)
{
    const pt_discrete_problem whole = d->problem;
    pt_status status = PT_OK;
    for (int64_t t = whole.fixed; t < whole.ell && status == PT_OK; t++)
        status = next_column(d, t, err);
    d->problem = whole;
    return status;
}

static pt_status search_by(column_design *d, pt_error *err)
{
    switch (d->options->search) {
    case PT_SEARCH_COLUMN:
        return search_columns(d, err);
    case PT_SEARCH_GREEDY:
        return search_greedy(d, err);
    case PT_SEARCH_EXACT:
        return search_exact(d, err);
    case PT_SEARCH_LOCAL:
        break;
    }
    return search_local(d, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static pt_status check_options(const pt_design_data *data, const pt_discrete_options *options,
                               pt_error *err)
{
    if (options->search == PT_SEARCH_COLUMN && options->entries != PT_ENTRIES_SIGN)
        return pt_fail(err, PT_EINVAL, "a search by columns alone is for entries of -1 and +1");
    if (options->fixed < 0 || options->fixed > data->ell)
        return pt_fail(err, PT_EINVAL, "%lld columns of %lld cannot be fixed",
                       (long long)options->fixed, (long long)data->ell);
    return PT_OK;
}

/* Rows of a code <-> its columns, one after another. */
static void to_columns(int8_t *code, const int8_t *M, int64_t k, int64_t ell)
{
    for (int64_t r = 0; r < k; r++)
        for (int64_t t = 0; t < ell; t++)
            code[t * k + r] = M[r * ell + t];
}

static void to_rows(int8_t *M, const int8_t *code, int64_t k, int64_t ell)
{
    for (int64_t r = 0; r < k; r++)
        for (int64_t t = 0; t < ell; t++)
            M[r * ell + t] = code[t * k + r];
}

/* The figures of the code that was found, counted afresh. */
static pt_status sum_up(column_design *d, pt_discrete_result *result, pt_error *err)
{
    const pt_discrete_problem *p = &d->problem;
    double *work = pt_alloc(p->k, sizeof *work, "scores", err);
    if (!work)
        return PT_ENOMEM;
    d->right = pt_discrete_right(p, d->code, work);
    pt_free(work);
    const bool exact = d->options->search == PT_SEARCH_EXACT;
    const bool alone = p->ell == 1 && p->fixed == 0 && d->options->entries == PT_ENTRIES_SIGN &&
                       d->options->search != PT_SEARCH_LOCAL; /* Theorem 1 */
    const double possible = exact ? d->possible : alone ? d->right : p->total;
    *result = (pt_discrete_result){.error = 1 - d->right / p->total,
                                   .bound = possible < p->total ? 1 - possible / p->total : 0,
                                   .proven = possible <= d->right + p->rounding,
                                   .nodes = d->nodes};
    return PT_OK;
}

pt_status pt_design_discrete(int8_t *M, const pt_design_data *data,
                             const pt_discrete_options *options, pt_discrete_result *result,
                             const pt_task *task, pt_error *err)
{
    column_design d = {.data = data, .options = options, .task = task};
    pt_status status = check_options(data, options, err);
    if (status == PT_OK)
        status = pt_discrete_problem_init(&d.problem, data, options->entries, options->fixed, err);
    if (status != PT_OK)
        return status;
    d.code = pt_alloc_zero(data->k * data->ell, 1, "a code", err);
    status = d.code ? PT_OK : PT_ENOMEM;
    if (status == PT_OK && options->fixed > 0)
        to_columns(d.code, M, data->k, data->ell);
    if (status == PT_OK && options->start) {
        d.start = pt_alloc(data->k * data->ell, 1, "a code", err);
        status = d.start ? PT_OK : PT_ENOMEM;
    }
    if (status == PT_OK && options->start)
        to_columns(d.start, options->start, data->k, data->ell);
    if (status == PT_OK)
        status = search_by(&d, err);
    if (status == PT_OK)
        status = sum_up(&d, result, err);
    if (status == PT_OK)
        to_rows(M, d.code, data->k, data->ell);
    pt_free(d.start);
    pt_free(d.code);
    pt_discrete_problem_free(&d.problem);
    return status;
}

pt_status pt_discrete_error(double *error, const pt_design_data *data, const int8_t *M,
                            pt_error *err)
{
    column_design d = {.data = data};
    pt_status status = pt_discrete_problem_init(&d.problem, data, PT_ENTRIES_SIGN, 0, err);
    if (status != PT_OK)
        return status;
    d.code = pt_alloc(data->k * data->ell, 1, "a code", err);
    double *work = pt_alloc(data->k, sizeof *work, "scores", err);
    status = d.code && work ? PT_OK : PT_ENOMEM;
    if (status == PT_OK) {
        to_columns(d.code, M, data->k, data->ell);
        *error = 1 - pt_discrete_right(&d.problem, d.code, work) / d.problem.total;
    }
    pt_free(work);
    pt_free(d.code);
    pt_discrete_problem_free(&d.problem);
    return status;
}
