/* Models of every machine, learner and kernel of the registries whose numbers lie, under checksums
 * that are right: cells of arrays, whole arrays and numbers of the texts become NaN, infinite, as
 * large as a number can be, negative, zero. Such a file is refused with a text, or it loads; then
 * predictions of ordinary rows are finite, probabilities included, or the answer is PT_ENUMERIC.
 * Whichever it is comes soon. test_model_hostile.c has files that are cut, and JSON of other kinds.
 */
/* labels: heavy */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "../support/share.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "kernels/kernel.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "params/params_table.h"
#include "store/container.h"

static const char CSV[] = "height,colour,width,class\n"
                          "1.5,red,2,a\n2.5,blue,,b\n1.25,red,3,a\n2.75,green,1,b\n"
                          "1,red,2.5,a\n3,blue,1.5,b\n0.5,?,2,c\n0.25,green,1,c\n";

enum { MOST_SECTIONS = 32, CELLS = 60, PAIRS = 60 };
/* Processor time of one trial, thousands of times what it takes. */
static const double MOST_SECONDS = 5;

/* ---- a model and its parts ------------------------------------------------------------------ */

typedef struct sample {
    char options[200];
    pt_dataset *data;
    void *file; /* its bytes, of which the sections are borrowed */
    pt_container *container;
    pt_section sections[MOST_SECTIONS];
    int64_t count;
} sample;

static void *file_bytes(const pt_model *model, size_t *size)
{
    char path[] = "/tmp/polytomy_hostile_XXXXXX";
    pt_error err = PT_ERROR_INIT;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    small_must(pt_model_save(model, path, &err), &err, "save");
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    void *bytes = aligned_alloc(64, 1 << 20);
    *size = fread(bytes, 1, 1 << 20, stream);
    assert_true(*size < 1 << 20);
    fclose(stream);
    unlink(path);
    return bytes;
}

/* docs/model-file.md, as one text. */
static char *document(void)
{
    FILE *stream = fopen(PT_SOURCE_DIR "/docs/model-file.md", "r");
    assert_non_null(stream);
    char *text = calloc(1 << 20, 1);
    assert_true(fread(text, 1, (1 << 20) - 1, stream) > 1000);
    fclose(stream);
    return text;
}

/* Every section of every machine is named in the document. */
static void expect_documented(const sample *s)
{
    char *text = document();
    for (int64_t i = 0; i < s->count; i++) {
        char quoted[24];
        snprintf(quoted, sizeof quoted, "`%s`", s->sections[i].tag);
        if (!strstr(text, quoted))
            fail_msg("%s: docs/model-file.md does not name %s", s->options, quoted);
    }
    free(text);
}

static void sample_make(sample *s, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    size_t size = 0;
    memset(s, 0, sizeof *s);
    snprintf(s->options, sizeof s->options, "%s", options);
    pt_params *params = small_params(options);
    small_must(pt_dataset_read_memory(&s->data, CSV, sizeof CSV - 1, "x.csv", params, NULL, &err),
               &err, options);
    pt_model *model = small_train(s->data, options, 1);
    s->file = file_bytes(model, &size);
    assert_int_equal(pt_container_open_memory(&s->container, s->file, size, "m", NULL), PT_OK);
    s->count = pt_container_count(s->container);
    assert_true(s->count > 2 && s->count <= MOST_SECTIONS);
    for (int64_t i = 0; i < s->count; i++)
        s->sections[i] = *pt_container_section(s->container, i);
    expect_documented(s);
    pt_model_free(model);
    pt_params_free(params);
}

static void sample_free(sample *s)
{
    pt_container_close(s->container);
    pt_dataset_free(s->data);
    free(s->file);
}

/* ---- what must hold ------------------------------------------------------------------------- */

static void expect_finite(const double *value, int64_t count, const sample *s, const char *what)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
            fail_msg("%s: %s: %g", s->options, what, value[i]);
}

