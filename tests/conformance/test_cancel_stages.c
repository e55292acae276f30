/* labels: heavy */
/* Whoever cancels from the progress callback does not wait, whatever is done: reading, judging,
 * searches, comparisons, evaluations, codes and their design, streams, models of other programs,
 * problems made up, and machines at sizes that test_cancel.c does not reach.
 *
 *     test_cancel_stages            some of it, smaller
 *     test_cancel_stages whole      all of it
 *     test_cancel_stages whole WORD only of what has the word in its name
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/clouds.h"
#include "../support/silence.h"
#include "polytomy/experimental.h"

static const shape TALL = {"", 0, 16, 12, 0};
static const shape MANY = {"", 0, 16, 150, 0};
static const shape WIDE = {"", 0, 5000, 12, 0};
static const shape SPARSE = {"", 0, 20000, 20, 30};

typedef struct problem {
    pt_dataset *data;
    pt_dataset *test;
    pt_params *params;
    pt_params *other; /* of a second machine */
    pt_model *model;
    const char *path;
} problem;

static void problem_free(problem *p)
{
    pt_model_free(p->model);
    pt_params_free(p->params);
    pt_params_free(p->other);
    pt_dataset_free(p->data);
    pt_dataset_free(p->test);
}

static problem new_problem(int64_t n, const shape *of, pt_label_kind kind, const char *options)
{
    return (problem){.data = clouds(n, of, kind), .params = small_params(options)};
}

/* The word asks for this job, or for one of the jobs that begin with this. */
static bool wanted(const char *name)
{
    return strstr(name, silence.only) || strncmp(silence.only, name, strlen(name)) == 0;
}

static int64_t larger(int64_t small_n, int64_t whole_n)
{
    return silence.whole ? whole_n : small_n;
}

