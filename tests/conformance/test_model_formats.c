/* What every model format of the registry must do, over every machine and learner: a model is
 * written or refused with a text; what is written is read back, where the format is read, and
 * decides as before; files that are cut are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/share.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "exchange/model_format.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "params/params_table.h"

static char path[] = "/tmp/polytomy_model_formats_XXXXXX";

/* One that all of today's formats know; another format may ask for others. */
static const char *const KNOWN[] = {
    "machine=code,code=ovo,learner=svm,kernel=rbf,sigma=1,decode=vote,scale=none",
    "machine=code,code=ovo,learner=svm,kernel=linear,decode=vote,scale=range",
};

static pt_dataset *clouds(void)
{
    small s = small_clouds(40, 3, 3, 5);
    pt_dataset *data = small_dataset(&s);
    small_free(&s);
    return data;
}

static pt_status export(const pt_model *model, const pt_model_format *format,
                        const pt_dataset *data, pt_error *err)
{
    *err = (pt_error)PT_ERROR_INIT;
    return pt_model_export(model, path, format->name, data, NULL, err);
}

static void test_model_formats__have_a_way(void **state)
{
    (void)state;
    for (const pt_model_format *const *f = pt_model_formats; *f; f++) {
        assert_true(strlen((*f)->summary) > 10);
        assert_true((*f)->write || (*f)->read);
        for (const pt_model_format *const *other = pt_model_formats; other < f; other++)
            assert_string_not_equal((*f)->name, (*other)->name);
    }
}

/* A way that is not there is refused with the ones that are. */
static void test_model_formats__say_which_way_is_closed(void **state)
{
    (void)state;
    pt_dataset *data = clouds();
    pt_model *model = small_train(data, KNOWN[0], 1);
    for (const pt_model_format *const *f = pt_model_formats; *f; f++) {
        pt_error err = PT_ERROR_INIT;
        pt_model *back = NULL;
        if (!(*f)->write) {
            assert_int_equal(export(model, *f, data, &err), PT_EINVAL);
            assert_non_null(strstr(err.text, (*f)->name));
        }
        if (!(*f)->read) {
            assert_int_equal(pt_model_import(&back, path, (*f)->name, -1, NULL, &err), PT_EINVAL);
            assert_non_null(strstr(err.text, (*f)->name));
            assert_null(back);
        }
    }
    pt_model_free(model);
    pt_dataset_free(data);
}

static void expect_same_decisions(const pt_model *a, const pt_model *b, const pt_dataset *data,
                                  const char *what)
{
    pt_prediction *p = small_predict(a, data, 1);
    pt_prediction *q = small_predict(b, data, 1);
    for (int64_t i = 0; i < pt_prediction_n_examples(p); i++)
        if (strcmp(pt_model_class_name(a, pt_prediction_labels(p)[i]),
                   pt_model_class_name(b, pt_prediction_labels(q)[i])) != 0)
            fail_msg("%s: row %lld is decided otherwise", what, (long long)i);
    pt_prediction_free(p);
    pt_prediction_free(q);
}

static void test_model_formats__give_back_what_was_written(void **state)
{
    (void)state;
    pt_dataset *data = clouds();
    pt_model *model = small_train(data, KNOWN[0], 1);
    for (const pt_model_format *const *f = pt_model_formats; *f; f++) {
        pt_error err = PT_ERROR_INIT;
        pt_model *back = NULL;
        if (!(*f)->write || !(*f)->read)
            continue;
        small_must(export(model, *f, data, &err), &err, (*f)->name);
        small_must(pt_model_import(&back, path, (*f)->name, 3, NULL, &err), &err, (*f)->name);
        expect_same_decisions(model, back, data, (*f)->name);
        pt_model_free(back);
        back = NULL;
        if ((*f)->detect) { /* and where nobody says what it is */
            small_must(pt_model_import(&back, path, NULL, 3, NULL, &err), &err, (*f)->name);
            expect_same_decisions(model, back, data, (*f)->name);
            pt_model_free(back);
        }
    }
    pt_model_free(model);
    pt_dataset_free(data);
}

/* Written, or a text that says why not; nothing leaks, and no half file is left. */
static void expect_answer(const char *options, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    if (small_try_train(&model, data, options, 1, &err) != PT_OK)
        return; /* of this data, with these options: not our question */
    for (const pt_model_format *const *f = pt_model_formats; *f; f++) {
        if (!(*f)->write)
            continue;
        unlink(path);
        const pt_status status = export(model, *f, data, &err);
        if ((status == PT_OK) != (access(path, F_OK) == 0))
            fail_msg("%s as %s: %s", options, (*f)->name, err.text);
        assert_true(status == PT_OK || (err.code == status && strlen(err.text) > 10));
    }
    pt_model_free(model);
}

static void test_model_formats__answer_for_every_machine_and_learner(void **state)
{
    (void)state;
    pt_dataset *data = clouds();
    const int64_t live = pt_alloc_live();
    char options[200];
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        const bool rounds = pt_word_listed((*ops)->parameters, ',', "rounds", 6) &&
                            !pt_word_listed((*ops)->parameters, ',', "learner", 7);
        snprintf(options, sizeof options, "machine=%s,calibrate=no%s", (*ops)->name,
                 rounds ? ",rounds=3" : "");
        expect_answer(options, data);
    }
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++) {
        snprintf(options, sizeof options, "code=ovo,calibrate=no,learner=%s", (*learner)->name);
        expect_answer(options, data);
    }
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        expect_answer(KNOWN[i], data);
    assert_int_equal(pt_alloc_live(), live);
    pt_dataset_free(data);
}

/* No file of another program ends anywhere else than at its end. */
static void test_model_formats__cut_files_are_answered(void **state)
{
    (void)state;
    pt_dataset *data = clouds();
    pt_model *model = small_train(data, KNOWN[0], 1);
    const int64_t live = pt_alloc_live();
    for (const pt_model_format *const *f = pt_model_formats; *f; f++) {
        static char bytes[1 << 18];
        pt_error err = PT_ERROR_INIT;
        if (!(*f)->write || !(*f)->read)
            continue;
        small_must(export(model, *f, data, &err), &err, (*f)->name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        assert_true(size < sizeof bytes);
        fclose(file);
        for (size_t length = 0; length < size; length++) {
            if (!test_in_share())
                continue;
            char *copy = malloc(length ? length : 1);
            memcpy(copy, bytes, length);
            pt_model *back = NULL;
            err = (pt_error)PT_ERROR_INIT;
            const pt_status status = (*f)->read(&back, copy, length, "m", -1, NULL, &err);
            assert_true(status == PT_OK || (!back && err.code == status && strlen(err.text) > 10));
            pt_model_free(back);
            free(copy);
        }
    }
    assert_int_equal(pt_alloc_live(), live);
    pt_model_free(model);
    pt_dataset_free(data);
}

static int make_file(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_formats__have_a_way),
        cmocka_unit_test(test_model_formats__say_which_way_is_closed),
        cmocka_unit_test(test_model_formats__give_back_what_was_written),
        cmocka_unit_test(test_model_formats__answer_for_every_machine_and_learner),
        cmocka_unit_test(test_model_formats__cut_files_are_answered),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
