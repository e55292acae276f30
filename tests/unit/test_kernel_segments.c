/* Segments of kernel values: against blocks of pt_gram, and how often and where they are held. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/task.h"
#include "kernels/gram_rows.h"
#include "kernels/kernel_segments.h"
#include "kernels/loops.h"

enum { N = 420, D = 23, GROUPS = 4 };

/* Groups of very different sizes; one is empty. */
static const int64_t FIRST[GROUPS + 1] = {0, 70, 70, 171, N};
static const double MUCH = 1e12;

typedef struct example {
    pt_rows rows;
    int64_t order[N];
    pt_rows_owned sorted; /* as order says */
    void *value;
    int64_t *start;
    int64_t *index;
} example;

/* Cells are `common` with a probability of `share`; sparse rows leave out zeros. */
static example example_of(pt_type type, double share, double common, bool sparse)
{
    example e = {.rows = {.n = N, .d = D, .type = type, .stride = D}};
    pt_random random;
    pt_random_init(&random, 8, PT_RANDOM_TEST, 0);
    e.value = calloc(N * D, pt_type_size(type));
    e.start = calloc(N + 1, sizeof *e.start);
    e.index = calloc(N * D, sizeof *e.index);
    int64_t used = 0;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t f = 0; f < D; f++) {
            const bool usual = pt_random_uniform(&random) < share;
            const double x = usual ? common : 3 + 2 * pt_random_uniform(&random) - 1;
            if (sparse && x == 0)
                continue;
            e.index[used] = f;
            pt_real_set(type, e.value, used++, x);
        }
        e.start[i + 1] = used;
        e.order[i] = (i * 11 + 5) % N;
    }
    if (sparse) {
        e.rows.start = e.start;
        e.rows.index = e.index;
        e.rows.value = e.value;
    } else {
        e.rows.dense = e.value;
    }
    assert_int_equal(pt_rows_select(&e.sorted, &e.rows, e.order, N, NULL, NULL), PT_OK);
    return e;
}

static void free_example(example *e)
{
    pt_rows_owned_free(&e->sorted);
    free(e->index);
    free(e->start);
    free(e->value);
}

static pt_task *task_with(int threads)
{
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, threads);
    return task;
}

static pt_grouped_rows *grouped(const example *e, const pt_kernel *kernel, const pt_task *task)
{
    pt_grouped_rows *rows = NULL;
    assert_int_equal(
        pt_grouped_rows_new(&rows, &e->rows, e->order, FIRST, GROUPS, kernel, task, NULL), PT_OK);
    return rows;
}

/* Every segment of some rows against the block that pt_gram computes in double. */
static void expect_blocks(const example *e, const pt_kernel *kernel, const pt_task *task)
{
    pt_gram *gram = NULL;
    pt_grouped_rows *rows = grouped(e, kernel, task);
    assert_int_equal(pt_gram_new(&gram, &e->sorted.rows, kernel->ops, PT_F64, NULL, NULL), PT_OK);
    void *scratch = pt_alloc((int64_t)pt_gram_scratch(gram, gram, N, 1), 1, "scratch", NULL);
    void *own = pt_alloc((int64_t)pt_grouped_rows_scratch(rows), 1, "scratch", NULL);
    double *block = pt_alloc(N, sizeof *block, "a block", NULL);
    void *segment = pt_alloc(pt_segment_width(N, e->rows.type), sizeof(double), "values", NULL);
    const double close = e->rows.type == PT_F32 ? 2e-5 : 1e-13;
    for (int64_t i = 0; i < N; i += 13) {
        assert_int_equal(
            pt_gram_block_mapped(gram, 0, N, gram, i, 1, kernel, block, N, scratch, NULL), PT_OK);
        for (int64_t g = 0; g < GROUPS; g++) {
            assert_int_equal(pt_grouped_rows_segment(rows, i, g, segment, own, NULL), PT_OK);
            for (int64_t j = FIRST[g]; j < FIRST[g + 1]; j++) {
                const double value = pt_real_get(e->rows.type, segment, j - FIRST[g]);
                if (!(fabs(value - block[j]) <= close * fmax(1, fabs(block[j]))))
                    fail_msg("%s %lld %lld: %.9g, not %.9g", kernel->ops->name, (long long)i,
                             (long long)j, value, block[j]);
                if (i == j)
                    assert_true(value == pt_grouped_rows_diagonal(rows)[i]);
            }
        }
    }
    pt_free(segment);
    pt_free(block);
    pt_free(own);
    pt_free(scratch);
    pt_gram_free(gram);
    pt_grouped_rows_free(rows);
}