static void make_model(problem *p)
{
    p->model = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(pt_model_train(&p->model, p->data, p->params, NULL, &err), &err, "training");
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static pt_status train(void *context, pt_task *task, pt_error *err)
{
    problem *p = context;
    pt_model *model = NULL;
    const pt_status status = pt_model_train(&model, p->data, p->params, task, err);
    pt_model_free(model);
    return status;
}

static pt_status train_in_time(void *context, pt_task *task, pt_error *err)
{
    (void)pt_task_set(task, "time", 2, err);
    return train(context, task, err);
}

static pt_status plan(void *context, pt_task *task, pt_error *err)
{
    problem *p = context;
    pt_report *report = NULL;
    const pt_status status = pt_model_plan(&report, p->data, p->params, task, err);
    pt_report_free(report);
    return status;
}

static pt_status search(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_report *found = NULL;
    const pt_params *params = p->params;
    const pt_status status = pt_cross_validate(&found, NULL, p->data, &params, 1, task, err);
    pt_report_free(found);
    return status;
}

static pt_status compare(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_report *found = NULL;
    const pt_params *params[2] = {p->params, p->other};
    const pt_status status = pt_compare(&found, p->data, p->test, params, 2, task, err);
    pt_report_free(found);
    return status;
}

static pt_status judge(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_report *judgement = NULL;
    const pt_status status = pt_dataset_judge(&judgement, p->data, task, err);
    pt_report_free(judgement);
    return status;
}

static pt_status evaluate(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    pt_status status = pt_model_predict(&prediction, p->model, p->data, -1, task, err);
    if (status == PT_OK)
        status = pt_model_evaluate(&evaluation, p->model, p->data, prediction, NULL, task, err);
    if (status == PT_OK)
        status = pt_evaluate_columns(evaluation, p->model, p->data, task, err);
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    return status;
}

static pt_status evaluate_rounds(void *context, pt_task *task, pt_error *err)
{
    static const int64_t ROUNDS[] = {1, 5, 20, 50};
    const problem *p = context;
    pt_report *evaluation = NULL;
    pt_status status = pt_model_evaluate(&evaluation, p->model, p->data, NULL, NULL, task, err);
    if (status == PT_OK)
        status = pt_evaluate_rounds(evaluation, p->model, p->data, ROUNDS, 4, task, err);
    pt_report_free(evaluation);
    return status;
}

static pt_status permute_columns(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_report *report = NULL;
    const pt_status status = pt_model_importance(&report, p->model, p->data, NULL, task, err);
    pt_report_free(report);
    return status;
}

static pt_status explain_rows(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_report *report = NULL;
    const pt_status status = pt_model_explain(&report, p->model, p->data, NULL, task, err);
    pt_report_free(report);
    return status;
}

static pt_status look_at_stages(void *context, pt_task *task, pt_error *err)
{
    enum { STAGES = 30 };
    const problem *p = context;
    int64_t rounds[STAGES];
    pt_report *report = NULL;
    for (int64_t t = 0; t < STAGES; t++)
        rounds[t] = t;
    const pt_status status =
        pt_model_outputs(&report, p->model, p->data, rounds, STAGES, task, err);
    pt_report_free(report);
    return status;
}

static pt_status make_code(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_report *report = NULL;
    const int64_t k = atoll(p->path);
    const pt_status status = pt_coding_make(&report, k, p->params, task, err);
    pt_report_free(report);
    return status;
}

static pt_status design(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_model *designed = NULL;
    const pt_status status = pt_model_design(&designed, p->model, p->data, p->params, task, err);
    pt_model_free(designed);
    return status;
}

static pt_status synth(void *context, pt_task *task, pt_error *err)
{
    const char *name = context;
    return pt_synth_write(NULL, NULL, name, larger(200000, 1500000), NULL, "cancel-synth.csv",
                          "csv", task, err);
}

static pt_status export_model(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    return pt_model_export(p->model, p->path, "libsvm", p->data, task, err);
}

static pt_status import_model(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_model *model = NULL;
    const pt_status status = pt_model_import(&model, p->path, "libsvm", 0, task, err);
    pt_model_free(model);
    return status;
}

static pt_status learn_online(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_online *online = NULL;
    pt_status status = pt_online_new(&online, p->params, err);
    if (status == PT_OK)
        status = pt_online_read(online, p->path, NULL, NULL, task, err);
    pt_online_free(online);
    (void)remove("cancel-state");
    return status;
}

static pt_status learn_rows(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_online *online = NULL;
    pt_status status = pt_online_new(&online, p->params, err);
    if (status == PT_OK)
        status = pt_online_learn(online, p->data, task, err);
    pt_online_free(online);
    return status;
}

static pt_status predict_stream(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_prediction_stream *stream = NULL;
    const pt_prediction *part = NULL;
    pt_status status = pt_prediction_stream_open(&stream, p->model, p->path, NULL, -1, task, err);
    do {
        if (status == PT_OK)
            status = pt_prediction_stream_next(stream, &part, err);
    } while (status == PT_OK && part);
    pt_prediction_stream_close(stream);
    return status;
}

static pt_status evaluate_stream(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_prediction_stream *stream = NULL;
    pt_report *report = NULL;
    pt_status status = pt_prediction_stream_open(&stream, p->model, p->path, NULL, -1, task, err);
    if (status == PT_OK)
        status = pt_prediction_stream_evaluate(&report, stream, p->model, NULL, err);
    pt_report_free(report);
    pt_prediction_stream_close(stream);
    return status;
}

static pt_status read_for_model(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_dataset *data = NULL;
    const pt_status status = pt_model_read(&data, p->model, p->path, NULL, task, err);
    pt_dataset_free(data);
    return status;
}

/* ---- texts ----------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes;
    size_t size;
    size_t room;
    const char *name;
    const char *options;
} text;

static pt_status read_text(void *context, pt_task *task, pt_error *err)
{
    const text *t = context;
    pt_dataset *data = NULL;
    pt_params *params = small_params(t->options);
    const pt_status status =
        pt_dataset_read_memory(&data, t->bytes, t->size, t->name, params, task, err);
    pt_dataset_free(data);
    pt_params_free(params);
    return status;
}

static void append(text *t, const char *format, ...)
{
    va_list args;
    if (t->room - t->size < 1000) {
        t->room = 2 * t->room + 2000;
        t->bytes = realloc(t->bytes, t->room);
        assert_non_null(t->bytes);
    }
    va_start(args, format);
    const int length = vsnprintf(t->bytes + t->size, t->room - t->size, format, args);
    va_end(args);
    assert_true(length >= 0 && t->size + (size_t)length < t->room);
    t->size += (size_t)length;
}

/* A table of numbers and levels, in the words of a format. */
static text make_table(const char *name, int64_t n)
{
    const bool svm = strstr(name, ".svm") != NULL;
    text t = {.name = name, .options = ""};
    if (strstr(name, ".csv"))
        append(&t, "a,b,c,d,level,class\n");
    if (strstr(name, ".arff"))
        append(&t, "@relation r\n@attribute a numeric\n@attribute b numeric\n"
                   "@attribute c numeric\n@attribute d numeric\n"
                   "@attribute level {l0,l1,l2,l3,l4,l5,l6}\n@attribute class {u,v,w}\n@data\n");
    for (int64_t i = 0; i < n; i++) {
        const long long v = (long long)(i * 7919 % 1000003);
        if (svm)
            append(&t, "%d 1:%lld 3:0.%lld 17:%lld\n", (int)(v % 3), v, v, v % 1009);
        else
            append(&t, "%lld.%lld,%lld,0.%lld,-%lld,l%d,%c\n", v, v % 97, v * 31 % 1009, v, v % 100,
                   (int)(v % 7), "uvw"[v % 3]);
    }
    return t;
}

/* Names, dates, money, texts in quotes, missing cells; sets in the last column. */
static text make_messy(const char *options, int64_t n)
{
    text t = {.name = "messy.csv", .options = options};
    append(&t, "id,name,day,price,\"a, b\",note,labels\n");
    for (int64_t i = 0; i < n; i++) {
        const long long v = (long long)(i * 7919 % 1000003);
        append(&t, "%lld,name%lld,%02d.%02d.%d,\"$%lld,%03d.50\",%s,\"said \"\"%lld\"\" twice\",",
               (long long)i, v, (int)(v % 28) + 1, (int)(v % 12) + 1, 1990 + (int)(v % 30),
               v % 900 + 1, (int)(v % 1000), v % 5 ? "7" : "", v % 1000);
        append(&t, "c%d;c%d\n", (int)(v % 11), 11 + (int)(v % 13));
    }
    return t;
}

/* Few rows of very many columns. */
static text make_wide(int64_t n, int64_t d)
{
    text t = {.name = "wide.csv", .options = ""};
    for (int64_t j = 0; j < d; j++)
        append(&t, "column%lld,", (long long)j);
    append(&t, "class\n");
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            append(&t, "%lld.5,", (long long)(i * j % 1009));
        append(&t, "%c\n", "uvw"[i % 3]);
    }
    return t;
}

