/* labels: heavy */
/* needs: clp */
/* What pt_catalogue and pt_params_report say of parameters is what setting and training do: ranges,
 * choices, defaults of machines and learners, what is used. A new parameter, machine or learner is
 * tested by being listed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/share.h"
#include "../support/small_problem.h"

static pt_report *parameters; /* the table */

static int read_table(void **state)
{
    (void)state;
    return pt_catalogue(&parameters, "parameters", NULL);
}

static int free_table(void **state)
{
    (void)state;
    pt_report_free(parameters);
    return 0;
}

static int64_t n_parameters(void)
{
    return pt_report_length(parameters, "name");
}

static const char *text_of(const char *item, int64_t p)
{
    return pt_report_text_at(parameters, item, p, 0, 0);
}

static bool is(const char *item, int64_t p, const char *value)
{
    return strcmp(text_of(item, p), value) == 0;
}

/* ---- ranges and choices ---------------------------------------------------------------------- */

static pt_status set_number(int64_t p, double value)
{
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, NULL), PT_OK);
    const pt_status status = pt_params_set_number(params, text_of("name", p), value, NULL);
    pt_params_free(params);
    return status;
}

static void expect_number(int64_t p, double value, bool allowed)
{
    if ((set_number(p, value) == PT_OK) != allowed)
        fail_msg("%s: %.17g should be %s", text_of("name", p), value,
                 allowed ? "allowed" : "refused");
}

/* The next number of its type. */
static double beyond(int64_t p, double value, double towards)
{
    const bool whole = is("type", p, "integer") || is("type", p, "size");
    const double next = nextafter(value, towards);
    return !whole ? next : fabs(value) < 1e15 ? value + (towards > value ? 1 : -1) : next;
}

static void test_catalogue__ranges_are_those_that_are_accepted(void **state)
{
    (void)state;
    int numbers = 0;
    for (int64_t p = 0; p < n_parameters(); p++) {
        const bool number = strstr("real integer size time", text_of("type", p)) != NULL;
        const double least = pt_report_number_at(parameters, "minimum", p, 0, 0);
        const double most = pt_report_number_at(parameters, "maximum", p, 0, 0);
        const bool excluded = pt_report_integer_at(parameters, "minimum_excluded", p, 0, 0);
        numbers += number;
        if (!number) {
            assert_true(isnan(least) && isnan(most) && !excluded);
            continue;
        }
        expect_number(p, isnan(least) ? -1e299 : least, !excluded);
        if (excluded)
            expect_number(p, least + 1e-299, true);
        if (!isnan(least))
            expect_number(p, beyond(p, least, -INFINITY), false);
        expect_number(p, isnan(most) ? 1e299 : most, true);
        expect_number(p, isnan(most) ? INFINITY : beyond(p, most, INFINITY), false);
        expect_number(p, NAN, false);
    }
    assert_true(numbers > 40);
}

static pt_status set_text(int64_t p, const char *value)
{
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, NULL), PT_OK);
    const pt_status status = pt_params_set(params, text_of("name", p), value, NULL);
    pt_params_free(params);
    return status;
}

static void test_catalogue__choices_are_those_that_are_accepted(void **state)
{
    (void)state;
    const pt_item *choices = pt_report_find(parameters, "choices");
    assert_int_equal(choices->n_axes, 2);
    for (int64_t p = 0; p < n_parameters(); p++) {
        const bool choice = is("kind", p, "choice");
        assert_true(choice == (is("type", p, "choice") || is("type", p, "flag")));
        assert_true(choice == (pt_report_text_at(parameters, "choices", p, 0, 0) != NULL));
        for (int64_t c = 0; c < choices->length[1]; c++) {
            const char *word = pt_report_text_at(parameters, "choices", p, c, 0);
            assert_true(!word || set_text(p, word) == PT_OK);
        }
        assert_true(!choice || set_text(p, "nonsense") == PT_EINVAL);
        assert_int_equal(set_text(p, text_of("default", p)), PT_OK);
        if (pt_report_integer_at(parameters, "takes_auto", p, 0, 0))
            assert_int_equal(set_text(p, "auto"), PT_OK);
        else if (strstr("real integer size time flag", text_of("type", p)))
            assert_int_equal(set_text(p, "auto"), PT_EINVAL);
    }
}

