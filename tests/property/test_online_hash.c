/* Feature hashing of streams: the same as learning from rows that were hashed before. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "../support/reports.h"
#include "base/alloc.h"
#include "base/random.h"
#include "data/prepare/prepare.h"
#include "model/model.h"
#include "polytomy/polytomy.h"
#include "store/container.h"

static const char *const RAW = "test_online_hash_raw.svm";
static const char *const HASHED = "test_online_hash_hashed.svm";
static const char *const CHECKPOINT = "test_online_hash.state";

static void must(pt_status status, const pt_error *err)
{
    if (status != PT_OK)
        fail_msg("%s", err->text);
}

/* ---- the function ---- */

static void test_hash__is_xxh3_of_the_number(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, 0);
    for (int trial = 0; trial < 2000; trial++) {
        const pt_feature_hash hash = {1 + trial % PT_HASH_BITS, trial % 3 > 0};
        const int64_t feature = pt_random_below(&random, (int64_t)1 << (1 + trial % 40));
        unsigned char bytes[8];
        for (int b = 0; b < 8; b++)
            bytes[b] = (unsigned char)(feature >> (8 * b) & 255);
        const uint64_t h = XXH3_64bits(bytes, 8);
        const pt_sparse_cell cell = pt_feature_hash_cell(&hash, feature, 2.5);
        assert_int_equal(cell.input, (int64_t)(h % ((uint64_t)1 << hash.bits)));
        assert_true(cell.x == (hash.signs && (h >> 63 & 1) ? -2.5 : 2.5));
    }
}

/* 2^16 neighbouring features into 2^8 places: 256 each, sd 16, and half of them with a minus. */
static void test_hash__spreads_neighbours_evenly(void **state)
{
    (void)state;
    const pt_feature_hash hash = {8, true};
    int count[256] = {0};
    int minus = 0;
    for (int64_t j = 0; j < 1 << 16; j++) {
        const pt_sparse_cell cell = pt_feature_hash_cell(&hash, j, 1);
        count[cell.input]++;
        minus += cell.x < 0;
    }
    for (int s = 0; s < 256; s++)
        assert_in_range(count[s], 256 - 96, 256 + 96);
    assert_in_range(minus, (1 << 15) - 768, (1 << 15) + 768); /* sd 128 */
}

static void test_merge__is_the_sum_by_input(void **state)
{
    (void)state;
    enum { PLACES = 20 };
    pt_random random;
    pt_random_init(&random, 2, PT_RANDOM_TEST, 0);
    for (int trial = 0; trial < 500; trial++) {
        pt_sparse_cell cells[60];
        const int64_t n = pt_random_below(&random, 61);
        double sum[PLACES] = {0};
        for (int64_t c = 0; c < n; c++) { /* small whole numbers: sums are exact, and often 0 */
            cells[c] = (pt_sparse_cell){pt_random_below(&random, PLACES),
                                        (double)(pt_random_below(&random, 5) - 2)};
            sum[cells[c].input] += cells[c].x;
        }
        const int64_t kept = pt_cells_merge(cells, n);
        int64_t at = 0;
        for (int s = 0; s < PLACES; s++) {
            if (sum[s] == 0)
                continue;
            assert_true(at < kept && cells[at].input == s && cells[at].x == sum[s]);
            at++;
        }
        assert_int_equal(at, kept);
    }
}

/* ---- streams ---- */

/* The same random rows twice: with features of up to 2^40, and hashed by hand into a table. The
 * last column stands in the first row of the second, so that its width is known. */
static void write_rows(int bits, bool signs, bool sets, uint64_t seed)
{
    enum { ROWS = 300, FEATURES = 90, CELLS = 12 };
    const int64_t places = (int64_t)1 << bits;
    FILE *raw = fopen(RAW, "w");
    FILE *hashed = fopen(HASHED, "w");
    double *sum = calloc((size_t)places, sizeof *sum);
    assert_true(raw && hashed && sum);
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int i = 0; i < ROWS; i++) {
        memset(sum, 0, (size_t)places * sizeof *sum);
        const int label = (int)pt_random_below(&random, 3);
        for (int f = 0; f < 2; f++)
            fprintf(f ? raw : hashed, sets ? "%d,%d" : "%d", label, 3 + label % 2);
        int64_t feature = 0;
        for (int c = 0; c < CELLS; c++) { /* few near the class, then any */
            feature += 1 + pt_random_below(&random, FEATURES / CELLS) + (c == 0 ? 7 * label : 0);
            const int64_t index = c < CELLS - 1 ? feature : ((int64_t)1 << 39) + label;
            const double x = (double)(1 + pt_random_below(&random, 8)) / 4;
            const uint64_t key = (uint64_t)(index - 1);
            unsigned char bytes[8];
            for (int b = 0; b < 8; b++)
                bytes[b] = (unsigned char)(key >> (8 * b) & 255);
            const uint64_t h = XXH3_64bits(bytes, 8);
            sum[h % (uint64_t)places] += signs && h >> 63 ? -x : x;
            fprintf(raw, " %lld:%g", (long long)index, x);
        }
        for (int64_t s = 0; s < places; s++)
            if (sum[s] != 0 || (i == 0 && s == places - 1))
                fprintf(hashed, " %lld:%.17g", (long long)s + 1, sum[s]);
        fputs("\n", raw);
        fputs("\n", hashed);
    }
    free(sum);
    fclose(hashed);
    fclose(raw);
}