/* NPY with the label in the last column. */
static text make_npy(int64_t n, int64_t d)
{
    text t = {.name = "rows.npy", .options = ""};
    char header[128];
    snprintf(header, sizeof header,
             "{'descr': '<f8', 'fortran_order': True, 'shape': (%lld, %lld), }", (long long)n,
             (long long)d);
    t.size = 128 + (size_t)(n * d) * 8;
    t.bytes = calloc(t.size, 1);
    assert_non_null(t.bytes);
    memcpy(t.bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(t.bytes + 10, ' ', 118);
    memcpy(t.bytes + 10, header, strlen(header));
    t.bytes[127] = '\n';
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < n; i++) {
            const double value = j + 1 < d ? (double)(i * 7919 % (1000 + j)) : (double)(i % 5);
            memcpy(t.bytes + 128 + (size_t)(j * n + i) * 8, &value, 8);
        }
    return t;
}

static void put_file(const char *path, const text *t)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(t->bytes, 1, t->size, file), t->size);
    assert_int_equal(fclose(file), 0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void expect_reading(const char *name, text t)
{
    char what[100];
    snprintf(what, sizeof what, "reads %s%s%s", name, *t.options ? " " : "", t.options);
    expect_lively(what, read_text, &t);
    free(t.bytes);
}

static void test_cancel__reading_is_never_silent(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"rows.csv", "rows.arff", "rows.svm"};
    if (!wanted("reads"))
        return;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        expect_reading(NAMES[i], make_table(NAMES[i], larger(400000, 4000000)));
    if (!silence.whole)
        return;
    expect_reading("rows.npy", make_npy(4000000, 12));
    expect_reading("messy.csv", make_messy("", 1500000));
    expect_reading("messy.csv", make_messy("labels=set,nominal=name", 1500000));
    expect_reading("messy.csv", make_messy("text=yes", 1500000));
    expect_reading("wide.csv", make_wide(400, 50000));
}

