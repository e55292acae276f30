/* Parameters: every kind of value, the table against itself, cutting of "a=1,b=2", errors that
 * help, and memory that runs out at every point. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/task.h"
#include "params/params.h"
#include "params/params_table.h"

static pt_params *fresh(void)
{
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, NULL), PT_OK);
    return params;
}

static void assert_set(pt_params *params, const char *name, const char *value)
{
    pt_error err = PT_ERROR_INIT;
    if (pt_params_set(params, name, value, &err) != PT_OK)
        fail_msg("%s=%s: %s", name, value, err.text);
    assert_string_equal(pt_params_get(params, name), value);
}

/* Refused, with `part` in the text and the old value kept. */
static void assert_refused(pt_params *params, const char *name, const char *value, const char *part)
{
    pt_error err = PT_ERROR_INIT;
    char before[200] = "";
    if (pt_params_get(params, name))
        snprintf(before, sizeof before, "%s", pt_params_get(params, name));
    if (pt_params_set(params, name, value, &err) == PT_OK)
        fail_msg("%s=%s was accepted", name, value);
    assert_int_equal(err.code, PT_EINVAL);
    if (!strstr(err.text, part))
        fail_msg("%s=%s: '%s' does not say '%s'", name, value, err.text, part);
    if (pt_params_get(params, name))
        assert_string_equal(pt_params_get(params, name), before);
}

static void test_table__defaults_are_allowed(void **state)
{
    (void)state;
    pt_params *params = fresh();
    for (int64_t i = 0; i < pt_param_count(); i++) {
        assert_false(pt_params_is_set(params, pt_param_name(i)));
        assert_string_equal(pt_params_get(params, pt_param_name(i)), pt_param_default(i));
        assert_set(params, pt_param_name(i), pt_param_default(i));
        assert_int_equal(pt_param_find(pt_param_name(i)), (int)i);
        assert_true(strlen(pt_param_help(i)) > 5);
    }
    assert_null(pt_param_name(-1));
    assert_null(pt_param_name(pt_param_count()));
    assert_null(pt_param_type(pt_param_count()));
    assert_null(pt_param_group(-1));
    pt_params_free(params);
}

/* The range that people read is the range that is checked. */
static void test_table__range_in_words_is_the_range(void **state)
{
    (void)state;
    pt_params *params = fresh();
    char text[64];
    for (int64_t i = 0; i < pt_param_count(); i++) {
        const char *allowed = pt_param_allowed(i);
        const char *dots = strstr(allowed, "..");
        if (strcmp(pt_param_type(i), "choice") == 0 || strcmp(pt_param_type(i), "flag") == 0) {
            for (const char *word = allowed; *word;
                 word += strcspn(word, "|"), word += *word != 0) {
                snprintf(text, sizeof text, "%.*s", (int)strcspn(word, "|"), word);
                assert_set(params, pt_param_name(i), text);
            }
        } else if (dots) {
            snprintf(text, sizeof text, "%.*s", (int)(dots - allowed), allowed);
            const double low = strtod(text, NULL);
            const double high = strtod(dots + 2, NULL);
            assert_set(params, pt_param_name(i), text);
            assert_set(params, pt_param_name(i), dots + 2);
            snprintf(text, sizeof text, "%.17g", low - 1);
            assert_refused(params, pt_param_name(i), text, allowed);
            snprintf(text, sizeof text, "%.17g", high + 1);
            assert_refused(params, pt_param_name(i), text, allowed);
        } else if (strcmp(allowed, "> 0") == 0) {
            assert_refused(params, pt_param_name(i), "0", "> 0");
            assert_set(params, pt_param_name(i), "1e-9");
        } else if (strcmp(allowed, ">= 0") == 0) {
            assert_refused(params, pt_param_name(i), "-1", ">= 0");
            assert_set(params, pt_param_name(i), "0");
        } else if (strcmp(allowed, "above 0 and below 1") == 0) {
            assert_refused(params, pt_param_name(i), "0", allowed);
            assert_refused(params, pt_param_name(i), "1", allowed);
            assert_set(params, pt_param_name(i), "1e-9");
            assert_set(params, pt_param_name(i), "0.9999");
        } else {
            assert_string_equal(allowed, "");
        }
    }
    pt_params_free(params);
}

