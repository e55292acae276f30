/* Random codes (ASS): of many draws the one with the largest rho, the first of them on ties.
 *
 * Not as printed: a draw is built column by column, and a column that is one-sided, or equal or
 * opposite to an earlier one, is drawn again: such columns would teach nothing. (Rejecting whole
 * matrices would never end for few classes.) With --paper, as in ASS: dense, no two columns are
 * equal; sparse, no row and no column is all zero.
 *
 * Draws are numbered, and each has a stream of random numbers of its own. They are cut into pieces
 * that know only their own best, so that threads do not matter; the winner is then drawn again.
 *
 *   column  ell x k bits   the code as it is drawn
 *   row     k x ell bits   its transpose, for the distances of classes
 *   columns                those drawn so far, to know them again
 *   rows                   those looked at so far, likewise
 */
#include <math.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/random.h"
#include "codes/code.h"
#include "codes/sign_bits.h"

enum { PIECE = 128 }; /* draws; a fixed number, as results must not depend on the threads */

typedef struct design {
    int64_t k;
    int64_t ell;
    bool sparse;
    bool paper;
    uint64_t seed;
    int64_t draws;
} design;

typedef struct code_draw {
    pt_sign_bits column;
    pt_sign_bits row;
    pt_sign_set columns;
    pt_sign_set rows;
} code_draw;

typedef struct winner {
    int64_t closest; /* 2 rho; -1: no draw was a code */
    int64_t draw;
} winner;

/* ---- how many columns ------------------------------------------------------------------------ */

static int64_t power(int64_t base, int64_t exponent) /* at most INT64_MAX */
{
    int64_t product = 1;
    for (int64_t i = 0; i < exponent; i++) {
        if (product > INT64_MAX / base)
            return INT64_MAX;
        product *= base;
    }
    return product;
}

/* How many columns there are, as many as can be in one code. */
static int64_t columns_there_are(const design *d)
{
    const int64_t two = power(2, d->k);
    const int64_t three = power(3, d->k);
    if (d->paper)
        return d->sparse ? INT64_MAX : two;
    if (!d->sparse)
        return two == INT64_MAX ? two : two / 2 - 1;
    return three == INT64_MAX ? three : (three - 2 * two + 1) / 2;
}

static pt_status settle_columns(design *d, const pt_params *params, pt_warnings *warnings,
                                pt_error *err)
{
    const char *kind = d->sparse ? "sparse" : "dense";
    const int64_t most = columns_there_are(d);
    d->ell = pt_params_is_auto(params, PT_P_COLUMNS)
                 ? (int64_t)ceil((d->sparse ? 15 : 10) * log2((double)d->k))
                 : pt_params_integer(params, PT_P_COLUMNS);
    const int64_t rows = d->sparse ? power(3, d->ell) - 1 : power(2, d->ell);
    if (rows < d->k)
        return pt_fail(err, PT_EINVAL,
                       "%lld %s columns tell %lld classes apart, not %lld; give more --columns",
                       (long long)d->ell, kind, (long long)rows, (long long)d->k);
    if (d->ell >= most)
        d->draws = 1; /* all columns there are: every draw is the same code */
    if (d->ell <= most)
        return PT_OK;
    pt_status status = pt_warn(warnings, err, PT_KIND_PARAMETERS,
                               "the %s code has %lld columns, not %lld: for %lld classes %s", kind,
                               (long long)most, (long long)d->ell, (long long)d->k,
                               most == 1 ? "there is no other" : "there are no more");
    d->ell = most;
    return status;
}

/* ---- one draw -------------------------------------------------------------------------------- */

static void code_draw_free(code_draw *w)
{
    pt_sign_set_free(&w->rows);
    pt_sign_set_free(&w->columns);
    pt_sign_bits_free(&w->row);
    pt_sign_bits_free(&w->column);
}

static pt_status code_draw_init(code_draw *w, const design *d, pt_error *err)
{
    PT_TRY(pt_sign_set_init(&w->columns, d->ell, err));
    PT_TRY(pt_sign_set_init(&w->rows, d->k, err));
    PT_TRY(pt_sign_bits_init(&w->column, d->ell, d->k, err));
    PT_TRY(pt_sign_bits_init(&w->row, d->k, d->ell, err));
    w->column.full = !d->sparse;
    return PT_OK;
}

/* Column s <- random signs. Two random bits for an entry of a sparse code: is it 0, and its sign.
 */
static void draw_column(code_draw *w, const design *d, int64_t s, pt_random *random)
{
    for (int64_t word = 0; word < w->column.words; word++) {
        const int64_t rest = d->k - 64 * word;
        const uint64_t there = rest < 64 ? ((uint64_t)1 << rest) - 1 : UINT64_MAX;
        const uint64_t used = d->sparse ? pt_random_u64(random) & there : there;
        const uint64_t sign = pt_random_u64(random);
        w->column.plus[s * w->column.words + word] = used & sign;
        w->column.minus[s * w->column.words + word] = used & ~sign;
    }
}

static bool accept_column(code_draw *w, const design *d, int64_t s)
{
    const bool plus = pt_sign_bits_has_plus(&w->column, s);
    const bool minus = pt_sign_bits_has_minus(&w->column, s);
    if (d->paper)
        return d->sparse ? plus || minus : pt_sign_set_enter(&w->columns, &w->column, s, false) < 0;
    return plus && minus && pt_sign_set_enter(&w->columns, &w->column, s, true) < 0;
}