static void test_cancel__searches_are_never_silent(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int64_t n;
        int64_t whole_n;
    } SEARCHES[] = {
        {"machine=onelsm,grid={sigma=0.5,1,2,ridge=0.1,1}", 500, 2000},
        {"machine=code,code=ovo,learner=svm,grid={C=1,10}", 1000, 4000},
        {"machine=tree,grid={depth=2,4,8}", 4000, 30000},
        {"machine=spoc,kernel=linear,grid={C=0.1,1}", 2000, 30000},
        {"machine=onelsm,loo=yes,grid={sigma=1,2}", 0, 3000},
        {"machine=onelsm,kernel=linear,grid={ridge=0.1,1,10}", 0, 20000},
        /* folds of which one product takes long */
        {"machine=onelsm,sigma=1,folds=2,grid={ridge=0.1,1}", 0, 8000},
        {"machine=onelsm,kernel=linear,folds=2,grid={ridge=0.1,1}", 0, 9000},
        {"machine=suykens,sigma=1,folds=2,grid={ridge=0.1,1}", 0, 6000},
        {"machine=vo-lssvm,sigma=1,folds=2,grid={ridge=0.1,1}", 0, 6000},
        {"machine=vo-lssvm,sigma=1,folds=20,grid={ridge=0.1,1}", 0, 6000},
        {"machine=vo-rls,sigma=1,folds=2,grid={ridge=0.1,1}", 0, 3000},
        {"machine=onelsm,nested=yes,grid={sigma=1,2},metric=log-loss", 0, 1000},
        {"machine=vo-svm,grid={C=0.1,1},sigma=1", 0, 1000},
        {"machine=constraint,scale-per-fold=yes,repeat=3", 0, 10000},
        {"machine=adaboost-mo,code=ova,metric=brier,rounds=20", 0, 10000},
        {"machine=tree,folds=3", 0, 300000},
    };
    for (size_t i = 0; i < sizeof SEARCHES / sizeof *SEARCHES; i++) {
        char name[120];
        const int64_t n = larger(SEARCHES[i].n, SEARCHES[i].whole_n);
        snprintf(name, sizeof name, "cv %s", SEARCHES[i].options + 8);
        if (!wanted(name) || n == 0)
            continue;
        problem p = new_problem(n, &TALL, PT_LABEL_CLASS, SEARCHES[i].options);
        expect_lively(name, search, &p);
        problem_free(&p);
    }
}

static void test_cancel__comparisons_are_never_silent(void **state)
{
    (void)state;
    if (!silence.whole || !wanted("compares"))
        return;
    problem p = new_problem(20000, &TALL, PT_LABEL_CLASS, "machine=tree");
    p.other = small_params("machine=code,learner=linear-svm");
    expect_lively("compares 5x2cv", compare, &p);
    problem_free(&p);
    p = new_problem(2000, &TALL, PT_LABEL_CLASS, "machine=tree");
    p.other = small_params("machine=onelsm,kernel=linear");
    p.test = clouds(600000, &TALL, PT_LABEL_CLASS);
    expect_lively("compares McNemar", compare, &p);
    problem_free(&p);
}

static void test_cancel__judging_is_never_silent(void **state)
{
    (void)state;
    if (!wanted("judges"))
        return;
    problem p = new_problem(larger(100000, 500000), &TALL, PT_LABEL_CLASS, "");
    expect_lively("judges", judge, &p);
    problem_free(&p);
    if (!silence.whole)
        return;
    p = new_problem(200000, &SPARSE, PT_LABEL_CLASS, "");
    expect_lively("judges sparse", judge, &p);
    problem_free(&p);
    p = new_problem(2000, &WIDE, PT_LABEL_SET, "");
    expect_lively("judges wide sets", judge, &p);
    problem_free(&p);
}

/* A model of few rows says something of many. */
static void expect_evaluation(const char *name, const char *options, const shape *of,
                              pt_label_kind kind, int64_t n, job_fn job)
{
    if (!wanted(name))
        return;
    problem p = new_problem(of->stored ? 5000 : 2000, of, kind, options);
    make_model(&p);
    pt_dataset_free(p.data);
    p.data = clouds(n, of, kind);
    expect_lively(name, job, &p);
    problem_free(&p);
}