static const struct {
    double share;
    double common;
    bool sparse;
} SHAPES[] = {{0, 0, false},   {0.7, 0, false}, {0.7, -1, false},
              {0.9, 2, false}, {0.5, 0, true},  {0.997, 0, true}};
enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES };

static void test_segments__values_are_those_of_blocks(void **state)
{
    (void)state;
    const char *const names[] = {"rbf", "linear", "poly", "sigmoid", "laplacian"};
    pt_task *task = task_with(2);
    for (int shape = 0; shape < N_SHAPES; shape++)
        for (int type = PT_F32; type <= PT_F64; type++) {
            example e = example_of((pt_type)type, SHAPES[shape].share, SHAPES[shape].common,
                                   SHAPES[shape].sparse);
            for (size_t c = 0; c < sizeof names / sizeof *names; c++) {
                const pt_kernel kernel = {pt_kernel_find(names[c]), 6, 0.3, 3, 0};
                expect_blocks(&e, &kernel, task);
            }
            free_example(&e);
        }
    pt_task_free(task);
}

static void test_segments__values_are_right_for_every_instruction_set(void **state)
{
    (void)state;
    const pt_isa *chosen = pt_isa_chosen();
    pt_task *task = task_with(1);
    const pt_kernel kernel = {pt_kernel_find("rbf"), 6, 0, 1, 0};
    example e = example_of(PT_F32, 0.5, 1, false);
    for (int level = 0; pt_isas[level]; level++)
        if (pt_isa_runs(pt_isas[level])) {
            pt_isa_force(pt_isas[level]);
            expect_blocks(&e, &kernel, task);
        }
    pt_isa_force(chosen);
    free_example(&e);
    pt_task_free(task);
}

static void test_segments__equal_rows_are_at_no_distance(void **state)
{
    (void)state;
    const pt_kernel kernel = {pt_kernel_find("rbf"), 0.01, 0, 1, 0};
    example e = example_of(PT_F32, 0, 0, false);
    float *x = e.value;
    memcpy(x + e.order[3] * D, x + e.order[200] * D, D * sizeof *x);
    pt_grouped_rows *rows = grouped(&e, &kernel, NULL);
    float *segment = pt_alloc(pt_segment_width(N, PT_F32), sizeof *segment, "values", NULL);
    assert_int_equal(pt_grouped_rows_segment(rows, 3, 3, segment, NULL, NULL), PT_OK);
    assert_true(segment[200 - FIRST[3]] == 1);
    pt_free(segment);
    pt_grouped_rows_free(rows);
    free_example(&e);
}

static void test_segments__precomputed_values_are_read(void **state)
{
    (void)state;
    double K[25];
    const int64_t order[5] = {4, 1, 0, 3, 2};
    const int64_t first[3] = {0, 2, 5};
    for (int i = 0; i < 25; i++)
        K[i] = i;
    const pt_rows data = {.n = 5, .d = 5, .type = PT_F64, .dense = K, .stride = 5};
    const pt_kernel kernel = {.ops = pt_kernel_find("precomputed")};
    pt_grouped_rows *rows = NULL;
    assert_int_equal(pt_grouped_rows_new(&rows, &data, order, first, 2, &kernel, NULL, NULL),
                     PT_OK);
    double *segment = pt_alloc(pt_segment_width(3, PT_F64), sizeof *segment, "values", NULL);
    assert_int_equal(pt_grouped_rows_segment(rows, 0, 1, segment, NULL, NULL), PT_OK);
    assert_true(segment[0] == 20 && segment[1] == 23 && segment[2] == 22);
    assert_true(pt_grouped_rows_diagonal(rows)[3] == 18);
    pt_free(segment);
    pt_grouped_rows_free(rows);
    const pt_rows narrow = {.n = 5, .d = 4, .type = PT_F64, .dense = K, .stride = 5};
    assert_int_equal(pt_grouped_rows_new(&rows, &narrow, order, first, 2, &kernel, NULL, NULL),
                     PT_EINVAL);
}

/* ---- who holds them ----------------------------------------------------------------------------
 */

typedef struct reading {
    pt_kernel_segments *segments;
    const pt_grouped_rows *rows;
    int64_t wrong[6];
} reading;