static void test_catalogue__kinds_and_units(void **state)
{
    (void)state;
    static const char KINDS[] = "amount share scale number seed choice matrix classes columns path "
                                "text";
    for (int64_t p = 0; p < n_parameters(); p++) {
        const char *kind = text_of("kind", p);
        const bool counted = strcmp(kind, "amount") == 0 || strcmp(kind, "share") == 0;
        const bool number = strstr("amount share scale number seed", kind) != NULL;
        assert_non_null(strstr(KINDS, kind));
        assert_true(counted == (*text_of("unit", p) != '\0'));
        assert_true(number == (strstr("real integer size time", text_of("type", p)) != NULL));
        if (strcmp(kind, "scale") == 0)
            assert_true(pt_report_number_at(parameters, "minimum", p, 0, 0) >= 0);
    }
}

/* ---- machines and learners ------------------------------------------------------------------- */

/* A machine, or the composed one with a learner. */
typedef struct subject {
    const char *registry;
    int64_t entry;
    const pt_report *table;
} subject;

static const char *name_of(const subject *s)
{
    return pt_report_text_at(s->table, "name", s->entry, 0, 0);
}

static int64_t find_param(const char *name)
{
    int64_t p = 0;
    while (strcmp(text_of("name", p), name) != 0)
        p++;
    return p;
}

static bool may_use(const subject *s, const char *name)
{
    return pt_report_integer_at(s->table, "uses", s->entry, find_param(name), 0);
}

/* Parameters that name the subject alone, or with what makes training quick. */
static pt_params *params_of(const subject *s, bool quick)
{
    const bool machine = strcmp(s->registry, "machines") == 0;
    pt_params *params = small_params(quick ? "threads=1,calibrate=no" : "threads=1");
    static const char *const QUICK[][2] = {
        {"sigma", "1"}, {"ridge", "1"}, {"hidden", "30"}, {"rounds", "5"}, {"design-folds", "2"}};
    pt_error err = PT_ERROR_INIT;
    if (!machine) /* sets would be for another one */
        small_must(pt_params_set(params, "machine", "code", &err), &err, "code");
    small_must(pt_params_set(params, machine ? "machine" : "learner", name_of(s), &err), &err,
               name_of(s));
    for (size_t q = 0; quick && q < sizeof QUICK / sizeof *QUICK; q++) {
        pt_report *known = NULL;
        small_must(pt_params_report(&known, params, &err), &err, "report");
        if (pt_report_integer_at(known, "uses", find_param(QUICK[q][0]), 0, 0))
            small_must(pt_params_set(params, QUICK[q][0], QUICK[q][1], &err), &err, QUICK[q][0]);
        pt_report_free(known);
    }
    return params;
}

static void for_each_subject(void (*check)(const subject *s))
{
    static const char *const REGISTRIES[] = {"machines", "learners"};
    for (int r = 0; r < 2; r++) {
        pt_report *table = NULL;
        assert_int_equal(pt_catalogue(&table, REGISTRIES[r], NULL), PT_OK);
        assert_int_equal(pt_report_find(table, "default")->length[1], n_parameters());
        for (int64_t i = 0; i < pt_report_length(table, "name"); i++) {
            const subject s = {REGISTRIES[r], i, table};
            check(&s);
        }
        pt_report_free(table);
    }
}

static pt_dataset *clouds(int64_t n)
{
    small s = small_clouds(n, 2, 3, 11);
    pt_dataset *data = small_dataset(&s);
    small_free(&s);
    return data;
}

static void expect_defaults(const subject *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(45);
    pt_params *params = params_of(s, false);
    pt_model *model = NULL;
    pt_report *known = NULL;
    pt_report *trained = NULL;
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, name_of(s));
    small_must(pt_params_report(&known, params, &err), &err, "parameters");
    small_must(pt_model_report(&trained, model, &err), &err, "model");
    for (int64_t p = 0; p < n_parameters(); p++) {
        const char *name = text_of("name", p);
        const char *stated = pt_report_text_at(s->table, "default", s->entry, p, 0);
        const char *is = pt_model_param(model, name);
        if (pt_params_is_set(params, name) || strcmp(name, "machine") == 0)
            continue;
        assert_string_equal(stated, pt_report_text_at(known, "default", p, 0, 0));
        if (strcmp(stated, "auto") != 0 && strcmp(stated, is) != 0)
            fail_msg("%s: %s is %s by default, not %s", name_of(s), name, is, stated);
        if (pt_report_integer_at(known, "uses", p, 0, 0) !=
            pt_report_integer_at(trained, "uses", p, 0, 0))
            fail_msg("%s: whether %s counts is not what was foreseen", name_of(s), name);
        if (pt_report_integer_at(known, "uses", p, 0, 0) &&
            strstr("machine kernel", text_of("group", p)) && strcmp(s->registry, "machines") == 0)
            assert_true(may_use(s, name));
    }
    pt_report_free(trained);
    pt_report_free(known);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(data);
}