static void test_cancel__evaluations_are_never_silent(void **state)
{
    (void)state;
    expect_evaluation("evaluates a code", "machine=code,code=ovo,learner=tree,calibrate=no", &TALL,
                      PT_LABEL_CLASS, larger(50000, 200000), evaluate);
    expect_evaluation("looks at stages",
                      "machine=code,code=dense,learner=adaboost,rounds=30,calibrate=no", &TALL,
                      PT_LABEL_CLASS, larger(40000, 200000), look_at_stages);
    expect_evaluation("permutes columns", "machine=onelsm,sigma=1,ridge=1,calibrate=no", &TALL,
                      PT_LABEL_CLASS, larger(10000, 100000), permute_columns);
    expect_evaluation("explains rows", "machine=onelsm,sigma=1,ridge=1,calibrate=no", &TALL,
                      PT_LABEL_CLASS, larger(300, 10000), explain_rows);
    if (!silence.whole)
        return;
    expect_evaluation("evaluates a tree", "machine=tree", &TALL, PT_LABEL_CLASS, 1000000, evaluate);
    expect_evaluation("evaluates many classes", "machine=softmax", &MANY, PT_LABEL_CLASS, 150000,
                      evaluate);
    expect_evaluation("evaluates sparse rows", "machine=softmax", &SPARSE, PT_LABEL_CLASS, 300000,
                      evaluate);
    expect_evaluation("evaluates sets", "machine=relevance,learner=tree", &TALL, PT_LABEL_SET,
                      400000, evaluate);
    expect_evaluation("evaluates rankings", "machine=constraint", &TALL, PT_LABEL_RANKING, 400000,
                      evaluate);
    expect_evaluation("evaluates pairs", "machine=rank-ls,kernel=linear", &TALL, PT_LABEL_PAIRS,
                      400000, evaluate);
    expect_evaluation("evaluates rounds", "machine=adaboost-mo,code=ova,rounds=50", &TALL,
                      PT_LABEL_CLASS, 200000, evaluate_rounds);
}

static void test_cancel__codes_are_never_silent(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *classes;
    } CODES[] = {
        {"code=dense", "300"},
        {"code=dense,draws=1", "100000"},
        {"code=sparse", "300"},
        {"code=sparse,draws=1", "20000"},
        {"code=bch", "2000"},
        {"code=ovo", "400"},
        {"code=ova", "5000"},
        {"code=complete", "16"},
        {"code=hadamard", "3000"},
        {"code=ordinal", "4000"},
        {"code=dense,paper=yes,draws=1000000", "4"},
    };
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES && silence.whole; i++) {
        char name[120];
        snprintf(name, sizeof name, "%s k=%s", CODES[i].options, CODES[i].classes);
        if (!wanted(name))
            continue;
        problem p = {.params = small_params(CODES[i].options), .path = CODES[i].classes};
        expect_lively(name, make_code, &p);
        problem_free(&p);
    }
}

static void test_cancel__designs_are_never_silent(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int64_t n;
    } DESIGNS[] = {
        {"norm=2", 20000},
        {"norm=2,design-C=1,design-kernel=rbf", 2000},
        {"norm=2,design-form=hard", 3000},
        {"design-form=pairs", 10000},
        {"design-form=pairs,design-kernel=rbf,design-C=1", 1000},
        {"norm=1,design-C=1", 1000},
        {"norm=1,design-form=hard", 1000},
        {"norm=inf,design-C=1", 1000},
        {"norm=inf,design-form=separable", 400},
        {"design-form=discrete,design-search=column", 20000},
        {"design-form=discrete,design-search=greedy", 20000},
        {"design-form=discrete,design-search=local", 20000},
        {"design-form=discrete,design-entries=ternary", 20000},
        {"incremental=yes", 3000},
    };
    if (!silence.whole || !wanted("designs"))
        return;
    for (size_t i = 0; i < sizeof DESIGNS / sizeof *DESIGNS; i++) {
        char name[120];
        snprintf(name, sizeof name, "designs %s", DESIGNS[i].options);
        if (!wanted(name))
            continue;
        problem p = new_problem(DESIGNS[i].n, &TALL, PT_LABEL_CLASS,
                                "machine=code,code=ova,learner=linear-svm,calibrate=no");
        make_model(&p);
        pt_params_free(p.params);
        p.params = small_params(DESIGNS[i].options);
        expect_lively(name, design, &p);
        problem_free(&p);
    }
}