static void draw_code(code_draw *w, const design *d, int64_t draw)
{
    pt_random random;
    pt_random_init(&random, d->seed, PT_RANDOM_CODE, (uint64_t)draw);
    pt_sign_set_clear(&w->columns);
    for (int64_t s = 0; s < d->ell; s++)
        do
            draw_column(w, d, s, &random);
        while (!accept_column(w, d, s));
    pt_sign_bits_transpose(&w->column, &w->row);
}

/* ---- the best of them ------------------------------------------------------------------------ */

/* Every class has a row, and its own; equal rows of a sparse code are some distance apart. */
static bool rows_are_good(code_draw *w)
{
    const pt_sign_bits *row = &w->row;
    pt_sign_set_clear(&w->rows);
    for (int64_t i = 0; i < row->n; i++) {
        if (!pt_sign_bits_has_plus(row, i) && !pt_sign_bits_has_minus(row, i))
            return false;
        if (pt_sign_set_enter(&w->rows, row, i, false) >= 0)
            return false;
    }
    return true;
}

typedef struct contest {
    const design *d;
    code_draw *drawings; /* one for each worker */
    winner *winners;     /* one for each piece */
    const pt_task *task;
} contest;

static pt_status best_of_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    const contest *c = context;
    code_draw *w = &c->drawings[worker];
    winner best = {-1, 0};
    const int64_t first = piece * PIECE;
    for (int64_t draw = first; draw < first + PIECE && draw < c->d->draws; draw++) {
        draw_code(w, c->d, draw);
        int64_t closest = 0;
        PT_TRY(pt_sign_bits_closest(&w->row, best.closest, &closest, c->task, err));
        if (closest > best.closest && rows_are_good(w))
            best = (winner){closest, draw};
    }
    c->winners[piece] = best;
    return PT_OK;
}

typedef struct workers {
    code_draw *drawing; /* one for each */
    int count;
} workers;

static void workers_free(workers *w)
{
    for (int i = 0; w->drawing && i < w->count; i++)
        code_draw_free(&w->drawing[i]);
    pt_free(w->drawing);
}

static pt_status draw(pt_code *code, bool sparse, const pt_params *params, const pt_task *task,
                      pt_warnings *warnings, pt_error *err)
{
    design d = {.k = code->k,
                .sparse = sparse,
                .paper = pt_params_flag(params, PT_P_PAPER),
                .seed = (uint64_t)pt_params_integer(params, PT_P_SEED),
                .draws = pt_params_integer(params, PT_P_DRAWS)};
    PT_TRY(settle_columns(&d, params, warnings, err));
    const int64_t pieces = (d.draws - 1) / PIECE + 1;
    PT_SCRATCH winner *winners = NULL;
    PT_FREED_BY(workers_free) workers w = {NULL, pt_parallel_workers(task, pieces)};
    PT_TRY(PT_NEW(winners, pieces, "draws of a code", err));
    PT_TRY(PT_NEW_ZERO(w.drawing, w.count, "draws of a code", err));
    PT_TRY(pt_code_alloc(code, d.ell, err));
    for (int i = 0; i < w.count; i++)
        PT_TRY(code_draw_init(&w.drawing[i], &d, err));
    contest c = {&d, w.drawing, winners, task};
    PT_TRY(pt_parallel_for_stage(task, "drawing codes", pieces, best_of_piece, &c, err));
    winner best = {-1, 0};
    for (int64_t piece = 0; piece < pieces; piece++)
        if (winners[piece].closest > best.closest)
            best = winners[piece];
    if (best.closest < 0)
        return pt_fail(err, PT_EINVAL,
                       "none of %lld random codes with %lld columns tells all %lld classes apart; "
                       "give more --columns or --draws",
                       (long long)d.draws, (long long)d.ell, (long long)d.k);
    draw_code(&w.drawing[0], &d, best.draw);
    for (int64_t i = 0; i < d.k * d.ell; i++)
        code->M[i] = (int8_t)pt_sign_bits_entry(&w.drawing[0].row, i / d.ell, i % d.ell);
    return PT_OK;
}

/* Dense random codes (ASS): every entry +1 or -1 with equal chances, ceil(10 log2 k) columns. */

static pt_status dense_make(pt_code *code, const pt_params *params, const pt_task *task,
                            pt_warnings *warnings, pt_error *err)
{
    return draw(code, false, params, task, warnings, err);
}

const pt_code_family pt_code_dense = {
    .name = "dense",
    .summary = "random signs: ceil(10 log2 k) columns, the best of many draws",
    .parameters = "columns,draws,paper",
    .make = dense_make};

/* Sparse random codes (ASS): an entry is 0 with probability 1/2, +1 and -1 with 1/4 each,
 * ceil(15 log2 k) columns. */

static pt_status sparse_make(pt_code *code, const pt_params *params, const pt_task *task,
                             pt_warnings *warnings, pt_error *err)
{
    return draw(code, true, params, task, warnings, err);
}

const pt_code_family pt_code_sparse = {
    .name = "sparse",
    .summary = "random signs and as many zeros: ceil(15 log2 k) columns, the best of many draws",
    .parameters = "columns,draws,paper",
    .zeros = true,
    .make = sparse_make};