static void expect_sound(const pt_model *model, const sample *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *p = NULL;
    const pt_status status = pt_model_predict(&p, model, s->data, -1, NULL, &err);
    if (status != PT_OK) {
        /* sizes that no memory has, columns that are others: told as such */
        assert_true(status == err.code && strlen(err.text) > 10);
        return;
    }
    const int64_t cells = pt_prediction_n_examples(p) * pt_model_n_classes(model);
    assert_true(cells > 0 && cells < 1 << 20);
    expect_finite(pt_prediction_scores(p), cells, s, "a score");
    double *proba = calloc((size_t)cells, sizeof *proba);
    if (pt_prediction_proba(p, proba, &err) == PT_OK)
        expect_finite(proba, cells, s, "a probability");
    free(proba);
    pt_prediction_free(p);
}

/* Whether it loaded. */
static bool trial(const sample *s, const pt_section *sections)
{
    const clock_t begin = clock();
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(pt_container_pack(&bytes, &size, sections, s->count, NULL), PT_OK);
    const pt_status status = pt_model_load_memory(&model, bytes, size, NULL, &err);
    pt_free(bytes);
    if (status == PT_OK)
        expect_sound(model, s);
    else
        assert_true(status == err.code && strlen(err.text) > 10);
    pt_model_free(model);
    if ((double)(clock() - begin) / CLOCKS_PER_SEC > MOST_SECONDS)
        fail_msg("%s: a trial takes more than %g s", s->options, MOST_SECONDS);
    return status == PT_OK;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static const double REALS[] = {NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 1e300, -1e200,
                               -1,  0,        1e-320,    FLT_MAX, -FLT_MAX, 1e150, -1e19};
static const int64_t INTEGERS[] = {-1,        0,         1,         2,         7,           1 << 20,
                                   INT32_MAX, INT64_MAX, INT64_MIN, 1LL << 53, -(1LL << 40)};

enum { N_REALS = sizeof REALS / sizeof *REALS, N_INTEGERS = sizeof INTEGERS / sizeof *INTEGERS };

static int64_t cells_of(const pt_section *section)
{
    return section->kind == PT_SECTION_BYTES ? 0 : section->rows * section->columns;
}

static void put_cell(void *value, pt_section_kind kind, int64_t at, int64_t which)
{
    if (kind == PT_SECTION_I64)
        ((int64_t *)value)[at] = INTEGERS[which % N_INTEGERS];
    else if (kind == PT_SECTION_F64)
        ((double *)value)[at] = REALS[which % N_REALS];
    else
        ((float *)value)[at] = (float)REALS[which % N_REALS];
}

static void *copy_of(const pt_section *section)
{
    void *copy = aligned_alloc(64, (section->bytes + 127) / 64 * 64);
    memcpy(copy, section->value, section->bytes);
    return copy;
}

/* One cell: every value at the first places and at random ones. */
static void lie_in_cells(const sample *s, int64_t chosen, pt_random *random)
{
    pt_section sections[MOST_SECTIONS];
    memcpy(sections, s->sections, sizeof sections);
    pt_section *section = &sections[chosen];
    const int64_t cells = cells_of(section);
    for (int64_t t = 0; t < CELLS && cells > 0; t++) {
        if (!test_in_share())
            continue;
        void *copy = copy_of(section);
        const int64_t at = t < 3 * N_REALS ? t / N_REALS : pt_random_below(random, cells);
        put_cell(copy, section->kind, at < cells ? at : cells - 1, t);
        section->value = copy;
        trial(s, sections);
        *section = s->sections[chosen];
        free(copy);
    }
}

/* A whole array: all of one value, and of both signs in turn, which makes inf - inf. */
static void lie_in_arrays(const sample *s, int64_t chosen)
{
    pt_section sections[MOST_SECTIONS];
    memcpy(sections, s->sections, sizeof sections);
    pt_section *section = &sections[chosen];
    const int64_t cells = cells_of(section);
    for (int64_t which = 0; which < N_REALS && cells > 0; which++)
        for (int64_t step = 0; step < 2; step++) {
            if (!test_in_share())
                continue;
            void *copy = copy_of(section);
            for (int64_t at = 0; at < cells; at++)
                put_cell(copy, section->kind, at, which + step * (at % 2));
            section->value = copy;
            trial(s, sections);
            *section = s->sections[chosen];
            free(copy);
        }
}

/* Cells of several arrays at once. */
static void lie_together(const sample *s, pt_random *random)
{
    for (int t = 0; t < PAIRS; t++) {
        if (!test_in_share())
            continue;
        pt_section sections[MOST_SECTIONS];
        memcpy(sections, s->sections, sizeof sections);
        for (int64_t i = 0; i < s->count; i++) {
            sections[i].value = copy_of(&sections[i]);
            const int64_t cells = cells_of(&sections[i]);
            if (sections[i].kind != PT_SECTION_I64 && cells > 0)
                for (int c = 0; c < 4; c++)
                    put_cell((void *)sections[i].value, sections[i].kind,
                             pt_random_below(random, cells), 3 + pt_random_below(random, 4));
        }
        trial(s, sections);
        for (int64_t i = 0; i < s->count; i++)
            free((void *)sections[i].value);
    }
}

/* ---- texts ---------------------------------------------------------------------------------- */

static const char *const NUMBERS[] = {"1e308",
                                      "-1e308",
                                      "-1",
                                      "0",
                                      "1e-320",
                                      "1e19",
                                      "7",
                                      "9223372036854775807",
                                      "-9223372036854775808"};
static const char *const WORDS[] = {"\"nan\"",    "\"inf\"",    "\"1e308\"",
                                    "\"-1e308\"", "\"-1\"",     "\"0\"",
                                    "\"1e-320\"", "\"2^1023\"", "\"9223372036854775807\""};
enum { N_NUMBERS = sizeof NUMBERS / sizeof *NUMBERS, N_WORDS = sizeof WORDS / sizeof *WORDS };

static void trial_text(const sample *s, int64_t which, const json_t *root)
{
    pt_section sections[MOST_SECTIONS];
    memcpy(sections, s->sections, sizeof sections);
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    assert_non_null(text);
    sections[which].value = text;
    sections[which].bytes = strlen(text);
    sections[which].rows = (int64_t)strlen(text);
    trial(s, sections);
    free(text);
}

static bool is_number_text(const char *text)
{
    char *end = NULL;
    (void)strtod(text, &end);
    return *text && !*end;
}

/* Where a value stands: under a key of an object, or at an index of an array (key NULL). */
typedef struct place {
    json_t *parent;
    const char *key;
    size_t index;
} place;

static void put_value(const place *at, json_t *value)
{
    if (at->key)
        json_object_set_new(at->parent, at->key, value);
    else
        json_array_set_new(at->parent, at->index, value);
}

static void lie_at(const sample *s, int64_t which, const json_t *root, const place *at,
                   json_t *value)
{
    const char *text = json_string_value(value);
    const bool number = json_is_number(value);
    const char *const *lies = number ? NUMBERS : WORDS;
    const int count = number ? N_NUMBERS : text && is_number_text(text) ? N_WORDS : 0;
    json_incref(value);
    for (int v = 0; v < count; v++) {
        if (!test_in_share())
            continue;
        put_value(at, json_loads(lies[v], JSON_DECODE_ANY, NULL));
        trial_text(s, which, root);
    }
    put_value(at, value);
}

/* Every number below `node`, and every text that is one, in the whole that is `root`. */
static void lie_in_json(const sample *s, int64_t which, const json_t *root, json_t *node)
{
    const char *key = NULL;
    json_t *child = NULL;
    void *next = NULL;
    if (json_is_object(node))
        json_object_foreach_safe(node, next, key, child)
        {
            lie_at(s, which, root, &(place){node, key, 0}, child);
            lie_in_json(s, which, root, child);
        }
    for (size_t i = 0; json_is_array(node) && i < json_array_size(node) && i < 8; i++) {
        lie_at(s, which, root, &(place){node, NULL, i}, json_array_get(node, i));
        lie_in_json(s, which, root, json_array_get(node, i));
    }
}

static void lie_in_text(const sample *s, int64_t which)
{
    const pt_section *section = &s->sections[which];
    json_t *root = json_loadb(section->value, section->bytes, 0, NULL);
    assert_non_null(root);
    lie_in_json(s, which, root, root);
    json_decref(root);
}

/* A class that no row of training had, which comes after all others, and arrays that lie. */
static void lie_about_absence(const sample *s, int64_t which)
{
    const pt_section *section = &s->sections[which];
    json_t *root = json_loadb(section->value, section->bytes, 0, NULL);
    json_t *rows = json_object_get(root, "class_rows");
    if (rows) {
        json_array_set_new(rows, 0, json_integer(0));
        sample absent = *s;
        char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
        assert_non_null(text);
        absent.sections[which].value = text;
        absent.sections[which].bytes = strlen(text);
        absent.sections[which].rows = (int64_t)strlen(text);
        for (int64_t i = 0; i < s->count; i++)
            lie_in_arrays(&absent, i);
        free(text);
    }
    json_decref(root);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void expect_hostile_held(const char *options)
{
    sample s;
    pt_random random;
    sample_make(&s, options);
    pt_random_init(&random, 1, PT_RANDOM_TEST, 0);
    assert_true(trial(&s, s.sections)); /* as it was saved */
    for (int64_t i = 0; i < s.count; i++) {
        if (strcmp(s.sections[i].tag, "metadata") == 0) {
            lie_in_text(&s, i);
            lie_about_absence(&s, i);
        }
        lie_in_cells(&s, i, &random);
        lie_in_arrays(&s, i);
    }
    lie_together(&s, &random);
    sample_free(&s);
}

/* ",NAME=VALUE" where the list of parameters has it. */
static const char *if_used(const char *used, const char *name, const char *text)
{
    return pt_word_listed(used, ',', name, strlen(name)) ? text : "";
}

static void test_hostile__every_machine(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        const char *used = (*ops)->parameters;
        const bool composed = *if_used(used, "learner", "learner") != '\0';
        char options[200];
        snprintf(options, sizeof options, "machine=%s%s%s%s%s%s", (*ops)->name,
                 if_used(used, "design-form", ",design-folds=2,design-C=1"),
                 if_used(used, "kernel", ",kernel=rbf,sigma=1"),
                 composed ? "" : if_used(used, "ridge", ",ridge=0.1"),
                 composed ? "" : if_used(used, "rounds", ",rounds=3"),
                 if_used(used, "hidden", ",hidden=6"));
        expect_hostile_held(options);
    }
}

static void test_hostile__every_learner(void **state)
{
    (void)state;
    static const char *const codes[] = {"ova", "ovo"};
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int c = 0; c < 2; c++) {
            const char *used = (*learner)->parameters;
            char options[200];
            snprintf(options, sizeof options, "code=%s,learner=%s%s%s%s", codes[c],
                     (*learner)->name, if_used(used, "kernel", ",kernel=rbf,sigma=1"),
                     if_used(used, "ridge", ",ridge=0.1"), if_used(used, "rounds", ",rounds=3"));
            expect_hostile_held(options);
        }
}

static void test_hostile__every_kernel(void **state)
{
    (void)state;
    for (const pt_kernel_ops *const *kernel = pt_kernels; *kernel; kernel++) {
        char options[200];
        if (strcmp((*kernel)->name, "precomputed") == 0 || strcmp((*kernel)->name, "joint") == 0)
            continue; /* rows that are no data set */
        snprintf(options, sizeof options, "kernel=%s,ridge=1", (*kernel)->name);
        expect_hostile_held(options);
        snprintf(options, sizeof options, "kernel=%s,ridge=1,precision=double,scale=standard",
                 (*kernel)->name);
        expect_hostile_held(options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile__every_machine),
        cmocka_unit_test(test_hostile__every_learner),
        cmocka_unit_test(test_hostile__every_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
