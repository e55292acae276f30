/* Vector-output machines, trained: decoding, the file, held-out scores. */
#include "machines/squares/vector_machine.h"

#include <string.h>

#include "base/alloc.h"
#include "codes/vectors/labelbook.h"
#include "store/pack.h"

void pt_class_sizes(const pt_problem *problem, const int64_t *fold, int64_t without, double *size)
{
    memset(size, 0, (size_t)pt_labels_n_classes(problem->labels) * sizeof *size);
    for (int64_t i = 0; i < problem->rows.n; i++)
        if (!fold || fold[i] != without)
            size[problem->labels->class_of[i]] += problem->weight ? problem->weight[i] : 1;
}

/* The label space for a problem, or for what is left of it without a fold, and its decoder. */
static pt_status make_space(pt_label_space *space, const pt_decoder **decoder,
                            const pt_problem *problem, const pt_params *params, const int64_t *fold,
                            int64_t without, bool whole, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    const pt_decoder *named = pt_decoder_find(pt_params_text(params, PT_P_DECODE));
    PT_SCRATCH double *size = pt_alloc(k, sizeof *size, "class sizes", err);
    if (!size)
        return PT_ENOMEM;
    pt_class_sizes(problem, fold, without, size);
    PT_TRY(pt_label_space_init(space, params, k, size, problem->label_gram,
                               whole || (named && named->from_outputs), err));
    return pt_decoder_for(decoder, params, space, err);
}

pt_status pt_vector_machine_init(pt_vector_machine *m, const pt_problem *problem,
                                 const pt_params *params, bool whole, pt_error *err)
{
    return make_space(&m->space, &m->decoder, problem, params, NULL, 0, whole, err);
}

pt_status pt_problem_label_space(pt_label_space *space, const pt_problem *problem,
                                 const pt_params *params, pt_error *err)
{
    const pt_decoder *decoder = NULL;
    return make_space(space, &decoder, problem, params, NULL, 0, true, err);
}

bool pt_vector_machine_takes(const pt_params *params, pt_param_id id, const char *choice)
{
    const bool named = strcmp(pt_params_text(params, PT_P_LABEL_KERNEL), "none") == 0;
    const pt_labelbook *book = pt_labelbook_find(pt_params_text(params, PT_P_LABELBOOK));
    enum { CLASSES = 4 }; /* any number: some labelbooks have one vector fewer */
    return id != PT_P_DECODE ||
           pt_decoder_suits_vectors(choice, named, book && book->ell(CLASSES) == CLASSES);
}

void pt_vector_machine_free(pt_machine *machine)
{
    pt_vector_machine *m = (pt_vector_machine *)machine;
    pt_expansion_free(&m->expansion);
    pt_label_space_free(&m->space);
}

/* ---- one coefficient for each row ------------------------------------------------------------ */

static int64_t list_used(const double *beta, int64_t n, int64_t *used)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (beta[i] != 0)
            used[count++] = i;
    if (count == 0) /* a machine that says nothing still has a centre */
        used[count++] = 0;
    return count;
}

static pt_status copy_beta(pt_expansion_parts *parts, const pt_problem *problem, const double *beta,
                           const int64_t *chosen, pt_error *err)
{
    PT_TRY(PT_NEW(parts->coef, parts->n_coef, "coefficients", err));
    PT_TRY(PT_NEW(parts->column, parts->n_coef, "coefficients", err));
    for (int64_t i = 0; i < parts->n_coef; i++) {
        const int64_t row = chosen ? chosen[i] : i;
        parts->coef[i] = beta[row];
        parts->column[i] = problem->labels->class_of[row];
    }
    return PT_OK;
}

/* Coefficients, their columns and the bias into parts. */
static pt_status fill_parts(pt_expansion_parts *parts, const pt_problem *problem, bool collapse,
                            const double *beta, const double *bias, const pt_task *task,
                            pt_error *err)
{
    if (bias) {
        PT_TRY(PT_NEW(parts->bias, parts->m, "a bias", err));
        memcpy(parts->bias, bias, (size_t)parts->m * sizeof(double));
    }
    return collapse ? pt_expansion_collapse(&parts->coef, parts->rows, beta,
                                            problem->labels->class_of, parts->m, task, err)
                    : copy_beta(parts, problem, beta, parts->chosen, err);
}

pt_status pt_vector_machine_set_beta(pt_vector_machine *m, const pt_problem *problem,
                                     const pt_kernel *kernel, const double *beta,
                                     const double *bias, const pt_task *task, pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    const bool collapse = kernel->ops->linear && rows->d <= rows->n;
    const bool whole = collapse || pt_kernel_is_row(kernel);
    PT_SCRATCH int64_t *used = NULL;
    PT_TRY(PT_NEW(used, rows->n, "a list of rows", err));
    pt_expansion_parts parts = {.kernel = *kernel,
                                .type = rows->type,
                                .m = pt_labels_n_classes(problem->labels),
                                .n_coef = collapse ? rows->d
                                          : whole  ? rows->n
                                                   : list_used(beta, rows->n, used),
                                .linear = whole,
                                .rows = rows,
                                .chosen = whole ? NULL : used,
                                .task = task};
    const pt_status status = fill_parts(&parts, problem, collapse, beta, bias, task, err);
    if (status == PT_OK)
        return pt_expansion_take(&m->expansion, &parts, err);
    pt_free(parts.coef);
    pt_free(parts.column);
    pt_free(parts.bias);
    return status;
}

/* ---- scores ---------------------------------------------------------------------------------- */