static void test_real__numbers_powers_and_auto(void **state)
{
    (void)state;
    pt_params *params = fresh();
    assert_true(pt_params_is_auto(params, PT_P_RIDGE));
    assert_true(isnan(pt_params_real(params, PT_P_RIDGE)));
    assert_set(params, "ridge", "2^-4");
    assert_true(pt_params_real(params, PT_P_RIDGE) == 0.0625);
    assert_false(pt_params_is_auto(params, PT_P_RIDGE));
    assert_set(params, "ridge", "1e-3");
    assert_true(pt_params_real(params, PT_P_RIDGE) == 1e-3);
    assert_set(params, "ridge", "auto");
    assert_true(pt_params_is_auto(params, PT_P_RIDGE));
    assert_true(pt_params_set_by_user(params, PT_P_RIDGE));
    static const char *const WRONG[] = {"nan", "inf", "-inf", "1e400", "0",  "-1",
                                        "",    "1,5", "1 ",   "x",     "2^", "^2"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        assert_refused(params, "ridge", WRONG[i], "ridge");
    assert_refused(params, "coef0", "auto", "coef0");
    assert_set(params, "coef0", "-2.5");
    pt_params_free(params);
}

static void test_integer__whole_numbers_only(void **state)
{
    (void)state;
    pt_params *params = fresh();
    assert_set(params, "seed", "9007199254740993"); /* 2^53 + 1 */
    assert_true(pt_params_integer(params, PT_P_SEED) == 9007199254740993);
    assert_set(params, "folds", "1e3");
    assert_true(pt_params_integer(params, PT_P_FOLDS) == 1000);
    assert_set(params, "folds", "2^4");
    assert_true(pt_params_integer(params, PT_P_FOLDS) == 16);
    assert_refused(params, "folds", "2.5", "whole number");
    assert_refused(params, "folds", "1", "2..1000000");
    assert_refused(params, "folds", "99999999999999999999", "folds");
    assert_refused(params, "folds", "nan", "folds");
    assert_refused(params, "seed", "1e300", "seed");
    pt_params_free(params);
}

static void test_size__suffixes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"0", 0},
                {"100", 100},
                {"512M", INT64_C(512) << 20},
                {"4G", INT64_C(4) << 30},
                {"1.5G", INT64_C(3) << 29},
                {"2k", 2048},
                {"1T", INT64_C(1) << 40},
                {"8MB", 8 << 20},
                {"8MiB", 8 << 20},
                {"7B", 7}};
    static const char *const wrong[] = {"", "G", "4X", "-1G", "1e3G", "4GG", "nanG", "9999999999T"};
    pt_params *params = fresh();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_set(params, "memory", good[i].text);
        assert_true(pt_params_integer(params, PT_P_MEMORY) == good[i].bytes);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(params, "memory", wrong[i], "512M");
    pt_params_free(params);
}

static void test_flag__six_words(void **state)
{
    (void)state;
    pt_params *params = fresh();
    static const char *const YES[] = {"yes", "true", "1"};
    static const char *const NO[] = {"no", "false", "0"};
    for (int i = 0; i < 3; i++) {
        assert_set(params, "loo", YES[i]);
        assert_true(pt_params_flag(params, PT_P_LOO));
        assert_set(params, "loo", NO[i]);
        assert_false(pt_params_flag(params, PT_P_LOO));
    }
    assert_refused(params, "loo", "maybe", "yes or no");
    pt_params_free(params);
}