static pt_model *learn(const char *path, const char *options, int64_t *errors)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_online *online = NULL;
    pt_model *model = NULL;
    must(pt_params_new(&params, &err), &err);
    must(pt_params_parse(params, options, &err), &err);
    must(pt_online_new(&online, params, &err), &err);
    must(pt_online_read(online, path, NULL, NULL, NULL, &err), &err);
    must(pt_online_model(&model, online, &err), &err);
    *errors = online_number(online, "n_errors");
    pt_online_free(online);
    pt_params_free(params);
    return model;
}

static pt_prediction *predict(const pt_model *model, const char *path)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_prediction *prediction = NULL;
    must(pt_model_read(&data, model, path, NULL, NULL, &err), &err);
    must(pt_model_predict(&prediction, model, data, -1, NULL, &err), &err);
    pt_dataset_free(data);
    return prediction;
}

/* Saved and loaded, so that the file is what hashes. */
static pt_model *through_a_file(pt_model *model)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *back = NULL;
    must(pt_model_save(model, CHECKPOINT, &err), &err);
    pt_model_free(model);
    must(pt_model_load(&back, CHECKPOINT, NULL, &err), &err);
    remove(CHECKPOINT);
    return back;
}

static void check_stream(const char *update, int bits, bool sets)
{
    char options[160];
    char hashing[192];
    int64_t errors = 0;
    int64_t errors_by_hand = 0;
    snprintf(options, sizeof options, "update=%s,precision=double,labels=%s", update,
             sets ? "set" : "class");
    snprintf(hashing, sizeof hashing, "%s,hash-bits=%d", options, bits);
    write_rows(bits, strcmp(update, "winnow") != 0, sets, (uint64_t)bits);
    pt_model *model = through_a_file(learn(RAW, hashing, &errors));
    pt_model *by_hand = learn(HASHED, options, &errors_by_hand);
    assert_int_equal(errors, errors_by_hand);
    pt_prediction *a = predict(model, RAW);
    pt_prediction *b = predict(by_hand, HASHED);
    assert_int_equal(pt_prediction_n_examples(a), 300);
    assert_int_equal(pt_prediction_n_warnings(a), 0);
    const int64_t k = pt_model_n_classes(model);
    assert_int_equal(k, sets ? 5 : 3);
    assert_memory_equal(pt_prediction_scores(a), pt_prediction_scores(b),
                        (size_t)(300 * k) * sizeof(double));
    pt_prediction_free(b);
    pt_prediction_free(a);
    pt_model_free(by_hand);
    pt_model_free(model);
    remove(RAW);
    remove(HASHED);
}

static void test_stream__is_that_of_hashed_rows(void **state)
{
    (void)state;
    static const char *const UPDATES[] = {"perceptron", "averaged", "pa", "winnow",
                                          "balanced-winnow"};
    for (int u = 0; u < 5; u++) {
        check_stream(UPDATES[u], 1, false);
        check_stream(UPDATES[u], 4, false); /* many meet */
        check_stream(UPDATES[u], 12, false);
        check_stream(UPDATES[u], 5, true);
    }
}

/* ---- checkpoints of strangers ---- */

enum { BITS_AT = 4, FEATURES_AT = 12 }; /* in o.counts */

