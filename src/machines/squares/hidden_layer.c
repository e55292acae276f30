/* A layer of random nodes (Huang et al. 2012, section III).
 *
 *   activation   node (w, b) at x                 w          b
 *   sigmoid      1 / (1 + exp(-(w.x + b)))        [-1,1]^d   [-1,1]
 *   sine         sin(w.x + b)                     [-1,1]^d   [-1,1]
 *   hardlimit    1 if w.x + b >= 0, else 0        [-1,1]^d   [-1,1]
 *   rbf          exp(-b ||x - w||^2)              [-1,1]^d   (0,1]
 *
 * All uniform. A node is drawn from a stream of its own, keyed by the seed and its number, and does
 * not depend on the rows: the machine that is trained without a fold has the same nodes, and a
 * layer of 100 is the beginning of one of 200.
 *
 * The nodes are centres (kernels/centres.h), which rows meet, dense or sparse. Time O(n hidden d).
 */
#include "machines/squares/hidden_layer.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/centre_loops.h"

/* ---- activation functions -------------------------------------------------------------------- */

static double sigmoid(double v, double b)
{
    return 1 / (1 + exp(-(v + b)));
}

static double sine(double v, double b)
{
    return sin(v + b);
}

static double hardlimit(double v, double b)
{
    return v + b >= 0 ? 1 : 0;
}

static double rbf(double v, double b)
{
    return exp(-(1 + b) / 2 * v); /* [-1,1] as it was drawn becomes (0,1] */
}

static const pt_activation ACTIVATIONS[] = {
    {"sigmoid", &pt_kernel_linear, sigmoid},
    {"sine", &pt_kernel_linear, sine},
    {"hardlimit", &pt_kernel_linear, hardlimit},
    {"rbf", &pt_kernel_rbf, rbf},
};

static const pt_activation *find_activation(const char *name, pt_error *err)
{
    for (size_t i = 0; i < sizeof ACTIVATIONS / sizeof *ACTIVATIONS; i++)
        if (strcmp(ACTIVATIONS[i].name, name) == 0)
            return &ACTIVATIONS[i];
    pt_fail(err, PT_EINVAL, "there is no activation '%s'", name);
    return NULL;
}

/* ---- making one ------------------------------------------------------------------------------ */

void pt_hidden_layer_free(pt_hidden_layer *layer)
{
    pt_centres_free(layer->centres);
    pt_rows_owned_free(&layer->nodes);
    pt_free(layer->offset);
    memset(layer, 0, sizeof *layer);
}

typedef struct unit_maker {
    pt_hidden_layer *layer;
    uint64_t seed;
} unit_maker;

/* Uniform in (-1, 1]. */
static double draw(pt_random *random)
{
    return 1 - 2 * pt_random_uniform(random);
}

static pt_status draw_node(void *context, int64_t j, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const unit_maker *work = context;
    const pt_rows *nodes = &work->layer->nodes.rows;
    void *values = work->layer->nodes.value;
    pt_random random;
    pt_random_init(&random, work->seed, PT_RANDOM_HIDDEN, (uint64_t)j);
    work->layer->offset[j] = draw(&random);
    for (int64_t i = j * nodes->d; i < (j + 1) * nodes->d; i++)
        if (nodes->type == PT_F32)
            ((float *)values)[i] = (float)draw(&random);
        else
            ((double *)values)[i] = draw(&random);
    return PT_OK;
}

/* Room for nodes and offsets. */
static pt_status layer_new(pt_hidden_layer *layer, int64_t hidden, int64_t d, pt_type type,
                           const pt_params *params, pt_error *err)
{
    layer->activation = find_activation(pt_params_text(params, PT_P_ACTIVATION), err);
    if (!layer->activation)
        return PT_EINVAL;
    layer->offset = pt_alloc(hidden, sizeof(double), "hidden nodes", err);
    layer->nodes.value = pt_alloc(hidden, (size_t)d * pt_type_size(type), "hidden nodes", err);
    layer->nodes.rows =
        (pt_rows){.n = hidden, .d = d, .type = type, .dense = layer->nodes.value, .stride = d};
    return layer->offset && layer->nodes.value ? PT_OK : PT_ENOMEM;
}