static void test_errors__suggest_the_nearest(void **state)
{
    (void)state;
    pt_params *params = fresh();
    assert_refused(params, "rigde", "1", "did you mean `ridge`?");
    assert_refused(params, "label_book", "pm1", "did you mean `labelbook`?");
    assert_refused(params, "zzzzzzzz", "1", "there is no parameter 'zzzzzzzz'");
    assert_refused(params, "kernel", "rfb", "did you mean 'rbf'?");
    assert_refused(params, "kernel", "whatever", "auto, linear, poly, rbf");
    assert_refused(params, "kernel", "linear|poly", "kernel");
    assert_refused(params, "kernel", "", "kernel");
    char longer[5000];
    memset(longer, 'q', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_refused(params, longer, "1", "there is no parameter 'qqqq");
    assert_refused(params, "kernel", longer, "kernel");
    pt_params_free(params);
}

static void test_names__underscore_is_dash(void **state)
{
    (void)state;
    pt_params *params = fresh();
    assert_set(params, "rbf_gamma", "2");
    assert_string_equal(pt_params_get(params, "rbf-gamma"), "2");
    assert_null(pt_params_get(params, "nothing"));
    assert_false(pt_params_is_set(params, "nothing"));
    pt_params_free(params);
}

static void test_unset__goes_back(void **state)
{
    (void)state;
    pt_params *params = fresh();
    assert_false(pt_params_is_set(params, "rbf-gamma"));
    assert_set(params, "rbf-gamma", "0.5");
    assert_true(pt_params_is_set(params, "rbf-gamma"));
    assert_set(params, "rbf-gamma", "unset");
    assert_false(pt_params_is_set(params, "rbf-gamma"));
    assert_true(isnan(pt_params_real(params, PT_P_RBF_GAMMA)));
    pt_params_free(params);
}

static void test_parse__cuts_at_settings(void **state)
{
    (void)state;
    pt_params *params = fresh();
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_params_parse(params, "", &err), PT_OK);
    assert_int_equal(pt_params_parse(params, " sigma = 2 ,ridge=0.1,sigma=4", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "sigma"), "4");
    assert_string_equal(pt_params_get(params, "ridge"), "0.1");

    assert_int_equal(pt_params_parse(params, "class-weight=a=1,b=2,ridge=3", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "class-weight"), "a=1,b=2");
    assert_string_equal(pt_params_get(params, "ridge"), "3");

    assert_int_equal(pt_params_parse(params, "class-weight={ridge=1,b=2},folds=3", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "class-weight"), "ridge=1,b=2");
    assert_int_equal(pt_params_parse(params, "folds=4,grid={ridge=1,2,sigma=2^-4:2^4}", &err),
                     PT_OK);
    assert_string_equal(pt_params_get(params, "grid"), "ridge=1,2,sigma=2^-4:2^4");
    assert_string_equal(pt_params_get(params, "folds"), "4");
    assert_int_equal(pt_params_parse(params, "nominal=a*,b*", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "nominal"), "a*,b*");
    pt_params_free(params);
}

/* A list adds up, of another parameter the last value counts with a warning; by every text anew. */
static void test_parse__repeated_settings(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = fresh();
    assert_int_equal(
        pt_params_parse(params, "ignore=id,ridge=1,ignore=a*,b,ridge=2,class-weight=x=1", &err),
        PT_OK);
    assert_string_equal(pt_params_get(params, "ignore"), "id,a*,b");
    assert_string_equal(pt_params_get(params, "ridge"), "2");
    assert_int_equal(pt_params_warnings(params)->count, 1);
    assert_string_equal(pt_params_warnings(params)->items[0],
                        "`ridge` is there twice: 1, then 2; the last counts");
    assert_int_equal(pt_params_parse(params, "ignore=z,ridge=3,ridge=3", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "ignore"), "z");
    assert_int_equal(pt_params_warnings(params)->count, 1);
    assert_int_equal(pt_params_parse(params, "machine=onelsm:ridge=4,machine=spoc", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "machine"), "spoc");
    assert_int_equal(pt_params_warnings(params)->count, 2);
    pt_params_free(params);
}

static void test_parse__a_flag_alone_is_yes(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = fresh();
    assert_int_equal(pt_params_parse(params, "loo, bias ,ridge=2,paper=no", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "loo"), "yes");
    assert_string_equal(pt_params_get(params, "bias"), "yes");
    assert_string_equal(pt_params_get(params, "paper"), "no");
    assert_int_equal(pt_params_parse(params, "ridge", &err), PT_EINVAL);
    pt_params_free(params);
}

