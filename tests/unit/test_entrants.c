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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entrants__own_parameters_win),
        cmocka_unit_test(test_entrants__take_what_they_use),
        cmocka_unit_test(test_entrants__search_the_axes_they_use),
        cmocka_unit_test(test_entrants__a_ridge_or_its_inverse),
        cmocka_unit_test(test_entrants__what_none_uses_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
