/* Model files that nobody's train wrote: cut, flipped, and with metadata that lies. Checksums are
 * mended each time, so that it is the checks of the model, not the sums, that must hold. A file is
 * refused with a text, or it loads and predicts; under ASan nothing is read or written out of
 * bounds. */
/* labels: heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "../support/mend.h"
#include "../support/share.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "model/model.h"
#include "store/container.h"

#ifndef PT_SOURCE_DIR
#define PT_SOURCE_DIR "." /* compiled by hand, run in the root of the tree */
#endif

/* A model in memory and data of its shape. */
typedef struct sample {
    const char *what;
    unsigned char *bytes;
    size_t size;
    pt_dataset *data;
} sample;

static const char CSV[] = "height,colour,width,class\n"
                          "1.5,red,2,a\n2.5,blue,,b\n1.25,red,3,a\n2.75,green,1,b\n0.5,?,2,c\n";
/* Compressed rows of four features. */
static const int64_t START[] = {0, 2, 3, 5, 7};
static const int64_t INDEX[] = {0, 2, 1, 0, 3, 1, 2};
static const double VALUE[] = {1, 2, 1, 2, 1, 3, 1};
static const int64_t LABEL[] = {1, 2, 1, 2};

static const struct {
    const char *what;
    bool sparse;
    const char *options;
} KINDS[] = {
    {"dense rbf, nominal and missing", false, "kernel=rbf,sigma=1,ridge=0.1"},
    {"dense linear", false,
     "kernel=linear,ridge=0.1,missing=indicator,scale=standard,precision=double"},
    {"sparse linear", true, "ridge=0.1"},
    {"sparse rbf", true, "kernel=rbf,sigma=1,ridge=0.1,scale=range"},
    {"pairs, dense", false, "machine=ls-ovo,kernel=rbf,sigma=1,ridge=0.1,decode=hamming"},
    {"pairs, sparse", true, "machine=ls-ovo,kernel=rbf,sigma=1,ridge=0.1,decode=inner"},
    {"pairs, linear", false, "machine=ls-ovo,kernel=linear,ridge=0.1,decode=inner"},
    {"hidden nodes", false, "machine=elm,hidden=6,ridge=0.1"},
    /* a column of classes and a bias; label vectors; inner products of labels */
    {"one coefficient a row", false,
     "machine=vo-lssvm,kernel=rbf,sigma=1,ridge=0.1,labelbook=mincorr,bias=yes,bias-rule="
     "penalised"},
    {"label vectors", false, "machine=vo-svm,kernel=rbf,sigma=1,labelbook=fisher"},
    {"a bias for each output", false, "machine=suykens,kernel=rbf,sigma=1,ridge=0.1"},
    {"a designed code", false,
     "machine=designed,learner=ls,kernel=rbf,sigma=1,ridge=0.1,design-C=1,code=ordinal"},
    {"patterns of outputs", false,
     "machine=designed,learner=tree,depth=1,design-kernel=rbf,design-C=1"},
    {"support vectors, pairs", false,
     "machine=code,learner=svm,code=ovo,kernel=rbf,sigma=1,decode=hinge"},
    {"support vectors, columns", false,
     "machine=code,learner=svm,code=ova,kernel=rbf,sigma=1,decode=hinge,bias=yes"},
    {"boosting of all columns", false, "machine=adaboost-mh,rounds=2"},
    {"a designed code for boosting", false,
     "machine=designed,design-machine=adaboost-mh,rounds=2,design-C=1"},
    {"a designed code for pairs", false,
     "machine=designed,design-machine=ls-ovo,kernel=rbf,sigma=1,ridge=0.1,design-C=1"},
    {"a discrete code", false,
     "machine=designed,learner=tree,depth=1,design-form=discrete,design-outputs=sign"},
    {"functions over pairs, with a bias", false, "machine=constraint,C=1"},
    {"functions over pairs, sparse", true, "machine=constraint,method=online,epochs=2,bias=no"},
    {"kernel functions over pairs", false, "machine=constraint,kernel=rbf,sigma=1,C=1"},
    {"rank targets", false, "machine=rank-ls,kernel=rbf,sigma=1,ridge=0.1"},
    {"a learner for each class", false,
     "machine=relevance,learner=ls,kernel=rbf,sigma=1,ridge=0.1"},
    {"boosted, for each class", false, "machine=relevance,learner=adaboost,rounds=3"},
    {"sets of classes", false, "machine=powerset,kernel=rbf,sigma=1,ridge=0.1"},
    {"a tree of classes", false, "machine=class-tree,learner=tree,depth=1,design-folds=0"},
    {"label kernel", false, "kernel=rbf,sigma=1,ridge=0.1,labelbook=fisher,label-kernel=rbf"},
};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

