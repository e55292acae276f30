/* A learner that a program brings: its callbacks behind the interface of learners.
 *
 * Columns are learned one by one, in parallel; a column sees the rows of the classes that take part
 * in it. A column without rows, in a fold that lacks its classes, has no state: its output is 0.
 *
 * The file: state_size has the bytes of each column's state, -1 for none; state has the bytes of
 * all, each filled up to whole integers of 8 bytes. */
#include "learners/learner_custom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "params/callbacks.h"

enum { WORD = sizeof(int64_t), NO_STATE = -1 };

typedef struct custom {
    pt_learner base;
    pt_learner_callbacks callbacks; /* with a name of its own */
    int64_t ell;
    void **state; /* ell */
} custom;

static void custom_free(pt_learner *learner)
{
    custom *m = (custom *)learner;
    for (int64_t s = 0; m->state && s < m->ell; s++)
        if (m->state[s])
            m->callbacks.free_state(m->state[s], m->callbacks.user);
    pt_free(m->state);
    pt_free((char *)m->callbacks.name);
}

/* The callbacks and their name become its own. */
static pt_status take_callbacks(custom *m, int64_t ell, const pt_params *params, pt_error *err)
{
    const pt_learner_callbacks *callbacks = pt_params_learner(params);
    char *name = pt_alloc_text(callbacks->name, err);
    if (!name)
        return PT_ENOMEM;
    m->callbacks = *callbacks;
    m->callbacks.name = m->base.ops.name = name;
    m->ell = ell;
    return PT_NEW_ZERO(m->state, ell, "a learner", err);
}

/* ---- calling out ----------------------------------------------------------------------------- */

static pt_status as_view(pt_rows_view *view, const pt_rows *rows, pt_error *err)
{
    if (rows->type != PT_F64)
        return pt_fail(err, PT_EINVAL, "a learner of a program takes rows in double");
    *view = (pt_rows_view){.n_rows = rows->n,
                           .n_columns = rows->d,
                           .dense = rows->dense,
                           .stride = rows->stride,
                           .start = rows->start,
                           .index = rows->index,
                           .value = rows->value};
    return PT_OK;
}

/* What a callback returned, with its own words where it has any. */
static pt_status pass_on(const custom *m, pt_status status, const pt_error *own, int64_t column,
                         const char *what, pt_error *err)
{
    if (status == PT_OK)
        return PT_OK;
    if (!pt_callbacks_is_status(status))
        return pt_fail(err, PT_EINVAL, "learner '%s', column %lld: %s returned %d, no pt_status",
                       m->callbacks.name, (long long)column + 1, what, (int)status);
    return own->text[0] ? pt_fail(err, status, "learner '%s', column %lld: %-.380s",
                                  m->callbacks.name, (long long)column + 1, own->text)
                        : pt_fail(err, status, "learner '%s', column %lld: %s failed",
                                  m->callbacks.name, (long long)column + 1, what);
}

/* ---- training -------------------------------------------------------------------------------- */

typedef struct custom_work {
    custom *m;
    const pt_rows *rows;
    const pt_columns *columns;
    const pt_task *task;
} custom_work;

/* The rows of one column. Zero-initialise; free it always. */
typedef struct part {
    int64_t n;
    int64_t *row;
    int8_t *side;
    double *weight;
    pt_rows_owned rows; /* where they are not all */
} part;

static void part_free(part *p)
{
    pt_rows_owned_free(&p->rows);
    pt_free(p->row);
    pt_free(p->side);
    pt_free(p->weight);
}

static pt_status part_init(part *p, const custom_work *t, int64_t s, pt_error *err)
{
    const pt_columns *c = t->columns;
    p->row = pt_alloc(c->n, sizeof(int64_t), "a column", err);
    p->side = pt_alloc(c->n, sizeof(int8_t), "a column", err);
    p->weight = c->weight ? pt_alloc(c->n, sizeof(double), "a column", err) : NULL;
    if (!p->row || !p->side || (c->weight && !p->weight))
        return PT_ENOMEM;
    for (int64_t i = 0; i < c->n; i++) {
        const int sign = pt_columns_sign(c, c->group_of[i], s);
        if (sign == 0)
            continue;
        p->row[p->n] = i;
        p->side[p->n] = (int8_t)sign;
        if (p->weight)
            p->weight[p->n] = c->weight[i];
        p->n++;
    }
    return p->n == 0 || p->n == c->n
               ? PT_OK
               : pt_rows_select(&p->rows, t->rows, p->row, p->n, t->task, err);
}