static void test_catalogue__defaults_are_those_of_a_trained_model(void **state)
{
    (void)state;
    for_each_subject(expect_defaults);
}

/* Whether training takes one more setting; a machine may find no answer with it. */
static bool is_taken_by(pt_params *params, const char *name, const char *value,
                        const pt_dataset *data, pt_error *err)
{
    pt_model *model = NULL;
    pt_status status = pt_params_set(params, name, value, err);
    if (status == PT_OK)
        status = pt_model_train(&model, data, params, NULL, err);
    pt_model_free(model);
    pt_params_free(params);
    if (status == PT_ENOMEM)
        fail_msg("%s", err->text);
    return status != PT_EINVAL && status != PT_ENOSUPPORT;
}

/* What makes training quick may not go with it, and a bias not with all label vectors. */
static bool is_taken(const subject *s, const char *name, const char *value, const pt_dataset *data,
                     pt_error *err)
{
    pt_params *mincorr = params_of(s, true);
    pt_error other = PT_ERROR_INIT;
    if (may_use(s, "labelbook"))
        small_must(pt_params_set(mincorr, "labelbook", "mincorr", &other), &other, "labelbook");
    return is_taken_by(mincorr, name, value, data, &other) ||
           is_taken_by(params_of(s, false), name, value, data, &other) ||
           is_taken_by(params_of(s, true), name, value, data, err);
}

/* Of labels of other kinds, and of streams. */
static bool depends_on_data(const char *name)
{
    return strcmp(name, "pairs") == 0 || strcmp(name, "hash-bits") == 0;
}

/* What is linear by itself may be told so. */
static bool says_what_it_is(const char *name, const char *value)
{
    return strcmp(name, "kernel") == 0 && strcmp(value, "linear") == 0;
}

/* A value that says something: the default, or a number of the range. */
static const char *some_value(int64_t p, const char *standard, char room[40])
{
    if (is("name", p, "rbf-gamma") || strcmp(standard, "auto") == 0) {
        snprintf(room, 40, "%g", fmax(2, pt_report_number_at(parameters, "minimum", p, 0, 0)));
        return is("kind", p, "choice") ? standard : room;
    }
    return standard;
}

static void expect_uses(const subject *s)
{
    pt_error err = PT_ERROR_INIT;
    char room[40];
    pt_dataset *data = clouds(30);
    pt_params *params = params_of(s, true);
    pt_report *known = NULL;
    small_must(pt_params_report(&known, params, &err), &err, "parameters");
    for (int64_t p = 0; p < n_parameters(); p++) {
        const char *name = text_of("name", p);
        if (!strstr("machine kernel", text_of("group", p)) || pt_params_is_set(params, name) ||
            strcmp(name, "machine") == 0 || depends_on_data(name) || !test_in_share())
            continue;
        if (strcmp(name, "rbf-gamma") == 0 && pt_params_is_set(params, "sigma"))
            continue; /* the same as sigma */
        if (strcmp(name, "C") == 0 && pt_params_is_set(params, "ridge"))
            continue; /* the same as 1/ridge */
        const char *value = some_value(p, pt_report_text_at(known, "default", p, 0, 0), room);
        const bool uses = pt_report_integer_at(known, "uses", p, 0, 0);
        if (is_taken(s, name, value, data, &err) != uses && !says_what_it_is(name, value))
            fail_msg("%s %s %s=%s: %s", name_of(s), uses ? "refuses" : "takes", name, value,
                     uses ? err.text : "and says that it does not use it");
    }
    pt_report_free(known);
    pt_params_free(params);
    pt_dataset_free(data);
}

static void test_catalogue__what_is_used_is_what_training_takes(void **state)
{
    (void)state;
    for_each_subject(expect_uses);
}