static sample sample_make(int kind)
{
    sample s = {KINDS[kind].what, NULL, 0, NULL};
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(KINDS[kind].options);
    if (KINDS[kind].sparse) {
        small_must(dataset_from_csr(&s.data, START, INDEX, VALUE, 4, 4, &err), &err, s.what);
        small_must(dataset_set_numbers(s.data, LABEL, &err), &err, s.what);
    } else {
        small_must(
            pt_dataset_read_memory(&s.data, CSV, sizeof CSV - 1, "x.csv", params, NULL, &err), &err,
            s.what);
    }
    pt_model *model = NULL;
    small_must(pt_model_train(&model, s.data, params, NULL, &err), &err, s.what);
    char path[] = "/tmp/polytomy_hostile_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    small_must(pt_model_save(model, path, &err), &err, s.what);
    close(file);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    s.bytes = malloc(1 << 20);
    s.size = fread(s.bytes, 1, 1 << 20, stream);
    assert_true(s.size > 64 && s.size < 1 << 20);
    fclose(stream);
    unlink(path);
    pt_model_free(model);
    pt_params_free(params);
    return s;
}

/* A model of before, whose preparation is JSON. */
static sample sample_old(void)
{
    static const char FILES[] = PT_SOURCE_DIR "/tests/golden/v1-mixed";
    sample s = {"an old model", malloc(1 << 20), 0, NULL};
    char path[512];
    pt_error err = PT_ERROR_INIT;
    snprintf(path, sizeof path, "%s.model", FILES);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    s.size = fread(s.bytes, 1, 1 << 20, stream);
    fclose(stream);
    snprintf(path, sizeof path, "%s.csv", FILES);
    small_must(pt_dataset_read(&s.data, path, NULL, NULL, &err), &err, path);
    return s;
}

static void sample_free(sample *s)
{
    pt_dataset_free(s->data);
    free(s->bytes);
}

static void use_decisions(const pt_model *model, pt_prediction *prediction)
{
    static const char *const RULES[] = {"coverage=0.6", "coverage=0.3,coverage-by=class",
                                        "reject=0.5"};
    for (int rule = 0; rule < 3; rule++) {
        pt_error err = PT_ERROR_INIT;
        pt_params *params = small_params(RULES[rule]);
        if (pt_prediction_decide(prediction, model, params, &err) != PT_OK)
            assert_true(strlen(err.text) > 10);
        for (int64_t i = 0; i < pt_prediction_n_examples(prediction); i++)
            assert_true(pt_prediction_set(prediction, i, NULL, 0) <= pt_model_n_classes(model));
        pt_params_free(params);
    }
}

/* Asks a model that loaded for everything it can tell. */
static void use(const pt_model *model, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    const int64_t k = pt_model_n_classes(model);
    assert_true(k >= 1 && k < 1 << 20);
    for (int64_t r = 0; r < k; r++)
        assert_non_null(pt_model_class_name(model, r));
    assert_null(pt_model_class_name(model, k));
    assert_non_null(pt_model_metadata(model));
    (void)pt_model_param(model, "sigma");
    pt_prediction *prediction = NULL;
    if (pt_model_predict(&prediction, model, data, -1, NULL, &err) != PT_OK) {
        assert_true(strlen(err.text) > 10);
        return;
    }
    const int64_t *labels = pt_prediction_labels(prediction);
    for (int64_t i = 0; i < pt_prediction_n_examples(prediction); i++)
        assert_true(labels[i] >= 0 && labels[i] < k);
    double *proba = malloc((size_t)(pt_prediction_n_examples(prediction) * k) * sizeof *proba);
    (void)pt_prediction_proba(prediction, proba, &err);
    free(proba);
    use_decisions(model, prediction);
    pt_prediction_free(prediction);
}