/* Takes it with its nodes, and makes them ready for rows. */
static pt_status layer_finish(pt_hidden_layer *out, pt_hidden_layer *layer, const pt_task *task,
                              pt_error *err)
{
    PT_TRY(pt_centres_new(&layer->centres, &layer->nodes.rows, NULL, layer->activation->of,
                          layer->nodes.rows.type, task, err));
    *out = *layer;
    *layer = (pt_hidden_layer){0};
    return PT_OK;
}

pt_status pt_hidden_layer_draw(pt_hidden_layer *out, int64_t d, pt_type type,
                               const pt_params *params, const pt_task *task, pt_error *err)
{
    const int64_t hidden = pt_params_integer(params, PT_P_HIDDEN);
    PT_FREED_BY(pt_hidden_layer_free) pt_hidden_layer layer = {0};
    unit_maker work = {&layer, (uint64_t)pt_params_integer(params, PT_P_SEED)};
    PT_TRY(layer_new(&layer, hidden, d, type, params, err));
    PT_TRY(pt_parallel_for(task, hidden, draw_node, &work, err));
    return layer_finish(out, &layer, task, err);
}

pt_status pt_hidden_layer_from(pt_hidden_layer *out, const pt_rows *nodes, const double *offset,
                               const pt_params *params, pt_error *err)
{
    PT_FREED_BY(pt_hidden_layer_free) pt_hidden_layer layer = {0};
    PT_TRY(layer_new(&layer, nodes->n, nodes->d, nodes->type, params, err));
    memcpy(layer.offset, offset, (size_t)nodes->n * sizeof *offset);
    memcpy(layer.nodes.value, nodes->dense,
           (size_t)(nodes->n * nodes->d) * pt_type_size(nodes->type));
    return layer_finish(out, &layer, NULL, err);
}

/* ---- rows through it ------------------------------------------------------------------------- */

typedef struct layer_pass {
    const pt_hidden_layer *layer;
    void *out;
} layer_pass;

/* Sums or distances become values of the nodes. */
static void activate(void *context, const pt_centre_block *block, void *own)
{
    (void)own;
    const layer_pass *work = context;
    const pt_rows *nodes = &work->layer->nodes.rows;
    const int64_t lanes = pt_panel_lanes(nodes->type);
    for (int64_t i = 0; i < block->n; i++)
        for (int64_t j = 0; j < block->count; j++) {
            const int64_t at = j / lanes * block->panel_step + i * block->row_step +
                               j % lanes * block->centre_step;
            const int64_t to = (block->row + i) * nodes->n + block->first + j;
            const double base = pt_rows_value(nodes, block->value, at);
            const double value =
                work->layer->activation->value(base, work->layer->offset[block->first + j]);
            if (nodes->type == PT_F32)
                ((float *)work->out)[to] = (float)value;
            else
                ((double *)work->out)[to] = value;
        }
}

pt_status pt_hidden_layer_apply(const pt_hidden_layer *layer, const pt_rows *rows,
                                pt_rows_owned *out, const pt_task *task, pt_error *err)
{
    const pt_rows *nodes = &layer->nodes.rows;
    PT_SCRATCH void *values =
        pt_alloc(rows->n, (size_t)nodes->n * pt_type_size(nodes->type), "hidden outputs", err);
    if (!values)
        return PT_ENOMEM;
    layer_pass work = {layer, values};
    PT_TRY(
        pt_centres_meet(layer->centres, rows, NULL, 0, activate, &work, "hidden layer", task, err));
    out->value = pt_keep(&values);
    out->rows = (pt_rows){
        .n = rows->n, .d = nodes->n, .type = nodes->type, .dense = out->value, .stride = nodes->n};
    return PT_OK;
}
