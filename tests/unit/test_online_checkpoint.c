/* Checkpoints of streams: going on from one ends with the bytes of a run that was not interrupted;
 * a file that is cut, changed, of something else or of other parameters is refused, or does no
 * harm. Checksums are mended, so that it is the checks that must hold. */
/* labels: heavy */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/mend.h"
#include "../support/share.h"
#include "base/random.h"
#include "polytomy/polytomy.h"

enum { ROWS = 60 };
static const char STATE[] = "online_checkpoint.state";
static const char MODEL[] = "online_checkpoint.model";

static const struct {
    const char *data; /* file name */
    const char *options;
} KINDS[] = {{"online_checkpoint.svm", "update=averaged"},
             {"online_checkpoint.svm", "update=perceptron,hash-bits=3"},
             {"online_checkpoint.csv", "update=pa,label=class"},
             {"online_checkpoint.csv", "update=balanced-winnow,labels=ranking,label=order"},
             {"online_checkpoint.csv", "update=averaged,labels=set,label=set"}};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

/* The first rows of a stream. */
static void write_rows(int kind, int rows)
{
    static const char *const ORDERS[] = {"a>b>c", "c>a=b", "b>a", "a=c>b"};
    static const char *const SETS[] = {"a;b", "c", "", "b;c"};
    const bool table = strstr(KINDS[kind].data, ".csv") != NULL;
    FILE *file = fopen(KINDS[kind].data, "w");
    assert_non_null(file);
    if (table)
        fprintf(file, "x,y,class,order,set\n");
    pt_random random;
    pt_random_init(&random, 11, PT_RANDOM_TEST, 0);
    for (int i = 0; i < rows; i++) {
        const int c = (int)pt_random_below(&random, 4);
        const double x = c + pt_random_uniform(&random);
        if (!table)
            fprintf(file, "%c 1:%.3f %d:%.3f\n", 'a' + c, x, 3 + c + i % 2, 1 - x);
        else if (strstr(KINDS[kind].options, "label=class"))
            fprintf(file, "%.3f,%.3f,%c,a,a\n", x, 1 - x, 'a' + c);
        else
            fprintf(file, "%.3f,%.3f,q,%s,%s\n", x, 1 - x, ORDERS[c], SETS[c]);
    }
    assert_int_equal(fclose(file), 0);
}

static pt_params *params_of(int kind, const char *more)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_parse(params, KINDS[kind].options, &err), PT_OK);
    if (strstr(KINDS[kind].data, ".csv")) /* the other labels are no features */
        assert_int_equal(pt_params_set(params, "ignore",
                                       strstr(KINDS[kind].options, "label=class")   ? "order,set"
                                       : strstr(KINDS[kind].options, "label=order") ? "class,set"
                                                                                    : "class,order",
                                       &err),
                         PT_OK);
    if (more)
        assert_int_equal(pt_params_parse(params, more, &err), PT_OK);
    return params;
}

static unsigned char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Learns from the file, beginning with `online` or anew, and frees it; the model as bytes. */
static pt_status go_on(pt_online *online, int kind, unsigned char **bytes, size_t *size)
{
    pt_error err = {0};
    pt_model *model = NULL;
    pt_status status = pt_online_read(online, KINDS[kind].data, NULL, NULL, NULL, &err);
    if (status == PT_OK)
        status = pt_online_model(&model, online, &err);
    if (status == PT_OK && bytes) {
        status = pt_model_save(model, MODEL, &err);
        *bytes = read_bytes(MODEL, size);
        unlink(MODEL);
    }
    pt_model_free(model);
    pt_online_free(online);
    return status;
}

static pt_online *begin(int kind)
{
    pt_error err = PT_ERROR_INIT;
    pt_online *online = NULL;
    pt_params *params = params_of(kind, NULL);
    assert_int_equal(pt_online_new(&online, params, &err), PT_OK);
    pt_params_free(params);
    return online;
}

/* A checkpoint after half of the rows; the file of the data has all of them afterwards. */
static void save_half(int kind)
{
    pt_error err = {0};
    pt_online *online = begin(kind);
    write_rows(kind, ROWS / 2);
    assert_int_equal(pt_online_read(online, KINDS[kind].data, NULL, NULL, NULL, &err), PT_OK);
    assert_int_equal(pt_online_save(online, STATE, &err), PT_OK);
    pt_online_free(online);
    write_rows(kind, ROWS);
}

static pt_status load(pt_online **online, int kind, const char *more)
{
    pt_error err = {0};
    pt_params *params = params_of(kind, more);
    const pt_status status = pt_online_load(online, STATE, params, &err);
    assert_int_equal(status, err.code);
    pt_params_free(params);
    return status;
}

static void test_online_checkpoint__going_on_gives_the_same_model(void **state)
{
    (void)state;
    for (int kind = 0; kind < N_KINDS; kind++) {
        unsigned char *whole = NULL;
        unsigned char *halves = NULL;
        size_t size = 0;
        size_t size_of_halves = 0;
        pt_online *online = NULL;
        save_half(kind);
        assert_int_equal(go_on(begin(kind), kind, &whole, &size), PT_OK);
        assert_int_equal(load(&online, kind, NULL), PT_OK);
        assert_int_equal(go_on(online, kind, &halves, &size_of_halves), PT_OK);
        assert_int_equal(size, size_of_halves);
        assert_memory_equal(whole, halves, size);
        free(whole);
        free(halves);
        unlink(STATE);
        unlink(KINDS[kind].data);
    }
}