/* Loads the checkpoint with a number of o.counts, and rows of o.V and o.aux, replaced. */
static pt_status load_changed(const pt_params *params, int at, int64_t number, int64_t rows)
{
    pt_error err = PT_ERROR_INIT;
    pt_container *file = NULL;
    pt_online *online = NULL;
    must(pt_container_open(&file, CHECKPOINT, &err), &err);
    pt_section sections[8];
    int64_t counts[64];
    const int64_t n = pt_container_count(file);
    for (int64_t s = 0; s < n; s++) {
        sections[s] = *pt_container_section(file, s);
        if (strcmp(sections[s].tag, "o.counts") == 0) {
            memcpy(counts, sections[s].value, sections[s].bytes);
            if (at >= 0)
                counts[at] = number;
            sections[s].value = counts;
        } else if (rows > 0 && sections[s].columns > 1 &&
                   strcmp(sections[s].tag, "o.standard") != 0) {
            sections[s].rows = rows;
            sections[s].bytes = (size_t)(rows * sections[s].columns) * sizeof(double);
        }
    }
    const char *changed = "test_online_hash_changed.state";
    must(pt_container_write(changed, sections, n, &err), &err);
    pt_container_close(file);
    const pt_status status = pt_online_load(&online, changed, params, &err);
    pt_online_free(online);
    remove(changed);
    return status;
}

static void test_checkpoint__other_widths_are_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_online *online = NULL;
    write_rows(6, true, false, 3);
    must(pt_params_new(&params, &err), &err);
    must(pt_params_parse(params, "hash-bits=6", &err), &err);
    must(pt_online_new(&online, params, &err), &err);
    must(pt_online_read(online, RAW, NULL, NULL, NULL, &err), &err);
    must(pt_online_save(online, CHECKPOINT, &err), &err);
    pt_online_free(online);
    const int64_t before = pt_alloc_live();
    assert_int_equal(load_changed(params, -1, 0, 0), PT_OK);
    assert_int_equal(load_changed(params, FEATURES_AT, 64, 65), PT_OK); /* as it was */
    assert_int_equal(load_changed(params, FEATURES_AT, 10, 11), PT_EFORMAT);
    assert_int_equal(load_changed(params, FEATURES_AT, 0, 1), PT_EFORMAT);
    assert_int_equal(load_changed(params, FEATURES_AT, 63, 64), PT_EFORMAT);
    assert_int_equal(load_changed(params, FEATURES_AT, 64, 11), PT_EFORMAT);
    assert_int_equal(load_changed(params, BITS_AT, 7, 0), PT_EINVAL);
    assert_int_equal(load_changed(params, BITS_AT, 0, 0), PT_EINVAL);
    assert_int_equal(pt_alloc_live(), before);
    pt_params_free(params);
    remove(CHECKPOINT);
    remove(RAW);
    remove(HASHED);
}

/* The first half, a checkpoint, and the rest by another object: as if nothing had happened. */
static void test_checkpoint__goes_on_with_hashed_features(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_online *first = NULL;
    pt_online *second = NULL;
    pt_model *model = NULL;
    int64_t errors = 0;
    const char *options = "hash-bits=5,precision=double";
    write_rows(5, true, false, 4);
    pt_model *whole = learn(RAW, options, &errors);
    FILE *from = fopen(RAW, "r");
    FILE *to = fopen(HASHED, "w");
    assert_true(from && to);
    for (int lines = 0; lines < 150;) {
        const int c = fgetc(from);
        fputc(c, to);
        lines += c == '\n';
    }
    fclose(to);
    fclose(from);
    must(pt_params_new(&params, &err), &err);
    must(pt_params_parse(params, options, &err), &err);
    must(pt_online_new(&first, params, &err), &err);
    must(pt_online_read(first, HASHED, NULL, NULL, NULL, &err), &err);
    must(pt_online_save(first, CHECKPOINT, &err), &err);
    must(pt_online_load(&second, CHECKPOINT, params, &err), &err);
    must(pt_online_read(second, RAW, NULL, NULL, NULL, &err), &err);
    assert_int_equal(online_number(second, "n_examples"), 300);
    assert_int_equal(online_number(second, "n_errors"), errors);
    must(pt_online_model(&model, second, &err), &err);
    pt_prediction *a = predict(model, RAW);
    pt_prediction *b = predict(whole, RAW);
    assert_memory_equal(pt_prediction_scores(a), pt_prediction_scores(b),
                        (size_t)(300 * 3) * sizeof(double));
    pt_prediction_free(b);
    pt_prediction_free(a);
    pt_model_free(model);
    pt_model_free(whole);
    pt_online_free(second);
    pt_online_free(first);
    pt_params_free(params);
    remove(CHECKPOINT);
    remove(RAW);
    remove(HASHED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash__is_xxh3_of_the_number),
        cmocka_unit_test(test_hash__spreads_neighbours_evenly),
        cmocka_unit_test(test_merge__is_the_sum_by_input),
        cmocka_unit_test(test_stream__is_that_of_hashed_rows),
        cmocka_unit_test(test_checkpoint__other_widths_are_refused),
        cmocka_unit_test(test_checkpoint__goes_on_with_hashed_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