/* Braces end a value; without them a flag's name is a part of it, which may be a column's. */
static void test_parse__a_flag_behind_a_list(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = fresh();
    assert_int_equal(pt_params_parse(params, "ignore= {a,b} ,skip-unlabelled,folds=3", &err),
                     PT_OK);
    assert_string_equal(pt_params_get(params, "ignore"), "a,b");
    assert_string_equal(pt_params_get(params, "skip-unlabelled"), "yes");
    assert_string_equal(pt_params_get(params, "folds"), "3");
    assert_int_equal(pt_params_set(params, "machine", "softmax:class-weight={x=2,y=3},bias", &err),
                     PT_OK);
    assert_string_equal(pt_params_get(params, "class-weight"), "x=2,y=3");
    assert_string_equal(pt_params_get(params, "bias"), "yes");
    assert_int_equal(pt_params_parse(params, "ignore={a,bias},nominal=a,biases", &err), PT_OK);
    assert_int_equal(pt_params_warnings(params)->count, 0);

    assert_int_equal(pt_params_parse(params, "label=Diagnose, loo ,folds=4", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "label"), "Diagnose, loo");
    assert_false(pt_params_flag(params, PT_P_LOO));
    assert_string_equal(pt_params_get(params, "folds"), "4");
    assert_int_equal(pt_params_warnings(params)->count, 1);
    assert_string_equal(pt_params_warnings(params)->items[0],
                        "`label`: 'loo' is taken for a part of the value; write `loo=yes` for the "
                        "flag, or the value in braces");
    assert_int_equal(pt_params_warnings(params)->kinds[0], PT_KIND_PARAMETERS);
    assert_int_equal(pt_params_parse(params, "label=Diagnose,loo=yes", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "label"), "Diagnose");
    assert_true(pt_params_flag(params, PT_P_LOO));
    assert_int_equal(pt_params_warnings(params)->count, 1);
    pt_params_free(params);
}

static void test_parse__all_or_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } wrong[] = {{"ridge=7,sigma=x", "sigma"},
                 {"ridge=7,sgima=1", "did you mean `sigma`?"},
                 {"ridge=7,skip-unlabeled", "did you mean `skip-unlabelled`?"},
                 {"ridge=7,ignore={a,b},c", "'c' is not NAME=VALUE"},
                 {"ridge=7,", "NAME=VALUE"},
                 {"ridge=7,,sigma=1", "NAME=VALUE"},
                 {"ridge=7,=1", "there is no parameter"},
                 {"ridge", "NAME=VALUE"},
                 {"ridge=7,grid={a=1", "brace"},
                 {"ridge=7,grid=ridge=1,2,sigma=1,2", "braces"},
                 {"ridge=7,machine=onelsm:ridge", "NAME=VALUE"},
                 {"machine=nothing:ridge=7", "onelsm"}};
    pt_params *params = fresh();
    pt_error err = PT_ERROR_INIT;
    assert_set(params, "ridge", "5");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(pt_params_parse(params, wrong[i].text, &err), PT_EINVAL);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("%s: '%s' does not say '%s'", wrong[i].text, err.text, wrong[i].says);
        assert_string_equal(pt_params_get(params, "ridge"), "5");
        assert_false(pt_params_is_set(params, "sigma"));
    }
    pt_params_free(params);
}

static void test_machine__brings_parameters(void **state)
{
    (void)state;
    pt_params *params = fresh();
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_params_set(params, "machine", "onelsm:sigma=2,ridge=0.1", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "machine"), "onelsm");
    assert_string_equal(pt_params_get(params, "sigma"), "2");
    assert_string_equal(pt_params_get(params, "ridge"), "0.1");
    assert_int_equal(pt_params_parse(params, "machine=onelsm:sigma=8,ridge=4", &err), PT_OK);
    assert_string_equal(pt_params_get(params, "sigma"), "8");
    assert_string_equal(pt_params_get(params, "ridge"), "4");
    assert_int_equal(pt_params_set(params, "machine", "onelsm:", &err), PT_OK);
    assert_refused(params, "machine", "onelsm:machine=onelsm", "`machine`");
    assert_refused(params, "machine", "onelsm:ridge=1,kernel=x", "kernel");
    assert_string_equal(pt_params_get(params, "ridge"), "4");
    assert_refused(params, "machine", "onlsm", "did you mean 'onelsm'?");
    pt_params_free(params);
}