static void test_online_checkpoint__other_parameters_and_files(void **state)
{
    (void)state;
    pt_online *online = NULL;
    save_half(0);
    assert_int_equal(load(&online, 0, "update=pa"), PT_EINVAL);
    assert_int_equal(load(&online, 0, "bias=no"), PT_EINVAL);
    assert_int_equal(load(&online, 0, "labels=set"), PT_EINVAL);
    assert_int_equal(load(&online, 0, "hash-bits=4"), PT_EINVAL);
    assert_int_equal(load(&online, 0, "violated=worst"), PT_EINVAL);
    assert_int_equal(load(&online, 0, "index-base=0"), PT_EINVAL);
    assert_int_equal(load(&online, 2, "update=averaged"), PT_OK); /* columns come later: */
    write_rows(2, ROWS);
    assert_int_equal(go_on(online, 2, NULL, NULL), PT_EFORMAT);
    online = NULL;
    save_half(3);
    assert_int_equal(load(&online, 3, "pairs=next"), PT_EINVAL); /* of rankings */
    assert_int_equal(load(&online, 3, "pairs=all"), PT_OK);      /* as it was */
    pt_online_free(online);
    online = NULL;
    save_half(2);
    assert_int_equal(load(&online, 2, "C=0.5"), PT_EINVAL);
    assert_int_equal(load(&online, 2, "label=class"), PT_OK);
    FILE *other = fopen(KINDS[2].data, "w"); /* a column has another name */
    assert_non_null(other);
    fprintf(other, "x,z,class,order,set\n1,2,a,a,a\n");
    fclose(other);
    assert_int_equal(go_on(online, 2, NULL, NULL), PT_EFORMAT);
    unsigned char *model = NULL;
    size_t size = 0;
    write_rows(0, ROWS);
    assert_int_equal(go_on(begin(0), 0, &model, &size), PT_OK);
    write_bytes(STATE, model, size); /* a model is no checkpoint */
    assert_int_not_equal(load(&online, 0, NULL), PT_OK);
    free(model);
    unlink(STATE);
    unlink(KINDS[0].data);
    unlink(KINDS[2].data);
}

static void test_online_checkpoint__cut_anywhere(void **state)
{
    (void)state;
    for (int kind = 0; kind < N_KINDS; kind++) {
        size_t size = 0;
        pt_online *online = NULL;
        save_half(kind);
        unsigned char *bytes = read_bytes(STATE, &size);
        unsigned char *copy = malloc(size);
        assert_non_null(copy);
        for (size_t length = 0; length < size; length += 1 + length % 7) {
            if (!test_in_share())
                continue;
            write_bytes(STATE, bytes, length);
            assert_int_not_equal(load(&online, kind, NULL), PT_OK);
            memcpy(copy, bytes, length);
            if (length >= 24)
                mend_put(copy + 16, length, 8);
            mend_checksums(copy, length);
            write_bytes(STATE, copy, length);
            assert_int_not_equal(load(&online, kind, NULL), PT_OK);
        }
        free(copy);
        free(bytes);
        unlink(STATE);
        unlink(KINDS[kind].data);
    }
}

/* With mended sums some changes are of numbers that may be any: then the stream goes on, to an end
 * or to an error. */
static void test_online_checkpoint__changed_anywhere(void **state)
{
    (void)state;
    static const unsigned char FLIPS[] = {1, 0x80, 0xff};
    for (int kind = 0; kind < N_KINDS; kind++) {
        size_t size = 0;
        int64_t loaded = 0;
        pt_online *online = NULL;
        save_half(kind);
        unsigned char *bytes = read_bytes(STATE, &size);
        unsigned char *copy = malloc(size);
        assert_non_null(copy);
        for (size_t place = 0; place < size; place += 1 + place % 7) /* every number somewhere */
            for (size_t f = 0; f < sizeof FLIPS; f++) {
                if (!test_in_share())
                    continue;
                memcpy(copy, bytes, size);
                copy[place] ^= FLIPS[f];
                write_bytes(STATE, copy, size);
                assert_int_not_equal(load(&online, kind, NULL), PT_OK); /* the sums notice */
                mend_checksums(copy, size);
                write_bytes(STATE, copy, size);
                if (load(&online, kind, NULL) != PT_OK)
                    continue;
                loaded++;
                (void)go_on(online, kind, NULL, NULL);
                online = NULL;
            }
        assert_true(loaded > 0);
        free(copy);
        free(bytes);
        unlink(STATE);
        unlink(KINDS[kind].data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_online_checkpoint__going_on_gives_the_same_model),
        cmocka_unit_test(test_online_checkpoint__other_parameters_and_files),
        cmocka_unit_test(test_online_checkpoint__cut_anywhere),
        cmocka_unit_test(test_online_checkpoint__changed_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