static void test_cancel__problems_made_up_are_never_silent(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"ass", "cs", "hrz"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && silence.whole; i++) {
        char name[40];
        snprintf(name, sizeof name, "synth %s", NAMES[i]);
        if (wanted(name))
            expect_lively(name, synth, (void *)(uintptr_t)NAMES[i]);
    }
    (void)remove("cancel-synth.csv");
}

static void test_cancel__foreign_models_are_never_silent(void **state)
{
    (void)state;
    if (!silence.whole || !wanted("libsvm model"))
        return;
    problem p = new_problem(
        20000, &MANY, PT_LABEL_CLASS,
        "machine=code,code=ovo,learner=svm,sigma=0.1,calibrate=no,decode=vote,scale=none");
    p.path = "cancel-svm.model";
    make_model(&p);
    expect_lively("libsvm model out", export_model, &p);
    pt_error err = PT_ERROR_INIT;
    small_must(export_model(&p, NULL, &err), &err, "export");
    expect_lively("libsvm model in", import_model, &p);
    problem_free(&p);
    (void)remove("cancel-svm.model");
}

static void test_cancel__streams_are_never_silent(void **state)
{
    (void)state;
    static const char *const OPTIONS[] = {"", "resume=cancel-state", "update=pa"};
    if (wanted("online rows")) {
        problem p = new_problem(larger(200000, 1000000), &TALL, PT_LABEL_CLASS, "");
        expect_lively("online rows", learn_rows, &p);
        problem_free(&p);
    }
    if (!silence.whole)
        return;
    for (int csv = 0; csv < 2; csv++) {
        const char *path = csv ? "cancel-rows.csv" : "cancel-rows.svm";
        text t = make_table(path, 3000000);
        if (csv) /* numbers only */
            for (size_t i = 0; i < t.size; i++)
                if (t.bytes[i] == 'l' && t.bytes[i - 1] == ',' && t.bytes[i + 1] < 'a')
                    t.bytes[i] = '1';
        put_file(path, &t);
        free(t.bytes);
        for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
            char name[80];
            snprintf(name, sizeof name, "online %s %s", path + 12, OPTIONS[i]);
            problem p = {.params = small_params(OPTIONS[i]), .path = path};
            if (wanted(name))
                expect_lively(name, learn_online, &p);
            problem_free(&p);
        }
        text few = make_table(path, 2000);
        pt_error err = PT_ERROR_INIT;
        problem p = {.params = small_params("machine=softmax"), .path = path};
        small_must(pt_dataset_read_memory(&p.data, few.bytes, few.size, path, NULL, NULL, &err),
                   &err, path);
        free(few.bytes);
        make_model(&p);
        expect_lively(csv ? "predicts csv" : "predicts svm", predict_stream, &p);
        expect_lively(csv ? "evaluates csv" : "evaluates svm", evaluate_stream, &p);
        expect_lively(csv ? "reads csv for a model" : "reads svm for a model", read_for_model, &p);
        problem_free(&p);
        (void)remove(path);
    }
}