/* Loads from a block of exactly this size. Whether it loaded. */
static bool load(const unsigned char *bytes, size_t size, const pt_dataset *data)
{
    unsigned char *copy = malloc(size ? size : 1);
    if (size > 0)
        memcpy(copy, bytes, size);
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    const pt_status status = pt_model_load_memory(&model, copy, size, NULL, &err);
    free(copy); /* the model must not need it */
    if (status == PT_OK) {
        use(model, data);
        pt_model_free(model);
        return true;
    }
    assert_null(model);
    assert_int_equal(err.code, status);
    assert_true(strlen(err.text) > 10);
    return false;
}

static void test_model__loads_what_was_saved(void **state)
{
    (void)state;
    for (int kind = 0; kind < N_KINDS; kind++) {
        sample s = sample_make(kind);
        assert_true(load(s.bytes, s.size, s.data));
        sample_free(&s);
    }
}

/* Names are bytes: not UTF-8, and with signs that mean something to a parameter list. */
static void test_model__names_of_any_bytes_come_back(void **state)
{
    (void)state;
    static const double x[8] = {0, 0, 1, 1, 0, 1, 1, 0};
    static const char *const labels[4] = {"caf\xe9", "a:b", "\xff\xfe", "a:b"};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    small_must(dataset_from_f64(&data, x, 4, 2, 2, &err), &err, "data");
    small_must(pt_dataset_set_label_cells(data, "class", labels, &err), &err, "labels");
    pt_model *model = small_train(data, "kernel=rbf,sigma=1,ridge=0.1,class-weight=a:b=2", 1);
    char path[] = "/tmp/polytomy_names_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    small_must(pt_model_save(model, path, &err), &err, "save");
    pt_model *loaded = NULL;
    small_must(pt_model_load(&loaded, path, NULL, &err), &err, "load");
    assert_string_equal(pt_model_class_name(loaded, 0), "a:b");
    assert_string_equal(pt_model_class_name(loaded, 1), "caf\xe9");
    assert_string_equal(pt_model_class_name(loaded, 2), "\xff\xfe");
    assert_string_equal(pt_model_param(loaded, "class-weight"), "a:b=2");
    unlink(path);
    pt_model_free(loaded);
    pt_model_free(model);
    pt_dataset_free(data);
}

static void test_model__cut_at_every_byte(void **state)
{
    (void)state;
    for (int kind = 0; kind < N_KINDS; kind++) {
        sample s = sample_make(kind);
        unsigned char *copy = malloc(s.size);
        for (size_t length = 0; length < s.size; length++) {
            if (!test_in_share())
                continue;
            assert_false(load(s.bytes, length, s.data));
            memcpy(copy, s.bytes, length);
            if (length >= 24)
                mend_put(copy + 16, length, 8);
            mend_checksums(copy, length);
            assert_false(load(copy, length, s.data));
        }
        free(copy);
        sample_free(&s);
    }
}

static void test_model__flipped_at_every_byte(void **state)
{
    (void)state;
    static const unsigned char flips[] = {1, 2, 4, 0x20, 0x80, 0xff};
    for (int kind = 0; kind < N_KINDS; kind++) {
        sample s = sample_make(kind);
        unsigned char *copy = malloc(s.size);
        int64_t loaded = 0;
        for (size_t place = 0; place < s.size; place++)
            for (size_t f = 0; f < sizeof flips; f++) {
                if (!test_in_share())
                    continue;
                memcpy(copy, s.bytes, s.size);
                copy[place] ^= flips[f];
                assert_false(load(copy, s.size, s.data)); /* the sums notice */
                mend_checksums(copy, s.size);
                loaded += load(copy, s.size, s.data);
            }
        assert_true(loaded > 0); /* numbers of the machine may be any numbers */
        free(copy);
        sample_free(&s);
    }
}

