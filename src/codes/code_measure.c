/* How good a code is: rows and columns compared as bits, every pair of them. */
#include "codes/code.h"

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "codes/sign_bits.h"

int64_t pt_code_count(const pt_code *code, int64_t s, int sign)
{
    if (code->pairs)
        return sign == 0 ? code->k - 2 : 1;
    int64_t count = 0;
    for (int64_t r = 0; r < code->k; r++)
        count += code->M[r * code->ell + s] == sign;
    return count;
}

/* All pairs: of two classes one column tells +1 from -1, in the others one of them is 0. Two
 * columns that share a class differ, one of them negated if need be, in the two others. */
static void measure_pairs(pt_code_measure *m, const pt_code *code)
{
    const double k = (double)code->k;
    *m = (pt_code_measure){.rho = ((double)code->ell - 1) / 2 + 1,
                           .row_separation = 1,
                           .column_separation = 2, /* and of one column alone, k = 2 */
                           .zero_share = (k - 2) / k,
                           .least_balance = 0.5,
                           .mean_balance = 0.5};
}

/* Classes of each side of a column. */
typedef struct sides {
    int64_t plus;
    int64_t minus;
} sides;

/* Row by row, as the matrix lies. */
static pt_status count_sides(const pt_code *code, sides *of, const pt_task *task, pt_error *err)
{
    for (int64_t r = 0; r < code->k; r++) {
        const int8_t *row = code->M + r * code->ell;
        for (int64_t s = 0; s < code->ell; s++) {
            of[s].plus += row[s] > 0;
            of[s].minus += row[s] < 0;
        }
        PT_TRY(pt_task_check(task, err));
    }
    return PT_OK;
}

static void balance_of(pt_code_measure *m, const pt_code *code, const sides *of)
{
    double zeros = 0;
    double sum = 0;
    m->least_balance = 0.5;
    for (int64_t s = 0; s < code->ell; s++) {
        const double plus = (double)of[s].plus;
        const double minus = (double)of[s].minus;
        const double both = plus + minus;
        const double balance = both > 0 ? (plus < minus ? plus : minus) / both : 0;
        zeros += (double)code->k - both;
        sum += balance;
        m->least_balance = balance < m->least_balance ? balance : m->least_balance;
    }
    m->mean_balance = sum / (double)code->ell;
    m->zero_share = zeros / ((double)code->k * (double)code->ell);
}

static pt_status measure_balance(pt_code_measure *m, const pt_code *code, const pt_task *task,
                                 pt_error *err)
{
    PT_SCRATCH sides *of = NULL;
    PT_TRY(PT_NEW_ZERO(of, code->ell, "the columns of a code", err));
    PT_TRY(count_sides(code, of, task, err));
    balance_of(m, code, of);
    return PT_OK;
}

/* ---- pairs of rows and of columns ------------------------------------------------------------ */

/* What row i of some bits is to the rows before it. */
typedef struct nearness {
    int64_t opposed;
    int64_t differing;
    int64_t negated;
} nearness;

typedef struct comparison {
    const pt_sign_bits *bits;
    nearness *near;
} comparison;

static pt_status compare_row(void *context, int64_t i, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const comparison *c = context;
    const pt_sign_loops *loops = pt_sign_loops_chosen();
    if (i > 0)
        c->near[i] =
            (nearness){loops->least_opposed(c->bits, i), loops->least_differing(c->bits, i, false),
                       loops->least_differing(c->bits, i, true)};
    return PT_OK;
}

static pt_status measure_rows(pt_code_measure *m, const pt_sign_bits *row, nearness *near,
                              const pt_task *task, pt_error *err)
{
    comparison c = {row, near};
    int64_t twice_rho = 0;
    PT_TRY(pt_parallel_for(task, row->n, compare_row, &c, err));
    PT_TRY(pt_sign_bits_closest(row, -1, &twice_rho, task, err));
    m->rho = (double)twice_rho / 2;
    m->row_separation = row->width;
    for (int64_t i = 1; i < row->n; i++)
        m->row_separation = pt_lesser(m->row_separation, near[i].opposed);
    return PT_OK;
}

static pt_status measure_columns(pt_code_measure *m, const pt_sign_bits *column, nearness *near,
                                 const pt_task *task, pt_error *err)
{
    comparison c = {column, near};
    PT_TRY(pt_parallel_for_stage(task, "comparing columns", column->n, compare_row, &c, err));
    m->column_separation = column->width;
    for (int64_t s = 1; s < column->n; s++) {
        m->column_separation =
            pt_lesser(m->column_separation, pt_lesser(near[s].differing, near[s].negated));
        m->n_equal += near[s].differing == 0;
        m->n_opposite += near[s].differing > 0 && near[s].negated == 0;
    }
    return PT_OK;
}

pt_status pt_code_measure_of(pt_code_measure *measure, const pt_code *code, const pt_task *task,
                             pt_error *err)
{
    if (code->pairs) {
        measure_pairs(measure, code);
        return PT_OK;
    }
    pt_code_measure m = {0};
    PT_SCRATCH nearness *near = NULL;
    PT_FREED_BY(pt_sign_bits_free) pt_sign_bits row = {0};
    PT_FREED_BY(pt_sign_bits_free) pt_sign_bits column = {0};
    PT_TRY(PT_NEW(near, pt_greater(code->k, code->ell), "the columns of a code", err));
    PT_TRY(pt_sign_bits_init(&row, code->k, code->ell, err));
    PT_TRY(pt_sign_bits_init(&column, code->ell, code->k, err));
    pt_sign_bits_fill(&row, code->M, code->ell, 1);
    pt_sign_bits_transpose(&row, &column);
    PT_TRY(measure_balance(&m, code, task, err));
    PT_TRY(measure_rows(&m, &row, near, task, err));
    PT_TRY(measure_columns(&m, &column, near, task, err));
    *measure = m;
    return PT_OK;
}
