/* Several machines: their own parameters, the common ones, and the axes of a common grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"

typedef struct pair_of {
    pt_params *params[2];
} pair_of;

static pair_of enter(const char *common_text, const char *a, const char *b)
{
    pt_error err = PT_ERROR_INIT;
    pair_of p = {{NULL, NULL}};
    const char *const machines[] = {a, b};
    pt_params *common = small_params(common_text);
    small_must(pt_params_for_machines(p.params, common, machines, 2, &err), &err, common_text);
    pt_params_free(common);
    return p;
}

static void leave(pair_of *p)
{
    pt_params_free(p->params[0]);
    pt_params_free(p->params[1]);
}

static void is(const pt_params *params, const char *name, const char *value)
{
    assert_string_equal(pt_params_get(params, name), value);
}

static void test_entrants__own_parameters_win(void **state)
{
    (void)state;
    pair_of p =
        enter("ridge=2,folds=5,scale=none,seed=4", "onelsm:ridge=8,scale=standard", "onelsm");
    is(p.params[0], "ridge", "8");
    is(p.params[0], "scale", "standard");
    is(p.params[0], "folds", "5");
    is(p.params[1], "ridge", "2");
    is(p.params[1], "scale", "none");
    is(p.params[1], "seed", "4");
    leave(&p);
}

static void test_entrants__take_what_they_use(void **state)
{
    (void)state;
    pair_of p = enter("coef0=2,degree=4", "onelsm:kernel=sigmoid", "onelsm:kernel=poly");
    is(p.params[0], "coef0", "2");
    assert_false(pt_params_is_set(p.params[0], "degree"));
    is(p.params[1], "coef0", "2");
    is(p.params[1], "degree", "4");
    leave(&p);
}

static void test_entrants__search_the_axes_they_use(void **state)
{
    (void)state;
    pair_of p = enter("grid={ridge=1:4,sigma=1,2}", "onelsm:kernel=linear", "onelsm");
    is(p.params[0], "grid", "ridge=1,2,4");
    is(p.params[1], "grid", "ridge=1,2,4,sigma=1,2");
    leave(&p);
    p = enter("grid={ridge=1:4,sigma=1,2}", "onelsm:ridge=3", "onelsm:rbf-gamma=2");
    is(p.params[0], "grid", "sigma=1,2");
    is(p.params[1], "grid", "ridge=1,2,4"); /* rbf-gamma is its sigma */
    leave(&p);
    p = enter("grid={ridge=1:4,sigma=1,2}", "onelsm:grid={sigma=7}", "onelsm");
    is(p.params[0], "grid", "sigma=7");
    leave(&p);
}

/* vo-lssvm takes --C in place of --ridge: never both. */
static void test_entrants__a_ridge_or_its_inverse(void **state)
{
    (void)state;
    pair_of p = enter("grid={C=4,8}", "vo-lssvm", "vo-lssvm:ridge=3");
    is(p.params[0], "grid", "C=4,8");
    is(p.params[1], "grid", "");
    leave(&p);
}