static void test_get__text_stays_when_another_is_set(void **state)
{
    (void)state;
    pt_params *params = fresh();
    assert_set(params, "ridge", "0.25");
    const char *borrowed = pt_params_get(params, "ridge");
    assert_set(params, "sigma", "3");
    assert_int_equal(pt_params_parse(params, "degree=2,sigma=5", NULL), PT_OK);
    assert_ptr_equal(pt_params_get(params, "ridge"), borrowed);
    assert_string_equal(borrowed, "0.25");
    pt_params_free(params);
}

static void test_copy__is_independent(void **state)
{
    (void)state;
    pt_params *params = fresh();
    pt_params *copy = NULL;
    assert_set(params, "ridge", "0.25");
    assert_int_equal(pt_params_copy(&copy, params, NULL), PT_OK);
    assert_set(params, "ridge", "8");
    assert_string_equal(pt_params_get(copy, "ridge"), "0.25");
    assert_true(pt_params_real(copy, PT_P_RIDGE) == 0.25);
    assert_false(pt_params_is_set(copy, "sigma"));
    pt_params_free(copy);
    assert_int_equal(pt_params_copy(&copy, NULL, NULL), PT_OK);
    assert_false(pt_params_is_set(copy, "ridge"));
    pt_params_free(copy);
    pt_params_free(params);
    pt_params_free(NULL);
}

static void test_null__reads_as_defaults(void **state)
{
    (void)state;
    assert_int_equal(pt_params_integer(NULL, PT_P_FOLDS), 10);
    assert_true(pt_params_real(NULL, PT_P_COEF0) == 1);
    assert_true(pt_params_is_auto(NULL, PT_P_SIGMA));
    assert_false(pt_params_flag(NULL, PT_P_LOO));
    assert_string_equal(pt_params_text(NULL, PT_P_LABELBOOK), "pm1");
    assert_string_equal(pt_params_get(NULL, "labelbook"), "pm1");
    assert_int_equal(pt_params_check_used(NULL, "x", "", NULL, NULL), PT_OK);
    pt_params *params = fresh();
    assert_int_equal(pt_params_set(params, "ridge", NULL, NULL), PT_EINVAL);
    assert_int_equal(pt_params_set(params, NULL, "1", NULL), PT_EINVAL);
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_params_set_number(params, NULL, 1, &err), PT_EINVAL);
    assert_string_equal(err.text, "the parameter has no name");
    assert_int_equal(pt_params_set_array(params, NULL, NULL, &err), PT_EINVAL);
    assert_string_equal(err.text, "the parameter has no name");
    assert_int_equal(pt_params_parse(params, NULL, NULL), PT_OK);
    pt_params_free(params);
}

static void test_set_real__reads_back_the_same_bits(void **state)
{
    (void)state;
    static const double VALUES[] = {0.1, 1.0 / 3, 2, 1e-300, 6.02214076e23, 0.1 + 0.2, 1e300};
    static const char *const TEXTS[] = {"0.1",    "0.3333333333333333", "2",
                                        "1e-300", "6.02214076e+23",     "0.30000000000000004",
                                        "1e+300"};
    pt_params *params = fresh();
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        assert_int_equal(pt_params_set_real(params, PT_P_RIDGE, VALUES[i], NULL), PT_OK);
        assert_true(pt_params_real(params, PT_P_RIDGE) == VALUES[i]);
        assert_string_equal(pt_params_text(params, PT_P_RIDGE), TEXTS[i]);
    }
    assert_int_equal(pt_params_set_real(params, PT_P_RIDGE, NAN, NULL), PT_EINVAL);
    assert_int_equal(pt_params_set_real(params, PT_P_RIDGE, INFINITY, NULL), PT_EINVAL);
    assert_int_equal(pt_params_set_real(params, PT_P_RIDGE, -1, NULL), PT_EINVAL);
    pt_params_free(params);
}