/* Kernel values in place of rows: those of a linear kernel; of a joint one 0 between classes. */
static pt_dataset *kernel_values(bool joint)
{
    enum { N = 30, K = 3 };
    small s = small_clouds(N, 2, K, 11);
    small gram = {N, joint ? N * K : N, K, calloc((size_t)N * N * K, sizeof(double)), s.y, NULL};
    assert_non_null(gram.x);
    for (int i = 0; i < N; i++)
        for (int64_t c = 0; c < (joint ? K : 1); c++)
            for (int j = 0; j < N; j++)
                gram.x[i * gram.d + c * N + j] =
                    (!joint || s.y[j] == c) *
                    (s.x[2 * i] * s.x[2 * j] + (i == j) + s.x[2 * i + 1] * s.x[2 * j + 1]);
    pt_dataset *data = small_dataset(&gram);
    free(gram.x);
    small_free(&s);
    return data;
}

/* Labels of any kind, of the classes a, b, c. */
static pt_dataset *labelled(const char *kind)
{
    static const char *const CELLS[][3] = {
        {"a", "b", "c"}, {"a;b", "b", "a;c"}, {"a>b>c", "b>a>c", "c>a>b"}, {"a>b", "b>c", "c>a"}};
    const int at = *kind == 'c' ? 0 : *kind == 's' ? 1 : *kind == 'r' ? 2 : 3;
    const char *labels[30];
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(30);
    for (int i = 0; i < 30; i++)
        labels[i] = CELLS[at][i % 3];
    small_must(pt_dataset_set_label_cells(data, kind, labels, &err), &err, kind);
    return data;
}

static void expect_choice(const subject *s, int64_t p, const char *word, bool takes)
{
    pt_error err = PT_ERROR_INIT;
    const char *name = text_of("name", p);
    const bool kernel = strcmp(name, "kernel") == 0;
    pt_dataset *data = strcmp(name, "labels") == 0                  ? labelled(word)
                       : strcmp(word, "f1") == 0                    ? labelled("set")
                       : kernel && strcmp(word, "precomputed") == 0 ? kernel_values(false)
                       : kernel && strcmp(word, "joint") == 0       ? kernel_values(true)
                                                                    : clouds(30);
    if (is_taken(s, name, word, data, &err) != takes)
        fail_msg("%s %s %s=%s: %s", name_of(s), takes ? "refuses" : "takes", name, word,
                 takes ? err.text : "and says that it does not");
    pt_dataset_free(data);
}

static void expect_choices(const subject *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = params_of(s, true);
    pt_report *known = NULL;
    small_must(pt_params_report(&known, params, &err), &err, "parameters");
    const int64_t most = pt_report_find(parameters, "choices")->length[1];
    for (int64_t p = 0; p < n_parameters(); p++) {
        int64_t at = 0; /* in the report, where those that are not taken are left out */
        for (int64_t c = 0; c < most; c++) {
            const char *word = pt_report_text_at(parameters, "choices", p, c, 0);
            const bool takes = pt_report_integer_at(s->table, "takes", s->entry, p, c);
            const char *next = pt_report_text_at(known, "choices", p, at, 0);
            const bool counts = pt_report_integer_at(known, "uses", p, 0, 0) &&
                                !strstr("search read run synth decide", text_of("group", p));
            assert_true(word || !takes);
            if (takes)
                assert_string_equal(word, next);
            at += takes;
            if (word && (counts || is("name", p, "labels")) && !is("name", p, "machine") &&
                !depends_on_data(text_of("name", p)) &&
                !pt_params_is_set(params, text_of("name", p)) && test_in_share())
                expect_choice(s, p, word, takes);
        }
        assert_null(pt_report_text_at(known, "choices", p, at, 0));
    }
    pt_report_free(known);
    pt_params_free(params);
}

static void test_catalogue__choices_of_machines_are_what_training_takes(void **state)
{
    (void)state;
    for_each_subject(expect_choices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_catalogue__ranges_are_those_that_are_accepted),
        cmocka_unit_test(test_catalogue__choices_are_those_that_are_accepted),
        cmocka_unit_test(test_catalogue__kinds_and_units),
        cmocka_unit_test(test_catalogue__defaults_are_those_of_a_trained_model),
        cmocka_unit_test(test_catalogue__what_is_used_is_what_training_takes),
        cmocka_unit_test(test_catalogue__choices_of_machines_are_what_training_takes),
    };
    return cmocka_run_group_tests(tests, read_table, free_table);
}
