/* The stages on the way to a large C. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../support/labelled_rows.h"
#include "data/labels/label_pairs.h"
#include "solvers/dual/pair_solvers.h"

enum { HOW = PT_PAIRS_THRESHOLD | PT_PAIRS_CLOSED, N = 25 };

typedef struct fixture {
    labelled l;
    pt_label_pair_lists laid;
    pt_pair_problem problem;
    pt_pair_path path;
    pt_sparse_rows alpha;
    double bound[N];
    double square[N];
} fixture;

static void begin(fixture *f, int c, double C)
{
    pt_error err = PT_ERROR_INIT;
    memset(f, 0, sizeof *f);
    f->l = labelled_rows(LABEL_KINDS[c % 4], N, 4, 4, 0.5, (uint64_t)c + 50);
    for (int64_t i = 0; i < N; i++) {
        f->bound[i] = i == 3 ? 0 : C * (double)(1 + i % 3);
        f->square[i] = 1 + (double)(i % 2);
    }
    small_must(pt_label_pairs_lay_out(&f->laid, f->l.labels, HOW, c % 2 ? INFINITY : 0, NULL, &err),
               &err, "pairs");
    f->problem = (pt_pair_problem){.pairs = &f->laid.lists, .bound = f->bound, .gap = 1e-6};
    small_must(pt_sparse_rows_init(&f->alpha, N, NULL, &err), &err, "alpha");
    small_must(pt_pair_path_init(&f->path, &f->problem, f->square, 1, N, NULL, &err), &err, "path");
}

static void end(fixture *f)
{
    pt_pair_path_free(&f->path);
    pt_label_pair_lists_free(&f->laid);
    pt_sparse_rows_free(&f->alpha);
    labelled_free(&f->l);
}

/* alpha of every other pair of example i <- value. */
static void fill(fixture *f, int64_t i, double value)
{
    pt_error err = PT_ERROR_INIT;
    pt_label_pair pairs[64];
    pt_entry list[64];
    const int64_t n_pairs = pt_label_pairs_of(f->l.labels, i, HOW, pairs);
    int64_t count = 0;
    for (int64_t p = i % 2; p < n_pairs; p += 2)
        list[count++] = (pt_entry){pt_pair_code(pairs[p]), value};
    small_must(pt_sparse_rows_set(&f->alpha, i, list, count, &err), &err, "alpha");
}

static void test_pair_path__is_the_problem_where_C_is_small(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        fixture f;
        begin(&f, c, 0.01);
        assert_true(f.path.share == 1);
        assert_ptr_equal(f.path.stage.bound, f.bound);
        assert_true(f.path.stage.gap == 1e-6);
        end(&f);
    }
}

/* Bounds grow in proportion and end as they are given; a solution that is C a leads to C a. */
static void test_pair_path__goes_along_a_line(void **state)
{
    (void)state;
    for (int c = 0; c < 8; c++) {
        pt_error err = PT_ERROR_INIT;
        fixture f;
        int stages = 1;
        begin(&f, c, c < 4 ? 10 : 1e12);
        assert_true(f.path.share < 0.1 && f.path.before == 0);
        while (f.path.share < 1) {
            const double share = f.path.share;
            for (int64_t i = 0; i < N; i++) {
                assert_true(f.path.stage.bound[i] == share * f.bound[i]);
                fill(&f, i, share * f.bound[i] * (i % 5) / 4);
            }
            small_must(pt_pair_path_step(&f.path, &f.alpha, &err), &err, "step");
            assert_true(f.path.share > share && f.path.share <= 1 && f.path.before == share);
            stages++;
            for (int64_t i = 0; i < N; i++) {
                const double want = f.path.share * f.bound[i] * (double)(i % 5) / 4;
                for (int64_t e = 0; e < f.alpha.count[i]; e++) {
                    const double value = pt_sparse_row(&f.alpha, i)[e].value;
                    assert_true(fabs(value - want) <= 1e-12 * want);
                    assert_true(value <= f.path.stage.bound[i]);
                }
                assert_int_equal(f.alpha.count[i] > 0, want > 0 && f.path.past.count[i] > 0);
            }
            small_must(pt_pair_path_back(&f.path, &f.alpha, &err), &err, "back");
            for (int64_t i = 0; i < N; i++)
                for (int64_t e = 0; e < f.alpha.count[i]; e++)
                    assert_true(pt_sparse_row(&f.alpha, i)[e].value ==
                                share * f.bound[i] * (double)(i % 5) / 4);
        }
        assert_ptr_equal(f.path.stage.bound, f.bound);
        assert_true(f.path.stage.gap == 1e-6 && stages < 60);
        end(&f);
    }
}

/* Entries that come, go, and would leave the box. */
static void test_pair_path__stays_within_the_bounds(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        pt_error err = PT_ERROR_INIT;
        fixture f;
        begin(&f, c, 100);
        for (int t = 0; f.path.share < 1; t++) {
            for (int64_t i = 0; i < N; i++)
                fill(&f, i, (t + i) % 3 == 0 ? 0 : f.path.stage.bound[i] / (1 + (t + i) % 2));
            small_must(pt_pair_path_step(&f.path, &f.alpha, &err), &err, "step");
            for (int64_t i = 0; i < N; i++)
                for (int64_t e = 0; e < f.alpha.count[i]; e++) {
                    const double value = pt_sparse_row(&f.alpha, i)[e].value;
                    assert_true(value > 0 && value <= f.path.stage.bound[i]);
                }
            if (t == 2)
                pt_pair_path_end(&f.path);
        }
        assert_ptr_equal(f.path.stage.bound, f.bound);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair_path__is_the_problem_where_C_is_small),
        cmocka_unit_test(test_pair_path__goes_along_a_line),
        cmocka_unit_test(test_pair_path__stays_within_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