static void test_check_used__refuses_what_is_not_used(void **state)
{
    (void)state;
    pt_params *params = fresh();
    pt_error err = PT_ERROR_INIT;
    assert_set(params, "ridge", "1");
    assert_set(params, "degree", "2");
    assert_set(params, "folds", "5"); /* not of a machine: never refused */
    assert_int_equal(pt_params_check_used(params, "m", "ridge,kernel", "degree,coef0", &err),
                     PT_OK);
    assert_int_equal(pt_params_check_used(params, "m", "ridge,kernel", "sigma", &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "`degree"));
    assert_non_null(strstr(err.text, "ridge,kernel,sigma"));
    assert_int_equal(pt_params_check_used(params, "m", "kernel,bridge,ridges", "degree", &err),
                     PT_EINVAL);
    pt_params_free(params);

    params = fresh();
    assert_set(params, "sigma", "1");
    assert_set(params, "rbf-gamma", "1");
    assert_int_equal(pt_params_check_used(params, "m", "ridge", "sigma,rbf-gamma", &err),
                     PT_EINVAL);
    assert_non_null(strstr(err.text, "both"));
    pt_params_free(params);
}

static void test_task__takes_threads_and_memory(void **state)
{
    (void)state;
    pt_params *params = fresh();
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    assert_int_equal(pt_params_parse(params, "threads=3,memory=5M,time=1e9", NULL), PT_OK);
    pt_task_set_params(task, params);
    assert_int_equal(pt_task_threads(task), 3);
    assert_true(pt_task_memory(task) == 5 << 20);
    assert_int_equal(pt_task_check(task, NULL), PT_OK);
    pt_task_set_params(NULL, params);
    pt_task_free(task);
    pt_params_free(params);
}

/* Everything that allocates, with memory running out at allocation 1, 2, 3, ... */
static pt_status sweep_once(void)
{
    pt_params *params = NULL;
    pt_params *copy = NULL;
    pt_status status = pt_params_new(&params, NULL);
    if (status == PT_OK)
        status = pt_params_set(params, "machine", "onelsm:sigma=2,class-weight=a=1,b=2", NULL);
    if (status == PT_OK)
        status = pt_params_parse(params,
                                 "ridge=3,ridge=4,grid={ridge=1},grid={sigma=2},label=a,loo", NULL);
    if (status == PT_OK)
        status = pt_params_set_real(params, PT_P_RIDGE, 0.1, NULL);
    if (status == PT_OK)
        status = pt_params_copy(&copy, params, NULL);
    pt_params_free(copy);
    pt_params_free(params);
    return status;
}

static void test_memory__every_failure_frees(void **state)
{
    (void)state;
    const int64_t live = pt_alloc_live();
    pt_status status = PT_ENOMEM;
    int64_t number = 0;
    while (status != PT_OK) {
        pt_alloc_fail_from(++number);
        status = sweep_once();
        pt_alloc_fail_from(0);
        assert_true(status == PT_OK || status == PT_ENOMEM);
        assert_true(pt_alloc_live() == live);
        assert_true(number < 1000);
    }
    assert_true(number > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table__defaults_are_allowed),
        cmocka_unit_test(test_table__range_in_words_is_the_range),
        cmocka_unit_test(test_real__numbers_powers_and_auto),
        cmocka_unit_test(test_integer__whole_numbers_only),
        cmocka_unit_test(test_size__suffixes),
        cmocka_unit_test(test_flag__six_words),
        cmocka_unit_test(test_errors__suggest_the_nearest),
        cmocka_unit_test(test_names__underscore_is_dash),
        cmocka_unit_test(test_unset__goes_back),
        cmocka_unit_test(test_parse__cuts_at_settings),
        cmocka_unit_test(test_parse__repeated_settings),
        cmocka_unit_test(test_parse__a_flag_alone_is_yes),
        cmocka_unit_test(test_parse__a_flag_behind_a_list),
        cmocka_unit_test(test_parse__all_or_nothing),
        cmocka_unit_test(test_machine__brings_parameters),
        cmocka_unit_test(test_get__text_stays_when_another_is_set),
        cmocka_unit_test(test_copy__is_independent),
        cmocka_unit_test(test_null__reads_as_defaults),
        cmocka_unit_test(test_set_real__reads_back_the_same_bits),
        cmocka_unit_test(test_check_used__refuses_what_is_not_used),
        cmocka_unit_test(test_task__takes_threads_and_memory),
        cmocka_unit_test(test_memory__every_failure_frees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