static pt_status fit_part(const custom_work *t, const part *p, int64_t s, pt_error *err)
{
    custom *m = t->m;
    pt_rows_view view;
    pt_error own = PT_ERROR_INIT;
    void *state = NULL;
    PT_TRY(as_view(&view, p->n == t->columns->n ? t->rows : &p->rows.rows, err));
    PT_TRY(pass_on(m,
                   m->callbacks.fit(&state, &view, p->side, p->weight, s, m->callbacks.user, &own),
                   &own, s, "fit", err));
    if (!state)
        return pt_fail(err, PT_EINVAL, "learner '%s', column %lld: fit left no state",
                       m->callbacks.name, (long long)s + 1);
    m->state[s] = state;
    return PT_OK;
}

static pt_status fit_column(void *context, int64_t s, int worker, pt_error *err)
{
    (void)worker;
    const custom_work *t = context;
    PT_FREED_BY(part_free) part p = {0};
    PT_TRY(part_init(&p, t, s, err));
    if (p.n > 0)
        PT_TRY(fit_part(t, &p, s, err));
    return PT_OK;
}

static pt_status custom_plan(const pt_rows *rows, const pt_columns *columns,
                             const pt_params *params, const pt_task *task, pt_plan *plan,
                             pt_error *err)
{
    (void)params;
    (void)err;
    const double bytes_of_value = rows->dense ? sizeof(double) : 2.0 * sizeof(double);
    const double a_copy = (double)pt_rows_stored(rows) * bytes_of_value + 17.0 * (double)rows->n;
    plan->bytes = a_copy * (double)pt_parallel_workers(task, columns->ell);
    plan->flops = 0;
    snprintf(plan->route, sizeof plan->route, "%lld columns, by the program's learner",
             (long long)columns->ell);
    return PT_OK;
}

static pt_status custom_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                            const pt_params *params, const pt_task *task, pt_warnings *warnings,
                            pt_error *err)
{
    (void)warnings;
    custom *m = (custom *)learner;
    custom_work t = {m, rows, columns, task};
    PT_TRY(take_callbacks(m, columns->ell, params, err));
    return pt_parallel_for_stage(task, "training", columns->ell, fit_column, &t, err);
}

/* ---- outputs --------------------------------------------------------------------------------- */

typedef struct question {
    const custom *m;
    const pt_rows *rows;
    double *f; /* ell x n: column after column */
} question;

static pt_status ask_column(void *context, int64_t s, int worker, pt_error *err)
{
    (void)worker;
    const question *a = context;
    const custom *m = a->m;
    double *f = a->f + s * a->rows->n;
    pt_rows_view view;
    pt_error own = PT_ERROR_INIT;
    if (!m->state[s])
        return PT_OK; /* 0 */
    PT_TRY(as_view(&view, a->rows, err));
    pt_pool *pool = pt_pool_pause(); /* it may call us, and keep what it gets */
    const pt_status status = m->callbacks.outputs(m->state[s], &view, f, m->callbacks.user, &own);
    pt_pool_resume(pool);
    PT_TRY(pass_on(m, status, &own, s, "outputs", err));
    for (int64_t i = 0; i < a->rows->n; i++)
        if (!isfinite(f[i]))
            return pt_fail(err, PT_ENUMERIC, "learner '%s', column %lld: an output is %g",
                           m->callbacks.name, (long long)s + 1, f[i]);
    return PT_OK;
}

static pt_status custom_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                                const pt_task *task, pt_error *err)
{
    const custom *m = (const custom *)learner;
    PT_SCRATCH double *f = NULL;
    PT_TRY(PT_NEW_ZERO(f, rows->n * m->ell, "outputs", err));
    question a = {m, rows, f};
    PT_TRY(pt_parallel_for(task, m->ell, ask_column, &a, err));
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t s = 0; s < m->ell; s++)
            outputs[i * m->ell + s] = f[s * rows->n + i];
    return PT_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int64_t words(int64_t bytes)
{
    return bytes < 0 ? 0 : bytes / WORD + (bytes % WORD != 0);
}

/* size[s] <- the bytes of each state; *total <- the words of all. */
static pt_status measure_states(const custom *m, int64_t *size, int64_t *total, pt_error *err)
{
    *total = 0;
    for (int64_t s = 0; s < m->ell; s++) {
        const size_t bytes =
            m->state[s] ? m->callbacks.save(m->state[s], NULL, 0, m->callbacks.user) : 0;
        if (bytes > (size_t)(INT64_MAX / 2) || *total > INT64_MAX / 2 - words((int64_t)bytes))
            return pt_fail_memory(err, "a learner's state", bytes);
        size[s] = m->state[s] ? (int64_t)bytes : NO_STATE;
        *total += words(size[s]);
    }
    return PT_OK;
}