/* ---------------------------------------------------------------------------------- metadata */

/* The sections that hold JSON; the second one in old models alone. */
enum { METADATA = 0, PREPARE = 1 };

/* The sample with another text in one of them. */
static bool load_with(const sample *s, int which, const char *json, size_t length)
{
    pt_section sections[64];
    pt_container *container = NULL;
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(pt_container_open_memory(&container, s->bytes, s->size, "m", NULL), PT_OK);
    const int64_t count = pt_container_count(container);
    assert_true(count <= 64);
    for (int64_t i = 0; i < count; i++)
        sections[i] = *pt_container_section(container, i);
    sections[which].value = json;
    sections[which].bytes = length;
    sections[which].rows = (int64_t)length;
    assert_int_equal(pt_container_pack(&bytes, &size, sections, count, NULL), PT_OK);
    pt_container_close(container);
    const bool loaded = load(bytes, size, s->data);
    pt_free(bytes);
    return loaded;
}

static json_t *json_of(const sample *s, int which)
{
    pt_container *container = NULL;
    assert_int_equal(pt_container_open_memory(&container, s->bytes, s->size, "m", NULL), PT_OK);
    const pt_section *section = pt_container_section(container, which);
    json_t *root = json_loadb(section->value, section->bytes, JSON_ALLOW_NUL, NULL);
    assert_non_null(root);
    pt_container_close(container);
    return root;
}

