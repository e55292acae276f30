/* With Clp codes of the norms 1 and inf are designed; a build without it says so before anything is
 * learned, and says what to do. The norm 2 needs no linear program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "solvers/program/linear_program.h"

static pt_status train(const char *norm, pt_error *err)
{
    small s = small_clouds(30, 2, 3, 1);
    pt_dataset *data = small_dataset(&s);
    char options[120];
    snprintf(options, sizeof options,
             "machine=designed,learner=tree,depth=1,design-C=1,calibrate=no,norm=%s", norm);
    pt_params *params = small_params(options);
    pt_model *model = NULL;
    const pt_status status = pt_model_train(&model, data, params, NULL, err);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&s);
    return status;
}

static void test_clp__norms_1_and_inf_need_it(void **state)
{
    (void)state;
    static const char *const NORMS[] = {"1", "inf"};
    for (int n = 0; n < 2; n++) {
        pt_error err = PT_ERROR_INIT;
        const pt_status status = train(NORMS[n], &err);
        if (pt_lp_solver()) {
            small_must(status, &err, NORMS[n]);
            continue;
        }
        assert_int_equal(status, PT_ENOSUPPORT);
        assert_non_null(strstr(err.text, "`norm=1` and `norm=inf`"));
        assert_non_null(strstr(err.text, "use `norm=2`"));
        assert_non_null(strstr(err.text, "-DPOLYTOMY_CLP=ON"));
    }
}

static void test_clp__norm_2_does_not_need_it(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small_must(train("2", &err), &err, "norm 2");
}

static void test_clp__build_info_names_it(void **state)
{
    (void)state;
    assert_non_null(strstr(pt_build_info(), pt_lp_solver() ? "linear programs: Clp\n"
                                                           : "linear programs: none (built "));
}

/* Below the machine, too: where codes are designed from given outputs. */
static void test_clp__programs_are_refused_without_it(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_program program;
    pt_lp *lp = NULL;
    assert_int_equal(pt_program_init(&program, 1, 1, 1, &err), PT_OK);
    program.index[0] = 0;
    program.value[0] = 1;
    program.start[1] = 1;
    const pt_status status = pt_lp_new(&lp, &program, &err);
    assert_int_equal(status, pt_lp_solver() ? PT_OK : PT_ENOSUPPORT);
    assert_true(pt_lp_solver() ? lp != NULL : lp == NULL);
    pt_lp_free(lp);
    pt_program_free(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clp__norms_1_and_inf_need_it),
        cmocka_unit_test(test_clp__norm_2_does_not_need_it),
        cmocka_unit_test(test_clp__build_info_names_it),
        cmocka_unit_test(test_clp__programs_are_refused_without_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