static pt_status write_states(const custom *m, const int64_t *size, int64_t *state, pt_error *err)
{
    for (int64_t s = 0; s < m->ell; s++) {
        if (size[s] > 0 && m->callbacks.save(m->state[s], state, (size_t)size[s],
                                             m->callbacks.user) != (size_t)size[s])
            return pt_fail(err, PT_EINVAL,
                           "learner '%s', column %lld: save gives another number of bytes the "
                           "second time",
                           m->callbacks.name, (long long)s + 1);
        state += words(size[s]);
    }
    return PT_OK;
}

static pt_status custom_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    const custom *m = (const custom *)learner;
    int64_t total = 0;
    if (!m->callbacks.save)
        return pt_fail(err, PT_ENOSUPPORT,
                       "learner '%s' has no callback save: its model cannot be written to a file",
                       m->callbacks.name);
    int64_t *size = NULL;
    int64_t *state = NULL;
    PT_TRY(PT_NEW(size, m->ell, "a model", err));
    pt_pack_keep(pack, size);
    PT_TRY(measure_states(m, size, &total, err));
    PT_TRY(PT_NEW_ZERO(state, total + 1, "a model", err));
    pt_pack_keep(pack, state);
    pt_pack_add_integers(pack, "state_size", m->ell, size);
    pt_pack_add_integers(pack, "state", total + 1, state); /* never empty */
    return write_states(m, size, state, err);
}

/* Whether the sizes are those of states that fill the words exactly. */
static bool valid_sizes(const pt_array *size, const pt_array *state, int64_t ell)
{
    if (!size || !state || !size->integer || !state->integer || size->columns != 1 ||
        state->columns != 1 || size->rows != ell)
        return false;
    const int64_t *bytes = size->value;
    int64_t total = 1;
    for (int64_t s = 0; s < ell; s++) {
        if (bytes[s] < NO_STATE || words(bytes[s]) > state->rows - total)
            return false;
        total += words(bytes[s]);
    }
    return total == state->rows;
}

static pt_status custom_load(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                             const pt_columns *columns, const pt_params *params, int64_t *used,
                             const pt_task *task, pt_error *err)
{
    custom *m = (custom *)learner;
    const pt_array *sizes = pt_pack_find(pack, "state_size");
    const pt_array *states = pt_pack_find(pack, "state");
    const pt_learner_callbacks *callbacks = pt_params_learner(params);
    if (!callbacks->load)
        return pt_fail(err, PT_ENOSUPPORT, "learner '%s' has no callback load", callbacks->name);
    if (!valid_sizes(sizes, states, columns->ell))
        return pt_fail(err, PT_EFORMAT, "the model's learner states do not fit its columns");
    PT_TRY(take_callbacks(m, columns->ell, params, err));
    const int64_t *size = sizes->value;
    const int64_t *state = states->value;
    for (int64_t s = 0; s < m->ell; state += words(size[s]), s++) {
        pt_error own = PT_ERROR_INIT;
        void *made = NULL;
        if (size[s] == NO_STATE)
            continue;
        PT_TRY(pt_task_check(task, err));
        PT_TRY(pass_on(
            m, m->callbacks.load(&made, state, (size_t)size[s], n_inputs, m->callbacks.user, &own),
            &own, s, "load", err));
        if (!made)
            return pt_fail(err, PT_EINVAL, "learner '%s', column %lld: load left no state",
                           m->callbacks.name, (long long)s + 1);
        m->state[s] = made;
    }
    *used = 2;
    return PT_OK;
}

/* ---- the table entry ------------------------------------------------------------------------- */

pt_learner_ops pt_learner_custom(const pt_learner_callbacks *callbacks)
{
    return (pt_learner_ops){
        .name = callbacks->name,
        .summary = "a program's own",
        .parameters = callbacks->takes_weights ? "class-weight" : "",
        .loss = callbacks->loss ? pt_loss_find(callbacks->loss) : &pt_loss_hinge,
        .capabilities = (callbacks->takes_weights ? PT_LEARNS_WEIGHTS : 0) |
                        (callbacks->takes_sparse ? PT_LEARNS_SPARSE : 0),
        .size = sizeof(custom),
        .plan = custom_plan,
        .fit = custom_fit,
        .outputs = custom_outputs,
        .free = custom_free,
        .save = custom_save,
        .load = custom_load,
    };
}