static bool load_with_json(const sample *s, int which, json_t *root)
{
    char *text = json_dumps(root, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_non_null(text);
    const bool loaded = load_with(s, which, text, strlen(text));
    free(text);
    return loaded;
}

/* What a value is replaced by, one after the other. */
static const char *const HOSTILE[] = {
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1",
    "2",
    "3",
    "1000000000",
    "1000000000000",
    "-9223372036854775808",
    "9223372036854775807",
    "1.5",
    "1e308",
    "-1e308",
    "5e-324",
    "\"\"",
    "\"x\"",
    "\"nan\"",
    "\"-1\"",
    "\"1e999\"",
    "\"auto\"",
    "\"a\\u0000b\"",
    "[]",
    "{}",
    "[[]]",
    "[null]",
    "[0]",
    "[1,2,3]",
    "[\"a\",\"a\"]",
    "[\"a\",\"a\",\"b\"]",
    "[\"c\",\"b\",\"a\"]",
    "[\"a\",\"b\"]",
    "[\"\",\"b\",\"c\"]",
    "[1,2]",
    "[\"a\",1]",
    "{\"x\":1}",
    "[{}]",
    "[{},{},{}]",
};
enum { N_HOSTILE = sizeof HOSTILE / sizeof *HOSTILE };

static json_t *hostile(int number)
{
    json_t *value = json_loads(HOSTILE[number], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    assert_non_null(value);
    return value;
}

/* Replaces, removes and doubles every value below `node`, one at a time, and loads the whole. */
static int64_t torture(const sample *s, int which, json_t *root, json_t *node)
{
    int64_t tried = 0;
    const char *key = NULL;
    json_t *child = NULL;
    void *next = NULL;
    size_t index = 0;
    json_t *keys = json_array();
    if (json_is_object(node))
        json_object_foreach_safe(node, next, key, child)
            json_array_append_new(keys, json_string(key));

    for (index = 0; index < json_array_size(keys); index++) {
        key = json_string_value(json_array_get(keys, index));
        json_t *original = json_incref(json_object_get(node, key));
        for (int h = 0; h < N_HOSTILE; h++, tried++) {
            if (!test_in_share())
                continue;
            json_object_set_new(node, key, hostile(h));
            load_with_json(s, which, root);
        }
        json_object_del(node, key);
        load_with_json(s, which, root);
        json_object_set(node, key, original);
        tried += torture(s, which, root, original);
        json_decref(original);
    }
    for (index = 0; json_is_array(node) && index < json_array_size(node) && index < 4; index++) {
        json_t *original = json_incref(json_array_get(node, index));
        for (int h = 0; h < N_HOSTILE; h++, tried++) {
            if (!test_in_share())
                continue;
            json_array_set_new(node, index, hostile(h));
            load_with_json(s, which, root);
        }
        json_array_remove(node, index);
        load_with_json(s, which, root);
        json_array_insert(node, index, original);
        json_array_append(node, original);
        load_with_json(s, which, root);
        json_array_remove(node, json_array_size(node) - 1);
        tried += torture(s, which, root, original);
        json_decref(original);
    }
    json_decref(keys);
    return tried;
}

static void test_model__json_that_lies(void **state)
{
    (void)state;
    for (int kind = 0; kind <= N_KINDS; kind++) {
        const int which = kind < N_KINDS ? METADATA : PREPARE;
        sample s = kind < N_KINDS ? sample_make(kind) : sample_old();
        json_t *root = json_of(&s, which);
        assert_true(load_with_json(&s, which, root));
        assert_true(torture(&s, which, root, root) > 100);
        assert_true(load_with_json(&s, which, root)); /* and all is as before */
        json_decref(root);
        sample_free(&s);
    }
}

static void expect_json_checked(const sample *s, int which)
{
    enum { DEEP = 100000 };
    char *deep = malloc(2 * DEEP + 1);
    memset(deep, '[', DEEP);
    memset(deep + DEEP, ']', DEEP);
    assert_false(load_with(s, which, deep, DEEP));
    assert_false(load_with(s, which, deep, 2 * DEEP));
    for (int i = 0; i < DEEP / 5; i++)
        memcpy(deep + 5 * i, "{\"a\":", 5);
    assert_false(load_with(s, which, deep, DEEP));
    free(deep);

    static const char *const texts[] = {"",          " ",    "{",        "{}",
                                        "[]",        "null", "1",        "\"x\"",
                                        "{\"a\":1}", "{}{}", "\xff\xfe", "{\"machine\":\"\xc3\"}",
                                        "nan"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(load_with(s, which, texts[i], strlen(texts[i])));
    assert_false(load_with(s, which, "\0\0\0\0", 4));

    /* The right text with a NUL or bytes that are not UTF-8 at every place, and numbers too long.
     */
    json_t *root = json_of(s, which);
    char *good = json_dumps(root, JSON_COMPACT);
    const size_t length = strlen(good);
    for (size_t place = 0; place < length; place++) {
        static const char bad[] = {'\0', '\xff', '\xc3', '"', '}', '9', '-'};
        const char keep = good[place];
        for (size_t b = 0; b < sizeof bad; b++) {
            if (!test_in_share())
                continue;
            good[place] = bad[b];
            load_with(s, which, good, length);
        }
        good[place] = keep;
    }
    assert_false(load_with(s, which, good, length - 1));
    char *tail = malloc(length + 9);
    memcpy(tail, good, length);
    memcpy(tail + length, " garbage", 9);
    assert_false(load_with(s, which, tail, length + 8)); /* something behind the end */
    free(tail);
    free(good);
    json_decref(root);
}

static void test_model__texts_that_are_no_json(void **state)
{
    (void)state;
    sample s = sample_make(0);
    expect_json_checked(&s, METADATA);
    sample_free(&s);
    s = sample_old();
    expect_json_checked(&s, PREPARE);
    sample_free(&s);
}

/* ---------------------------------------------------------------------------------- sections */

/* Each section left out, doubled in size, emptied, turned, of another kind, made optional. */
static void test_model__sections_that_do_not_fit(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 4, 8, 8};
    for (int kind = 0; kind < N_KINDS; kind++) {
        sample s = sample_make(kind);
        pt_container *container = NULL;
        assert_int_equal(pt_container_open_memory(&container, s.bytes, s.size, "m", NULL), PT_OK);
        const int64_t count = pt_container_count(container);
        assert_true(count >= 2 && count <= 32);
        for (int64_t chosen = 0; chosen < count; chosen++)
            for (int way = 0; way < 12; way++) {
                pt_section sections[33];
                int64_t kept = 0;
                void *wide = NULL;
                for (int64_t i = 0; i < count; i++)
                    if (i != chosen || way != 0)
                        sections[kept++] = *pt_container_section(container, i);
                pt_section *c = &sections[chosen];
                const size_t element = way ? sizes[c->kind] : 1;
                if (way == 1) {
                    c->rows = 0, c->bytes = 0;
                } else if (way == 2) {
                    wide = calloc(2, c->bytes + 8);
                    memcpy(wide, c->value, c->bytes);
                    c->value = wide, c->rows *= 2, c->bytes *= 2;
                } else if (way == 3 && c->kind != PT_SECTION_BYTES) {
                    const int64_t rows = c->rows;
                    c->rows = c->columns, c->columns = rows;
                } else if (way == 4 && c->rows > 0) {
                    c->rows -= 1, c->bytes -= (size_t)c->columns * element;
                } else if (way == 5 && c->kind == PT_SECTION_F64) {
                    c->kind = PT_SECTION_I64;
                } else if (way == 6 && c->kind == PT_SECTION_F32) {
                    c->kind = PT_SECTION_F64, c->rows = (int64_t)(c->bytes / 8), c->columns = 1;
                    c->bytes = (size_t)c->rows * 8;
                } else if (way == 7 && c->kind == PT_SECTION_I64) {
                    c->kind = PT_SECTION_F64;
                } else if (way == 8) {
                    c->tag[0] = c->tag[0] == 'z' ? 'y' : 'z';
                } else if (way == 9) {
                    sections[kept] = *c;
                    snprintf(sections[kept++].tag, sizeof c->tag, "unknown");
                } else if (way >= 10 && c->bytes >= 8 && c->kind != PT_SECTION_BYTES) {
                    /* All numbers huge, or all NaN: whatever the kind. */
                    wide = malloc(c->bytes);
                    memset(wide, way == 10 ? 0x7f : 0xff, c->bytes);
                    c->value = wide;
                }
                void *bytes = NULL;
                size_t size = 0;
                assert_int_equal(pt_container_pack(&bytes, &size, sections, kept, NULL), PT_OK);
                const bool loaded = load(bytes, size, s.data);
                const bool may_lack = strcmp(pt_container_section(container, chosen)->tag,
                                             "m.gains") == 0; /* as files of before */
                if (loaded && ((way == 0 && !may_lack) || way == 8 || way == 9))
                    fail_msg("%s: loaded with section %lld changed in way %d", KINDS[kind].what,
                             (long long)chosen, way);
                pt_free(bytes);
                free(wide);
            }
        pt_container_close(container);
        sample_free(&s);
    }
}

/* ------------------------------------------------------------------------------ held-out rows */

enum { HELD = 3 };
static const double SCORE[HELD] = {0.1, 0.2, 0.2};
static const int64_t CLASS[HELD] = {0, 2, 1};

/* The sample with these in place of its sections q.*; a NULL value leaves one out. */
static bool load_held(const sample *s, const pt_section *held, int n_held)
{
    pt_section sections[64];
    pt_container *container = NULL;
    void *bytes = NULL;
    size_t size = 0;
    int64_t n = 0;
    assert_int_equal(pt_container_open_memory(&container, s->bytes, s->size, "m", NULL), PT_OK);
    for (int64_t i = 0; i < pt_container_count(container); i++)
        if (strncmp(pt_container_section(container, i)->tag, "q.", 2) != 0)
            sections[n++] = *pt_container_section(container, i);
    for (int i = 0; i < n_held; i++) {
        sections[n] = held[i];
        sections[n].bytes =
            (size_t)(held[i].rows * held[i].columns) * (held[i].kind == PT_SECTION_F32 ? 4 : 8);
        n += held[i].value != NULL;
    }
    assert_int_equal(pt_container_pack(&bytes, &size, sections, n, NULL), PT_OK);
    pt_container_close(container);
    const bool loaded = load(bytes, size, s->data);
    pt_free(bytes);
    return loaded;
}

static bool load_arrays(const sample *s, const double *score, const int64_t *class_of,
                        const double *weight)
{
    const pt_section held[] = {{"q.score", PT_SECTION_F64, false, HELD, 1, score, 0},
                               {"q.class", PT_SECTION_I64, false, HELD, 1, class_of, 0},
                               {"q.weight", PT_SECTION_F64, false, HELD, 1, weight, 0}};
    return load_held(s, held, 3);
}

static void test_model__held_out_rows_that_lie(void **state)
{
    (void)state;
    static const double ONES[HELD] = {1, 0.5, 2};
    sample s = sample_make(0);
    assert_true(load_arrays(&s, SCORE, CLASS, NULL));
    assert_true(load_arrays(&s, SCORE, CLASS, ONES));
    assert_true(load_held(&s, NULL, 0)); /* as older files are */
    assert_false(load_arrays(&s, SCORE, NULL, NULL));
    assert_false(load_arrays(&s, NULL, CLASS, NULL));
    assert_false(load_arrays(&s, NULL, NULL, ONES));
    static const double BAD_SCORES[][HELD] = {
        {0.2, 0.1, 0.3}, {-0.1, 0.2, 0.3}, {0.1, 0.2, 1.5}, {0.1, NAN, 0.3}, {0.1, 0.2, INFINITY}};
    for (size_t i = 0; i < sizeof BAD_SCORES / sizeof *BAD_SCORES; i++)
        assert_false(load_arrays(&s, BAD_SCORES[i], CLASS, NULL));
    static const double BAD_WEIGHTS[][HELD] = {
        {1, 0, 1}, {1, -1, 1}, {1, NAN, 1}, {1, 1, INFINITY}};
    for (size_t i = 0; i < sizeof BAD_WEIGHTS / sizeof *BAD_WEIGHTS; i++)
        assert_false(load_arrays(&s, SCORE, CLASS, BAD_WEIGHTS[i]));
    static const int64_t BAD_CLASSES[][HELD] = {{0, 3, 1}, {0, -1, 1}, {INT64_MAX, 0, 1}};
    for (size_t i = 0; i < sizeof BAD_CLASSES / sizeof *BAD_CLASSES; i++)
        assert_false(load_arrays(&s, SCORE, BAD_CLASSES[i], NULL));

    /* shapes and kinds */
    const pt_section score = {"q.score", PT_SECTION_F64, false, HELD, 1, SCORE, 0};
    const pt_section class_of = {"q.class", PT_SECTION_I64, false, HELD, 1, CLASS, 0};
    pt_section pair[] = {score, class_of, score};
    pair[1].rows = HELD - 1;
    assert_false(load_held(&s, pair, 2));
    pair[1] = class_of;
    pair[1].kind = PT_SECTION_F64;
    assert_false(load_held(&s, pair, 2));
    pair[1] = class_of;
    pair[0].columns = 3;
    pair[0].rows = 1;
    assert_false(load_held(&s, pair, 2));
    pair[0] = score;
    pair[0].rows = pair[1].rows = 0;
    assert_false(load_held(&s, pair, 2));
    pair[0] = score;
    pair[1] = class_of;
    snprintf(pair[2].tag, sizeof pair[2].tag, "q.other");
    assert_true(load_held(&s, pair, 2));
    assert_false(load_held(&s, pair, 3));
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model__loads_what_was_saved),
        cmocka_unit_test(test_model__names_of_any_bytes_come_back),
        cmocka_unit_test(test_model__cut_at_every_byte),
        cmocka_unit_test(test_model__flipped_at_every_byte),
        cmocka_unit_test(test_model__json_that_lies),
        cmocka_unit_test(test_model__texts_that_are_no_json),
        cmocka_unit_test(test_model__sections_that_do_not_fit),
        cmocka_unit_test(test_model__held_out_rows_that_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