static double *decoding_work(const pt_label_space *space, pt_error *err)
{
    return pt_alloc(space->k + space->ell, sizeof(double), "work space", err);
}

pt_status pt_vector_machine_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                   const pt_task *task, pt_error *err)
{
    const pt_vector_machine *m = (const pt_vector_machine *)machine;
    PT_SCRATCH double *work = decoding_work(&m->space, err);
    if (!work)
        return PT_ENOMEM;
    PT_TRY(pt_expansion_outputs(&m->expansion, rows, scores, task, err));
    pt_decode_class_outputs(m->decoder, &m->space, rows->n, scores, work);
    return PT_OK;
}

pt_machine_parts pt_vector_machine_parts(const pt_machine *machine)
{
    return (pt_machine_parts){.labels = &((const pt_vector_machine *)machine)->space};
}

/* ---- the file -----------------------------------------------------------------------------------
 *
 * A label space whose classes are all alike is made again from its name; of others the vectors
 * (label_rows) or, for a kernel on the labels, the inner products (label_gram) are kept. */

pt_status pt_vector_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const pt_vector_machine *m = (const pt_vector_machine *)machine;
    const pt_label_space *space = &m->space;
    PT_TRY(pt_pack_begin(pack, err));
    pt_expansion_save(&m->expansion, pack);
    if (!space->alike && space->ell > 0)
        pt_pack_add(pack, "label_rows", PT_F64, space->k, space->ell, space->M);
    else if (!space->alike)
        pt_pack_add(pack, "label_gram", PT_F64, space->k, space->k, space->Q);
    return PT_OK;
}

static pt_status load_space(pt_vector_machine *m, const pt_pack *pack, int64_t k,
                            const pt_params *params, int64_t *used, pt_error *err)
{
    const pt_array *vectors = pt_pack_find(pack, "label_rows");
    const pt_array *products = pt_pack_find(pack, "label_gram");
    const pt_decoder *named = pt_decoder_find(pt_params_text(params, PT_P_DECODE));
    const bool whole = named && named->from_outputs;
    const int64_t most = 2 * k; /* no labelbook has more columns */
    if ((vectors && (products || !pt_array_is_real(vectors, PT_F64) || vectors->rows != k ||
                     vectors->columns < 1 || vectors->columns > most)) ||
        (products &&
         (!pt_array_is_real(products, PT_F64) || products->rows != k || products->columns != k)))
        return pt_fail(err, PT_EFORMAT, "the model's label vectors do not fit its classes");
    *used += (vectors != NULL) + (products != NULL);
    if (vectors || products)
        PT_TRY(pt_label_space_from(&m->space, k, vectors ? vectors->columns : 0,
                                   vectors ? vectors->value : NULL,
                                   products ? products->value : NULL, err));
    else if (!pt_label_space_is_fixed(params))
        return pt_fail(err, PT_EFORMAT, "the model lacks its label vectors");
    else
        PT_TRY(pt_label_space_init(&m->space, params, k, NULL, NULL, whole, err));
    return pt_decoder_for(&m->decoder, params, &m->space, err);
}

pt_status pt_vector_machine_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                                 int64_t n_classes, const pt_params *params, int64_t *used,
                                 const pt_task *task, pt_error *err)
{
    pt_vector_machine *m = (pt_vector_machine *)machine;
    PT_TRY(pt_expansion_load(&m->expansion, pack, n_inputs, n_classes, params, used, task, err));
    PT_TRY(load_space(m, pack, n_classes, params, used, err));
    if (pt_params_flag(params, PT_P_BIAS) && !m->expansion.bias)
        return pt_fail(err, PT_EFORMAT, "the model lacks its bias");
    return PT_OK;
}

/* ---- held-out scores ------------------------------------------------------------------------- */

/* The rows of one fold, decoded in the label space of the rows without it; fold NULL: all rows. */
static pt_status decode_fold(const pt_decoding *d, const pt_params *params, const int64_t *fold,
                             int64_t number, double *scores, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(d->problem->labels);
    PT_FREED_BY(pt_label_space_free) pt_label_space space = {0};
    const pt_decoder *decoder = NULL;
    PT_TRY(make_space(&space, &decoder, d->problem, params, fold, number, false, err));
    PT_SCRATCH double *work = decoding_work(&space, err);
    if (!work)
        return PT_ENOMEM;
    if (!fold)
        pt_decode_class_outputs(decoder, &space, d->problem->rows.n, scores, work);
    for (int64_t i = 0; fold && i < d->problem->rows.n; i++)
        if (fold[i] == number)
            pt_decode_class_outputs(decoder, &space, 1, scores + i * k, work);
    return PT_OK;
}

pt_status pt_decode_holdout(void *decoding, int64_t point, int64_t partition, const double *outputs,
                            pt_error *err)
{
    const pt_decoding *d = decoding;
    const pt_params *params = d->points[point];
    if (!outputs)
        return d->take(d->context, point, partition, NULL, err);
    const int64_t cells = d->problem->rows.n * pt_labels_n_classes(d->problem->labels);
    PT_SCRATCH double *scores = pt_alloc(cells, sizeof(double), "held-out scores", err);
    if (!scores)
        return PT_ENOMEM;
    memcpy(scores, outputs, (size_t)cells * sizeof(double));
    if (pt_label_space_is_fixed(params))
        PT_TRY(decode_fold(d, params, NULL, 0, scores, err));
    else
        for (int64_t f = 0; f < d->partitions->n_folds; f++)
            PT_TRY(decode_fold(d, params, d->partitions->fold[partition], f, scores, err));
    return d->take(d->context, point, partition, scores, err);
}