static void test_entrants__what_none_uses_is_refused(void **state)
{
    (void)state;
    static const char *const WRONG[][4] = {
        {"degree=3", "onelsm", "onelsm:kernel=linear", "no machine uses `degree`"},
        {"grid={degree=2,3}", "onelsm", "onelsm", "'degree'"},
        {"grid={sigma=2,3}", "onelsm:sigma=1", "onelsm:kernel=linear", "'sigma'"},
        {"grid={folds=2,3}", "onelsm", "onelsm", "'folds' cannot be searched"},
        {"grid={ridge=1,2,C=4,8}", "onelsm", "vo-lssvm", "'C'"},
        {"", "onelsm", "nothing", "nothing"},
        {"", "onelsm:nothing=1", "onelsm", "nothing"},
        {"folds=5", "onelsm:folds=3", "onelsm", "'folds' behind the name onelsm"},
        {"", "onelsm", "elm:seed=3", "give `seed`"},
        {"", "onelsm:repeat=2", "onelsm", "'repeat'"},
        {"", "onelsm:loo=yes", "onelsm", "'loo'"},
        {"", "onelsm:stratify=no", "onelsm", "'stratify'"},
        {"", "onelsm:scale-per-fold=yes", "onelsm", "'scale-per-fold'"},
        {"", "onelsm:resume=file", "onelsm", "'resume'"},
        {"", "onelsm:threads=2", "onelsm", "'threads'"},
        {"", "onelsm:header=no", "onelsm", "'header'"},
        {"", "onelsm:classes=5", "onelsm", "'classes'"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        pt_error err = PT_ERROR_INIT;
        const char *const machines[] = {WRONG[i][1], WRONG[i][2]};
        pt_params *out[2] = {NULL, NULL};
        pt_params *common = small_params(WRONG[i][0]);
        assert_int_equal(pt_params_for_machines(out, common, machines, 2, &err), PT_EINVAL);
        if (!strstr(err.text, WRONG[i][3]))
            fail_msg("'%s' does not say '%s'", err.text, WRONG[i][3]);
        assert_null(out[0]);
        pt_params_free(common);
    }
}

/* A model to begin with is handed on, so that what holds rows out refuses it. */
static void test_entrants__a_lent_start_is_kept(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"softmax", "softmax:C=2"};
    pt_error err = PT_ERROR_INIT;
    pt_params *params[2] = {NULL, NULL};
    pt_report *report[2] = {NULL, NULL};
    small s = small_clouds(40, 3, 3, 1);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=softmax", 1);
    pt_params *common = small_params("");
    small_must(pt_params_set_start(common, model, &err), &err, "a start");
    small_must(pt_params_for_machines(params, common, MACHINES, 2, &err), &err, "machines");
    is(params[0], "start", "model");
    for (int m = 0; m < 2; m++) {
        const pt_params *const one[] = {params[m]};
        assert_int_equal(pt_cross_validate(report, NULL, data, one, 1, NULL, &err), PT_EINVAL);
        assert_string_equal(err.param, "start");
        pt_params_free(params[m]);
    }
    pt_params_free(common);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

static pt_status inner(const pt_rows_view *a, const pt_rows_view *b, double *block, int64_t ld,
                       void *user, pt_error *err)
{
    (void)user;
    (void)err;
    for (int64_t i = 0; i < a->n_rows; i++)
        for (int64_t j = 0; j < b->n_rows; j++) {
            double sum = 0;
            for (int64_t c = 0; c < a->n_columns; c++)
                sum += a->dense[i * a->stride + c] * b->dense[j * b->stride + c];
            block[i * ld + j] = sum;
        }
    return PT_OK;
}

/* A program's kernel may be searched where another is set. */
static void test_entrants__search_a_kernel_of_the_program(void **state)
{
    (void)state;
    static const pt_kernel_callbacks MINE = {
        .size = sizeof MINE, .name = "mine", .psd = 1, .values = inner};
    static const char *const MACHINES[] = {"onelsm", "onelsm:ridge=2"};
    pt_error err = PT_ERROR_INIT;
    pt_params *params[2] = {NULL, NULL};
    pt_report *report[2] = {NULL, NULL};
    small s = small_clouds(40, 3, 3, 1);
    pt_dataset *data = small_dataset(&s);
    pt_params *common = small_params("folds=2,ridge=1");
    small_must(pt_params_set_kernel(common, &MINE, &err), &err, "kernel");
    small_must(pt_params_parse(common, "kernel=auto,grid={kernel=mine,rbf}", &err), &err, "grid");
    small_must(pt_params_for_machines(params, common, MACHINES, 2, &err), &err, "machines");
    is(params[0], "grid", "kernel=mine,rbf");
    const pt_params *const both[] = {params[0], params[1]};
    small_must(pt_cross_validate(report, NULL, data, both, 2, NULL, &err), &err, "search");
    for (int m = 0; m < 2; m++) {
        pt_report_free(report[m]);
        pt_params_free(params[m]);
    }
    pt_params_free(common);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entrants__own_parameters_win),
        cmocka_unit_test(test_entrants__take_what_they_use),
        cmocka_unit_test(test_entrants__search_the_axes_they_use),
        cmocka_unit_test(test_entrants__a_ridge_or_its_inverse),
        cmocka_unit_test(test_entrants__what_none_uses_is_refused),
        cmocka_unit_test(test_entrants__a_lent_start_is_kept),
        cmocka_unit_test(test_entrants__search_a_kernel_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