static void test_cancel__large_problems_are_never_silent(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const shape *of;
        pt_label_kind kind;
        int64_t n;
        job_fn job;
    } JOBS[] = {
        {"machine=onelsm,sigma=1,ridge=1,calibrate=no", &TALL, PT_LABEL_CLASS, 7000, train},
        {"machine=onelsm,sigma=1,ridge=1", &TALL, PT_LABEL_CLASS, 5000, train},
        {"machine=vo-lssvm,sigma=1,ridge=1", &TALL, PT_LABEL_CLASS, 5000, train},
        {"machine=suykens,sigma=1,ridge=1", &TALL, PT_LABEL_CLASS, 5000, train},
        {"machine=rank-ls,sigma=1,ridge=1", &TALL, PT_LABEL_RANKING, 5000, train},
        {"machine=elm,hidden=3000,ridge=1", &TALL, PT_LABEL_CLASS, 20000, train},
        {"machine=onelsm,kernel=linear", &WIDE, PT_LABEL_CLASS, 3000, train},
        {"machine=code,code=ova,learner=svm,sigma=1", &TALL, PT_LABEL_CLASS, 100000, train},
        {"machine=code,code=ova,learner=svm", &SPARSE, PT_LABEL_CLASS, 50000, train},
        {"machine=spoc,sigma=1", &TALL, PT_LABEL_CLASS, 20000, train},
        {"machine=constraint,kernel=rbf,sigma=1", &TALL, PT_LABEL_RANKING, 5000, train},
        {"machine=constraint", &TALL, PT_LABEL_SET, 200000, train},
        {"machine=constraint,method=online", &TALL, PT_LABEL_PAIRS, 300000, train},
        {"machine=softmax", &TALL, PT_LABEL_CLASS, 500000, train},
        {"machine=softmax,penalty=l1", &SPARSE, PT_LABEL_CLASS, 100000, train},
        {"machine=tree", &TALL, PT_LABEL_CLASS, 600000, train},
        {"machine=tree,bins=0", &TALL, PT_LABEL_CLASS, 300000, train},
        {"machine=tree,merge=no,calibrate=no", &SPARSE, PT_LABEL_CLASS, 2000, train},
        {"machine=code,code=dense,learner=tree,prune=0.0001", &TALL, PT_LABEL_CLASS, 100000, train},
        {"machine=adaboost-mo,code=dense", &WIDE, PT_LABEL_CLASS, 4000, train},
        {"machine=adaboost-mh,bins=0", &TALL, PT_LABEL_CLASS, 300000, train},
        {"machine=code,code=ova,learner=logitboost,depth=4", &TALL, PT_LABEL_CLASS, 100000, train},
        {"machine=code,code=ova,learner=brownboost", &TALL, PT_LABEL_CLASS, 50000, train},
        {"machine=relevance,learner=linear-svm", &TALL, PT_LABEL_SET, 300000, train},
        {"machine=powerset,kernel=linear", &TALL, PT_LABEL_SET, 300000, train},
        {"machine=onelsm", &TALL, PT_LABEL_CLASS, 100000, plan},
        {"machine=code,code=ovo,learner=svm", &MANY, PT_LABEL_CLASS, 100000, plan},
        {"machine=onelsm", &TALL, PT_LABEL_CLASS, 100000, train_in_time},
        {"machine=code,code=ovo,learner=svm", &TALL, PT_LABEL_CLASS, 300000, train_in_time},
        {"machine=softmax", &SPARSE, PT_LABEL_CLASS, 200000, train_in_time},
    };
    for (size_t i = 0; i < sizeof JOBS / sizeof *JOBS && silence.whole; i++) {
        char name[120];
        snprintf(name, sizeof name, "%s%s n=%lld", JOBS[i].options + 8,
                 JOBS[i].job == plan            ? " plan"
                 : JOBS[i].job == train_in_time ? " in time"
                                                : "",
                 (long long)JOBS[i].n);
        if (!wanted(name))
            continue;
        problem p = new_problem(JOBS[i].n, JOBS[i].of, JOBS[i].kind, JOBS[i].options);
        expect_lively(name, JOBS[i].job, &p);
        problem_free(&p);
    }
}

int main(int argc, char **argv)
{
    silence_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel__reading_is_never_silent),
        cmocka_unit_test(test_cancel__searches_are_never_silent),
        cmocka_unit_test(test_cancel__comparisons_are_never_silent),
        cmocka_unit_test(test_cancel__judging_is_never_silent),
        cmocka_unit_test(test_cancel__evaluations_are_never_silent),
        cmocka_unit_test(test_cancel__codes_are_never_silent),
        cmocka_unit_test(test_cancel__designs_are_never_silent),
        cmocka_unit_test(test_cancel__problems_made_up_are_never_silent),
        cmocka_unit_test(test_cancel__foreign_models_are_never_silent),
        cmocka_unit_test(test_cancel__streams_are_never_silent),
        cmocka_unit_test(test_cancel__large_problems_are_never_silent),
        cmocka_unit_test(test_silence__is_as_short_as_promised),
    };
    return silence_measured() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