static const int64_t PAIRS[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* Reads every segment of a pair twice, in two orders; those of the last calls must have stayed. */
static pt_status read_pair(void *context, int64_t s, int worker, pt_error *err)
{
    reading *r = context;
    const int64_t *pair = PAIRS[s];
    const int64_t n = FIRST[pair[0] + 1] - FIRST[pair[0]];
    const int64_t all = n + FIRST[pair[1] + 1] - FIRST[pair[1]];
    float *expected = pt_alloc(pt_segment_width(N, PT_F32), sizeof *expected, "values", NULL);
    const float *held[PT_SEGMENTS_STAY];
    float seen[PT_SEGMENTS_STAY];
    int64_t calls = 0;
    r->wrong[s] = 0;
    pt_kernel_segments_begin(r->segments, worker, pair[0], pair[1]);
    for (int64_t t = 0; t < 2 * all; t++) {
        const int64_t row = t < all ? t : (t * 7) % all;
        for (int side = 0; side < 2; side++) {
            const int64_t group = pair[side];
            const int64_t count = FIRST[group + 1] - FIRST[group];
            const int64_t i = row < n ? FIRST[pair[0]] + row : FIRST[pair[1]] + row - n;
            const void *got = NULL;
            PT_TRY(pt_kernel_segments_get(r->segments, worker, row, side, &got, err));
            const float *segment = got;
            if (count == 0)
                continue;
            PT_TRY(pt_grouped_rows_segment(r->rows, i, group, expected, NULL, err));
            r->wrong[s] += memcmp(segment, expected, (size_t)count * sizeof *segment) != 0;
            held[calls % PT_SEGMENTS_STAY] = segment;
            seen[calls++ % PT_SEGMENTS_STAY] = segment[0];
            for (int64_t back = 0; back < PT_SEGMENTS_STAY && back < calls; back++)
                r->wrong[s] += *held[back] != seen[back];
        }
    }
    pt_free(expected);
    return PT_OK;
}

static int64_t read_all(double bytes, int threads, double *held)
{
    const pt_kernel kernel = {pt_kernel_find("rbf"), 6, 0, 1, 0};
    example e = example_of(PT_F32, 0.6, 2, false);
    pt_task *task = task_with(threads);
    pt_grouped_rows *rows = grouped(&e, &kernel, task);
    reading r = {.rows = rows};
    const int workers = pt_parallel_workers(task, 6);
    assert_int_equal(pt_kernel_segments_open(&r.segments, rows, bytes, workers, NULL), PT_OK);
    assert_int_equal(pt_parallel_for(task, 6, read_pair, &r, NULL), PT_OK);
    for (int s = 0; s < 6; s++)
        assert_int_equal(r.wrong[s], 0);
    const int64_t computed = pt_kernel_segments_computed(r.segments);
    if (held)
        *held = pt_kernel_segments_held(r.segments);
    pt_kernel_segments_close(r.segments);
    pt_grouped_rows_free(rows);
    pt_task_free(task);
    free_example(&e);
    return computed;
}

static void test_segments__each_is_computed_once(void **state)
{
    (void)state;
    /* every row with each of the groups, the empty one too */
    const double enough = pt_kernel_segments_bytes(FIRST, GROUPS, PT_F32, 3);
    for (int threads = 1; threads <= 3; threads++)
        assert_int_equal(read_all(enough, threads, NULL), (int64_t)N * GROUPS);
    assert_int_equal(read_all(MUCH, 2, NULL), (int64_t)N * GROUPS);
}

static void test_segments__stay_within_the_memory_given(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 3; workers++) {
        const double all = pt_kernel_segments_bytes(FIRST, GROUPS, PT_F32, workers);
        const double least = pt_kernel_segments_least(FIRST, GROUPS, PT_F32, workers);
        for (double share = 0; share < 1; share += 0.24) {
            double held = 0;
            const int64_t computed = read_all(share * all, workers, &held);
            assert_true(held <= fmax(share * all, least));
            assert_true(computed > (int64_t)N * GROUPS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments__values_are_those_of_blocks),
        cmocka_unit_test(test_segments__values_are_right_for_every_instruction_set),
        cmocka_unit_test(test_segments__equal_rows_are_at_no_distance),
        cmocka_unit_test(test_segments__precomputed_values_are_read),
        cmocka_unit_test(test_segments__each_is_computed_once),
        cmocka_unit_test(test_segments__stay_within_the_memory_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
