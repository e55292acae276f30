/* Every allocation of the whole way, from a file's bytes to a prediction by a loaded model, is made
 * to fail in turn: the answer is PT_ENOMEM (or the work is done all the same), nothing leaks and
 * what was on disk stays whole. Where JSON is made, jansson's allocations go through our door and
 * fail too (its parser does not look at what it was given). Those of Clp, OpenBLAS and OpenMP do
 * not: tests/torture makes them fail, and those of the command-line tool. */
/* labels: heavy */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "../support/share.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "base/task.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "params/params_table.h"
#include "polytomy/experimental.h"

static const char CSV[] = "height,colour,width,class\n"
                          "1.5,red,2,a\n2.5,blue,,b\n1.25,red,3,a\n2.75,green,1,b\n"
                          "1,red,2.5,a\n3,blue,1.5,b\n0.5,?,2,c\n0.25,green,1,c\n";
/* Compressed rows of four features. */
static const int64_t START[] = {0, 2, 3, 5, 7, 8, 10};
static const int64_t INDEX[] = {0, 2, 1, 0, 3, 1, 2, 0, 1, 3};
static const double VALUE[] = {1, 2, 1, 2, 1, 3, 1, 1, 2, 2};
static const int64_t LABEL[] = {1, 2, 1, 2, 1, 2};

/* Three columns for three rows: data, and a kernel. */
static const char SQUARE[] = "2,0,1,1\n0,2,-1,2\n1,-1,3,1\n";

static char path[] = "/tmp/polytomy_memory_XXXXXX";

/* One way through the library; returns the first status that is not PT_OK. */
typedef pt_status (*journey)(int threads, pt_error *err);

static pt_status read_and_train(pt_model **model, const char *bytes, size_t size, const char *name,
                                const char *options, int threads, pt_error *err)
{
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, options, err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = pt_dataset_read_memory(&data, bytes, size, name, params, task, err);
    }
    if (status == PT_OK)
        status = pt_model_train(model, data, params, task, err);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}

static pt_status journey_csv(int threads, pt_error *err)
{
    pt_model *model = NULL;
    const pt_status status = read_and_train(
        &model, CSV, sizeof CSV - 1, "x.csv",
        "kernel=rbf,sigma=1,ridge=0.1,missing=indicator,class-weight=balanced", threads, err);
    pt_model_free(model);
    return status;
}

/* Columns that say how rows are held out; closed forms by time. */
static pt_status journey_held_out(int threads, pt_error *err)
{
    static const char TIED[] = "height,width,who,part,day,class\n"
                               "1.5,2,p,1,2021-03-01,a\n2.5,3,q,2,2021-03-02,b\n"
                               "1.25,3,p,1,2021-03-03,a\n2.75,1,,-1,2021-03-04,b\n"
                               "1,2.5,r,2,2021-03-05,a\n3,1.5,r,2,2021-03-06,b\n";
    pt_model *model = NULL;
    pt_status status =
        read_and_train(&model, TIED, sizeof TIED - 1, "x.csv",
                       "kernel=rbf,sigma=1,time-column=day,ignore={who,part}", threads, err);
    pt_model_free(model);
    model = NULL;
    if (status == PT_OK)
        status = read_and_train(&model, TIED, sizeof TIED - 1, "x.csv",
                                "kernel=rbf,sigma=1,group=who,fold=part,ignore=day", threads, err);
    pt_model_free(model);
    return status;
}

static pt_status journey_auto(int threads, pt_error *err)
{
    pt_model *model = NULL;
    const pt_status status =
        read_and_train(&model, CSV, sizeof CSV - 1, "x.csv", "labelbook=mincorr", threads, err);
    pt_model_free(model);
    return status;
}

static pt_status journey_vo_lssvm(int threads, pt_error *err)
{
    pt_model *model = NULL;
    pt_status status = read_and_train(&model, CSV, sizeof CSV - 1, "x.csv",
                                      "machine=vo-lssvm,labelbook=mincorr,bias=yes,kernel=rbf,"
                                      "sigma=1,ridge=0.1",
                                      threads, err);
    pt_model_free(model);
    model = NULL;
    if (status == PT_OK)
        status =
            read_and_train(&model, CSV, sizeof CSV - 1, "x.csv",
                           "machine=vo-lssvm,labelbook=indicator,kernel=rbf,sigma=1", threads, err);
    pt_model_free(model);
    return status;
}

/* J((x_i, r), (x_j, y_j)) = [r = y_j] [i = j]: two classes, two blocks of four columns. */
static pt_status journey_joint(int threads, pt_error *err)
{
    static const int64_t label[4] = {0, 1, 0, 1};
    double J[4][8] = {{0}};
    for (int i = 0; i < 4; i++)
        J[i][4 * label[i] + i] = 1;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_task *task = NULL;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, "machine=vo-lssvm,kernel=joint", err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = dataset_from_f64(&data, &J[0][0], 4, 8, 8, err);
    }
    if (status == PT_OK)
        status = dataset_set_numbers(data, label, err);
    if (status == PT_OK)
        status = pt_model_train(&model, data, params, task, err);
    pt_model_free(model);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}

static pt_status journey_sparse(int threads, pt_error *err)
{
    (void)threads;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, "kernel=rbf,sigma=1,ridge=0.1,precision=double", err);
    if (status == PT_OK)
        status = dataset_from_csr(&data, START, INDEX, VALUE, 6, 4, err);
    if (status == PT_OK)
        status = dataset_set_numbers(data, LABEL, err);
    if (status == PT_OK)
        status = pt_model_train(&model, data, params, NULL, err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, model, data, -1, NULL, err);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_dataset_free(data);
    pt_params_free(params);
    return status;
}

static pt_status journey_save(int threads, pt_error *err)
{
    pt_model *model = NULL;
    pt_status status = read_and_train(&model, CSV, sizeof CSV - 1, "x.csv",
                                      "kernel=linear,ridge=0.1", threads, err);
    if (status == PT_OK)
        status = pt_model_save(model, path, err);
    pt_model_free(model);
    return status;
}

static pt_status journey_predict(int threads, pt_error *err)
{
    (void)threads;
    pt_model *model = NULL;
    pt_dataset *data = NULL;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    pt_status status = pt_model_load(&model, path, NULL, err);
    if (status == PT_OK)
        status = pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "x.csv", NULL, NULL, err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, model, data, -1, NULL, err);
    double proba[8 * 3];
    if (status == PT_OK)
        status = pt_prediction_proba(prediction, proba, err);
    if (status == PT_OK)
        status = pt_model_evaluate(&evaluation, model, data, prediction, NULL, NULL, err);
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    pt_dataset_free(data);
    pt_model_free(model);
    return status;
}

/* A code: coupling with its slope, and what the columns say. */
static pt_status journey_code(int threads, pt_error *err)
{
    pt_model *model = NULL;
    pt_dataset *data = NULL;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    pt_status status =
        read_and_train(&model, CSV, sizeof CSV - 1, "x.csv",
                       "machine=ls-ovo,kernel=linear,ridge=0.1,decode=coupling", threads, err);
    if (status == PT_OK)
        status = pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "x.csv", NULL, NULL, err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, model, data, -1, NULL, err);
    if (status == PT_OK)
        status = pt_model_evaluate(&evaluation, model, data, prediction, NULL, NULL, err);
    if (status == PT_OK)
        status = pt_evaluate_columns(evaluation, model, data, NULL, err);
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    pt_dataset_free(data);
    pt_model_free(model);
    return status;
}

static pt_status journey_search(int threads, pt_error *err)
{
    pt_params *params = NULL;
    pt_params *best = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_report *search = NULL;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, "kernel=rbf,folds=2,repeat=2", err);
    if (status == PT_OK)
        status = pt_params_set(params, "grid", "sigma=1,2,ridge=0.1,1", err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "x.csv", params, task, err);
    }
    if (status == PT_OK)
        status =
            pt_cross_validate(&search, &best, data, &(const pt_params *){params}, 1, task, err);
    pt_params_free(best);
    pt_report_free(search);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}

static pt_status train_save_predict(const char *options, int threads, pt_error *err)
{
    pt_model *model = NULL;
    pt_status status = read_and_train(&model, CSV, sizeof CSV - 1, "x.csv", options, threads, err);
    if (status == PT_OK)
        status = pt_model_save(model, path, err);
    pt_model_free(model);
    return status == PT_OK ? journey_predict(threads, err) : status;
}

/* Each machine of the registry in turn. */
static const pt_machine_ops *machine_in_turn;

static void machine_options(char options[200])
{
    const char *used = machine_in_turn->parameters;
    const bool composed = pt_word_listed(used, ',', "learner", 7);    /* has a journey of its own */
    const bool design = pt_word_listed(used, ',', "design-form", 11); /* so have all its forms */
    snprintf(options, 200, "machine=%s%s%s%s%s", machine_in_turn->name,
             design ? ",design-folds=2,design-C=1,calibrate=no" : "",
             pt_word_listed(used, ',', "kernel", 6) ? ",kernel=rbf,sigma=1" : "",
             pt_word_listed(used, ',', "ridge", 5) && !composed ? ",ridge=0.1" : "",
             pt_word_listed(used, ',', "rounds", 6) && !composed ? ",rounds=5" : "");
}

static pt_status journey_machine(int threads, pt_error *err)
{
    char options[200];
    machine_options(options);
    return train_save_predict(options, threads, err);
}

/* What journey_to_file is to write; NULL: not known yet. */
static char *expected;
static size_t expected_size;

static char *file_bytes(size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = calloc(1, 1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* Without a way back. What is written with memory that failed is what is written without. */
static pt_status journey_to_file(int threads, pt_error *err)
{
    char options[200];
    pt_model *model = NULL;
    machine_options(options);
    pt_status status = read_and_train(&model, CSV, sizeof CSV - 1, "x.csv", options, threads, err);
    if (status == PT_OK)
        status = pt_model_save(model, path, err);
    if (status == PT_OK && expected) {
        size_t size = 0;
        char *bytes = file_bytes(&size);
        assert_int_equal(size, expected_size);
        assert_memory_equal(bytes, expected, size);
        free(bytes);
    }
    pt_model_free(model);
    return status;
}

/* Each learner of the registry in turn, under a code. */
static const pt_learner_ops *learner_in_turn;
static const char *code_in_turn;

static pt_status journey_learner(int threads, pt_error *err)
{
    const char *used = learner_in_turn->parameters;
    char options[120];
    snprintf(options, sizeof options, "code=%s,learner=%s%s%s%s", code_in_turn,
             learner_in_turn->name, pt_word_listed(used, ',', "kernel", 6) ? ",kernel=rbf" : "",
             pt_word_listed(used, ',', "ridge", 5) ? ",ridge=0.1" : "",
             pt_word_listed(used, ',', "rounds", 6) ? ",rounds=5" : "");
    return train_save_predict(options, threads, err);
}

/* ---- a learner that a program brings: the mean of a column's sides ----------------------------
 */

static atomic_int states; /* that the program has out */

static pt_status side_fit(void **state, const pt_rows_view *rows, const int8_t *side,
                          const double *weight, int64_t column, void *user, pt_error *err)
{
    (void)weight;
    (void)column;
    (void)user;
    (void)err;
    double *mean = calloc(1, sizeof *mean);
    for (int64_t i = 0; i < rows->n_rows; i++)
        *mean += (double)side[i] / (double)rows->n_rows;
    atomic_fetch_add(&states, 1);
    *state = mean;
    return PT_OK;
}

static pt_status side_outputs(const void *state, const pt_rows_view *rows, double *outputs,
                              void *user, pt_error *err)
{
    (void)user;
    (void)err;
    for (int64_t i = 0; i < rows->n_rows; i++)
        outputs[i] = *(const double *)state;
    return PT_OK;
}

static void side_free(void *state, void *user)
{
    (void)user;
    atomic_fetch_sub(&states, 1);
    free(state);
}

static size_t side_save(const void *state, void *bytes, size_t capacity, void *user)
{
    (void)user;
    if (capacity >= sizeof(double))
        memcpy(bytes, state, sizeof(double));
    return sizeof(double);
}

static pt_status side_load(void **state, const void *bytes, size_t size, int64_t n_columns,
                           void *user, pt_error *err)
{
    (void)n_columns;
    (void)user;
    (void)err;
    double *mean = calloc(1, sizeof *mean);
    if (size == sizeof *mean)
        memcpy(mean, bytes, size);
    atomic_fetch_add(&states, 1);
    *state = mean;
    return PT_OK;
}

static pt_status journey_own_learner(int threads, pt_error *err)
{
    const pt_learner_callbacks learner = {.size = sizeof learner,
                                          .name = "side",
                                          .fit = side_fit,
                                          .outputs = side_outputs,
                                          .free_state = side_free,
                                          .save = side_save,
                                          .load = side_load};
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_model *loaded = NULL;
    pt_prediction *prediction = NULL;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_set_learner(params, &learner, err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "x.csv", params, task, err);
    }
    if (status == PT_OK)
        status = pt_model_train(&model, data, params, task, err);
    if (status == PT_OK)
        status = pt_model_save(model, path, err);
    if (status == PT_OK)
        status = pt_model_load(&loaded, path, params, err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, loaded, data, -1, task, err);
    pt_prediction_free(prediction);
    pt_model_free(loaded);
    pt_model_free(model);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(params);
    assert_int_equal(atomic_load(&states), 0);
    return status;
}

/* ---- a kernel that a program brings: how many cells are the same ------------------------------
 */

static pt_status same_values(const pt_rows_view *a, const pt_rows_view *b, double *block,
                             int64_t ld, void *user, pt_error *err)
{
    (void)user;
    (void)err;
    for (int64_t i = 0; i < a->n_rows; i++)
        for (int64_t j = 0; j < b->n_rows; j++) {
            double sum = 0;
            for (int64_t f = 0; f < a->n_columns && a->dense; f++)
                sum += a->dense[i * a->stride + f] == b->dense[j * b->stride + f];
            for (int64_t p = a->dense ? 0 : a->start[i]; !a->dense && p < a->start[i + 1]; p++)
                for (int64_t q = b->start[j]; q < b->start[j + 1]; q++)
                    sum += a->index[p] == b->index[q] && a->value[p] == b->value[q];
            block[i * ld + j] = sum;
        }
    return PT_OK;
}

static const char *way_in_turn;
static bool sparse_in_turn;

static pt_status journey_own_kernel(int threads, pt_error *err)
{
    const pt_kernel_callbacks kernel = {
        .size = sizeof kernel, .name = "same", .takes_sparse = 1, .psd = 1, .values = same_values};
    pt_params *params = NULL;
    pt_params *others = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_model *loaded = NULL;
    pt_model *copy = NULL;
    pt_prediction *prediction = NULL;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, way_in_turn, err);
    if (status == PT_OK)
        status = pt_params_set_kernel(params, &kernel, err);
    if (status == PT_OK)
        status = pt_params_copy(&others, params, err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = sparse_in_turn ? dataset_from_csr(&data, START, INDEX, VALUE, 6, 4, err)
                                : pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "x.csv",
                                                         params, task, err);
    }
    if (status == PT_OK && sparse_in_turn)
        status = dataset_set_numbers(data, LABEL, err);
    if (status == PT_OK)
        status = pt_model_train(&model, data, params, task, err);
    pt_params_free(params);
    if (status == PT_OK)
        status = pt_model_save(model, path, err);
    if (status == PT_OK)
        status = pt_model_load(&loaded, path, others, err);
    if (status == PT_OK)
        status = pt_model_copy(&copy, loaded, err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, copy, data, -1, task, err);
    pt_prediction_free(prediction);
    pt_model_free(copy);
    pt_model_free(loaded);
    pt_model_free(model);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(others);
    return status;
}

/* A borrowed table with names and levels, a view of it, a model through memory, what is in it. */
static pt_status journey_from_memory(int threads, pt_error *err)
{
    static const float CELLS[] = {0, 0, 1, 1, 0, 1, 1, 0, 5, 5, 6, 5};
    static const int32_t COLOUR[] = {0, 1, 0, 1, -1, 1};
    static const int8_t CODE[] = {0, 0, 2, 2, 0, 2};
    static const char *const NAMES[] = {"x", "colour"};
    static const char *const LEVELS[] = {"NA", ""};
    static const char *const CLASSES[] = {"", "unused", "NA"};
    static const int64_t ROWS_OF[] = {5, 4, 3, 2, 1, 0};
    const pt_dense table = {PT_F32, CELLS, 6, 2, 1, 6};
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_dataset *view = NULL;
    pt_model *model = NULL;
    pt_model *loaded = NULL;
    pt_model *copy = NULL;
    pt_report *arrays = NULL;
    pt_report *plan = NULL;
    pt_prediction *prediction = NULL;
    void *bytes = NULL;
    char *json = NULL;
    size_t size = 0;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, "machine=softmax,calibrate=no", err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK)
        pt_task_set_threads(task, threads);
    if (status == PT_OK)
        status = pt_dataset_from_dense(&data, &table, PT_BORROW, err);
    if (status == PT_OK)
        status = pt_dataset_set_names(data, NAMES, err);
    if (status == PT_OK)
        status = pt_dataset_set_levels(data, 1, COLOUR, LEVELS, 2, err);
    if (status == PT_OK)
        status = pt_dataset_set_classes(data, PT_I8, CODE, CLASSES, 3, err);
    if (status == PT_OK)
        status = pt_dataset_rows(&view, data, ROWS_OF, 6, err);
    if (status == PT_OK)
        status = pt_model_plan(&plan, view, params, task, err);
    if (status == PT_OK)
        status = pt_model_train(&model, view, params, task, err);
    if (status == PT_OK)
        status = pt_model_save_memory(&bytes, &size, model, err);
    if (status == PT_OK)
        status = pt_model_load_memory(&loaded, bytes, size, params, err);
    if (status == PT_OK)
        status = pt_model_copy(&copy, loaded, err);
    if (status == PT_OK)
        status = pt_model_arrays(&arrays, copy, err);
    if (status == PT_OK)
        status = pt_report_json(&json, arrays, err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, copy, data, -1, task, err);
    pt_prediction_free(prediction);
    pt_bytes_free(json);
    pt_bytes_free(bytes);
    pt_report_free(plan);
    pt_report_free(arrays);
    pt_model_free(copy);
    pt_model_free(loaded);
    pt_model_free(model);
    pt_dataset_free(view);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}

/* Two machines, folds with a preparation of their own, results kept in a file. */
static pt_status journey_machines(int threads, pt_error *err)
{
    static const char *const MACHINES[] = {"onelsm:kernel=linear", "onelsm:sigma=1"};
    pt_params *common = NULL;
    pt_params *params[2] = {NULL, NULL};
    pt_report *searches[2] = {NULL, NULL};
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    unlink(path);
    pt_status status = pt_params_new(&common, err);
    if (status == PT_OK)
        status = pt_params_parse(common, "folds=2,scale-per-fold=yes,grid={ridge=0.1,1}", err);
    if (status == PT_OK)
        status = pt_params_set(common, "resume", path, err);
    if (status == PT_OK)
        status = pt_params_for_machines(params, common, MACHINES, 2, err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "x.csv", common, task, err);
    }
    if (status == PT_OK)
        status =
            pt_cross_validate(searches, NULL, data, (const pt_params *const *)params, 2, task, err);
    for (int m = 0; m < 2; m++) {
        pt_report_free(searches[m]);
        pt_params_free(params[m]);
    }
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(common);
    return status;
}

static const char SETS[] =
    "x,y,label\n1,1,a;b\n1,2,a;b\n-1,-1,\n-1,-2,\n1,-1,a\n2,-1,a\n-1,1,b\n-1,2,b\n";

/* Labels that are sets: a search by a metric that a file keeps, an evaluation, a test. */
static pt_status journey_labels(int threads, pt_error *err)
{
    pt_params *params[2] = {NULL, NULL};
    pt_params *decide = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_report *search = NULL;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    pt_report *mcnemar = NULL;
    unlink(path);
    pt_status status = pt_params_new(&params[0], err);
    if (status == PT_OK)
        status = pt_params_parse(
            params[0], "machine=constraint,labels=set,folds=2,metric=micro-f1,grid={C=0.1,1}", err);
    if (status == PT_OK)
        status = pt_params_set(params[0], "resume", path, err);
    if (status == PT_OK)
        status = pt_params_copy(&params[1], params[0], err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status =
            pt_dataset_read_memory(&data, SETS, sizeof SETS - 1, "x.csv", params[0], task, err);
    }
    if (status == PT_OK)
        status =
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params[0]}, 1, task, err);
    if (status == PT_OK)
        status = pt_params_set(params[0], "thresholds", "f1", err);
    if (status == PT_OK)
        status = pt_model_train(&model, data, params[0], task, err);
    if (status == PT_OK)
        status = pt_params_set(params[0], "thresholds", "zero", err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, model, data, -1, task, err);
    if (status == PT_OK)
        status = pt_params_new(&decide, err);
    if (status == PT_OK)
        status = pt_params_parse(decide, "coverage=0.95", err);
    if (status == PT_OK)
        status = pt_prediction_decide(prediction, model, decide, err);
    if (status == PT_OK)
        status = pt_model_evaluate(&evaluation, model, data, prediction, NULL, NULL, err);
    unlink(path);
    if (status == PT_OK)
        status = pt_compare(&mcnemar, data, data, (const pt_params *const *)params, 2, task, err);
    pt_report_free(mcnemar);
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_report_free(search);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(decide);
    pt_params_free(params[0]);
    pt_params_free(params[1]);
    return status;
}

/* Arrays in memory, copied and shared, until they are a code, costs and weights; what its columns
 * and stages say; a code designed by costs. */
static pt_status journey_arrays(int threads, pt_error *err)
{
    static const double COSTS[] = {0, 2, 1, 1, 0, 1, 3, 1, 0};
    static const int8_t SIGNS[] = {1, 1, -1, 0, 0, -1};
    static const float WEIGHTS[] = {1, 2, 0.5F};
    static const int64_t STAGES[] = {1, 2};
    const pt_dense costs = {PT_F64, COSTS, 3, 3, 1, 3};
    const pt_dense signs = {PT_I8, SIGNS, 3, 2, 0, 0};
    const pt_dense weights = {PT_F32, WEIGHTS, 1, 3, 0, 0};
    pt_params *params = NULL;
    pt_params *copy = NULL;
    pt_params *design = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_model *designed = NULL;
    pt_report *outputs = NULL;
    pt_report *importance = NULL;
    pt_report *why = NULL;
    pt_report *coding = NULL;
    pt_report *search = NULL;
    unlink(path);
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, "learner=adaboost,rounds=2,folds=2,calibrate=no", err);
    if (status == PT_OK)
        status = pt_params_set_array(params, "code", &signs, err);
    if (status == PT_OK)
        status = pt_params_set_array(params, "class-weight", &weights, err);
    if (status == PT_OK)
        status = pt_params_set(params, "resume", path, err);
    if (status == PT_OK)
        status = pt_params_copy(&copy, params, err);
    if (status == PT_OK)
        status = pt_params_new(&design, err);
    if (status == PT_OK)
        status = pt_params_parse(design, "design-C=1,design-folds=2,calibrate=no", err);
    if (status == PT_OK)
        status = pt_params_set_array(design, "costs", &costs, err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "x.csv", NULL, task, err);
    }
    if (status == PT_OK)
        status = pt_coding_make(&coding, 3, copy, task, err);
    if (status == PT_OK)
        status = pt_cross_validate(&search, NULL, data, &(const pt_params *){copy}, 1, task, err);
    if (status == PT_OK)
        status = pt_model_train(&model, data, copy, task, err);
    if (status == PT_OK)
        status = pt_model_outputs(&outputs, model, data, STAGES, 2, task, err);
    if (status == PT_OK)
        status = pt_model_importance(&importance, model, data, NULL, task, err);
    if (status == PT_OK)
        status = pt_model_explain(&why, model, data, NULL, task, err);
    if (status == PT_OK)
        status = pt_model_design(&designed, model, data, design, task, err);
    pt_report_free(search);
    pt_report_free(coding);
    pt_report_free(outputs);
    pt_report_free(importance);
    pt_report_free(why);
    pt_model_free(designed);
    pt_model_free(model);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(design);
    pt_params_free(copy);
    pt_params_free(params);
    return status;
}

/* Costs from a file, with a column of rejecting, and from memory; sets by class. */
static pt_status journey_decide(int threads, pt_error *err)
{
    static const double COSTS[] = {0, 1, 2, .5, 1, 0, 1, .5, 2, 1, 0, .5};
    const pt_dense costs = {PT_F64, COSTS, 3, 4, 0, 0};
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_model *copy = NULL;
    pt_report *why = NULL;
    pt_prediction *prediction = NULL;
    void *bytes = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("0,1,2,.5\n1,0,1,.5\n2,1,0,.5\n", file) >= 0);
    fclose(file);
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, "kernel=rbf,sigma=1,ridge=0.1", err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "x.csv", NULL, task, err);
    }
    if (status == PT_OK)
        status = pt_model_train(&model, data, params, task, err);
    if (status == PT_OK)
        status = pt_model_save_memory(&bytes, &size, model, err);
    if (status == PT_OK)
        status = pt_model_load_memory(&copy, bytes, size, NULL, err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, copy, data, -1, task, err);
    if (status == PT_OK)
        status = pt_model_explain(&why, copy, data, params, task, err);
    if (status == PT_OK)
        status = pt_params_parse(params, "coverage=0.9,coverage-by=class", err);
    if (status == PT_OK)
        status = pt_prediction_decide(prediction, copy, params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, "coverage=unset,coverage-by=all", err);
    if (status == PT_OK)
        status = pt_params_set(params, "costs", path, err);
    if (status == PT_OK)
        status = pt_prediction_decide(prediction, copy, params, err);
    if (status == PT_OK)
        status = pt_params_set_array(params, "costs", &costs, err);
    if (status == PT_OK)
        status = pt_prediction_decide(prediction, copy, params, err);
    unlink(path);
    pt_bytes_free(bytes);
    pt_report_free(why);
    pt_prediction_free(prediction);
    pt_model_free(copy);
    pt_model_free(model);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}

/* Rows in memory, in two pieces: dense ones, and sparse ones in float32. */
static pt_status journey_learn(int threads, pt_error *err)
{
    static const double CELLS[] = {1, 2, 0, 1, 3, 1, 2, 2};
    static const float CELLS_OF_FEW[] = {1, 2, 1, 3};
    static const int32_t BEGIN[] = {0, 1, 3, 4};
    static const int32_t PLACE[] = {0, 1, 5, 2};
    static const int64_t DENSE_LABEL[] = {3, 1, 2, 1};
    const pt_dense dense = {PT_F64, CELLS, 4, 2, 0, 0};
    const pt_sparse sparse = {PT_F32, PT_I32, BEGIN, PLACE, CELLS_OF_FEW, 3, 6};
    pt_status status = PT_OK;
    (void)threads;
    for (int s = 0; s < 2 && status == PT_OK; s++) {
        pt_dataset *data = NULL;
        pt_online *online = NULL;
        pt_model *model = NULL;
        status = s ? pt_dataset_from_sparse(&data, &sparse, PT_COPY, err)
                   : pt_dataset_from_dense(&data, &dense, PT_BORROW, err);
        if (status == PT_OK)
            status = dataset_set_numbers(data, DENSE_LABEL, err);
        if (status == PT_OK)
            status = pt_online_new(&online, NULL, err);
        for (int piece = 0; piece < 2 && status == PT_OK; piece++)
            status = pt_online_learn(online, data, NULL, err);
        if (status == PT_OK)
            status = pt_online_model(&model, online, err);
        pt_model_free(model);
        pt_online_free(online);
        pt_dataset_free(data);
    }
    return status;
}

static const char *stream_options;
static const char *stream_text;

/* A stream, its checkpoint, and what comes of both. */
static pt_status journey_stream(int threads, pt_error *err)
{
    static char file[] = "/tmp/polytomy_stream.csv";
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_online *online = NULL;
    pt_online *again = NULL;
    pt_model *model = NULL;
    FILE *text = fopen(file, "w");
    assert_non_null(text);
    assert_true(fputs(stream_text, text) >= 0);
    assert_int_equal(fclose(text), 0);
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, stream_options, err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = pt_online_new(&online, params, err);
    }
    if (status == PT_OK)
        status = pt_online_read(online, file, NULL, NULL, task, err);
    if (status == PT_OK)
        status = pt_online_save(online, path, err);
    if (status == PT_OK)
        status = pt_online_load(&again, path, params, err);
    if (status == PT_OK)
        status = pt_online_model(&model, again, err);
    pt_model_free(model);
    pt_online_free(again);
    pt_online_free(online);
    pt_task_free(task);
    pt_params_free(params);
    unlink(file);
    return status;
}

/* Tables of what there is, and what parameters mean to a machine. */
static pt_status journey_tables(int threads, pt_error *err)
{
    static const char *const TABLES[] = {"parameters", "machines", "learners", "codes"};
    enum { N = sizeof TABLES / sizeof *TABLES };
    (void)threads;
    pt_report *tables[N] = {NULL};
    pt_report *known = NULL;
    pt_params *params = NULL;
    pt_status status = pt_params_new(&params, err);
    for (int t = 0; t < N && status == PT_OK; t++)
        status = pt_catalogue(&tables[t], TABLES[t], err);
    if (status == PT_OK)
        status = pt_params_parse(params, "machine=class-tree,learner=linear-svm", err);
    if (status == PT_OK)
        status = pt_params_report(&known, params, err);
    for (int t = 0; t < N; t++)
        pt_report_free(tables[t]);
    pt_report_free(known);
    pt_params_free(params);
    return status;
}

/* Allocation 1, 2, 3, ... fails (alone, or all after it as well) until the journey needs no more of
 * them. Beyond the first forty, which are all tried, loops over points of a grid repeat the same
 * ones. */
static void sweep_by(void (*make_fail)(int64_t number), journey go, int threads, const char *what)
{
    pt_error err = PT_ERROR_INIT;
    const int64_t live = pt_alloc_live();
    static int64_t sweeps;
    const int64_t share = test_share(); /* of it: other numbers in every sweep */
    for (int64_t number = 1 + sweeps++ % share;; number += share * (1 + number / 40)) {
        assert_true(number < 1000000);
        memset(&err, 0, sizeof err);
        make_fail(number);
        const pt_status status = go(threads, &err);
        const bool over = pt_alloc_count() < number;
        pt_alloc_fail_from(0);
        if (status != PT_OK && status != PT_ENOMEM)
            fail_msg("%s, allocation %lld: %s: %s", what, (long long)number, pt_status_name(status),
                     err.text);
        if (status != err.code)
            fail_msg("%s, allocation %lld: returns %s, the error says %s", what, (long long)number,
                     pt_status_name(status), pt_status_name(err.code));
        if (pt_alloc_live() != live)
            fail_msg("%s, allocation %lld: %lld blocks leak", what, (long long)number,
                     (long long)(pt_alloc_live() - live));
        if (over) {
            assert_int_equal(status, PT_OK);
            assert_true(number > 5);
            return;
        }
    }
}

static void sweep(journey go, int threads, const char *what)
{
    pt_error err = PT_ERROR_INIT;
    small_must(go(threads, &err), &err, what); /* also warms what is made once */
    sweep_by(pt_alloc_fail_from, go, threads, what);
    sweep_by(pt_alloc_fail_only, go, threads, what);
}

static void test_memory__train_from_csv(void **state)
{
    (void)state;
    sweep(journey_csv, 1, "csv");
    sweep(journey_csv, 2, "csv on two threads");
}

static void test_memory__tables_of_what_there_is(void **state)
{
    (void)state;
    sweep(journey_tables, 1, "tables");
}

static void test_memory__choose_parameters(void **state)
{
    (void)state;
    sweep(journey_auto, 1, "auto");
    sweep(journey_auto, 2, "auto on two threads");
}

static void test_memory__train_vo_lssvm(void **state)
{
    (void)state;
    sweep(journey_vo_lssvm, 1, "vo-lssvm");
    sweep(journey_vo_lssvm, 2, "vo-lssvm on two threads");
    sweep(journey_held_out, 1, "held out");
    sweep(journey_joint, 1, "joint kernel");
}

static void test_memory__train_sparse(void **state)
{
    (void)state;
    sweep(journey_sparse, 1, "sparse");
}

static void test_memory__from_memory_and_back(void **state)
{
    (void)state;
    sweep(journey_from_memory, 1, "from memory");
}

static void test_memory__save_then_load_and_predict(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    sweep(journey_save, 1, "save");
    pt_model *model = NULL;
    small_must(pt_model_load(&model, path, NULL, &err), &err, "the file stays whole");
    pt_model_free(model);
    sweep(journey_predict, 1, "predict");
}

static void test_memory__code(void **state)
{
    (void)state;
    sweep(journey_code, 1, "code");
}

/* A model to LIBSVM's file and back, of every way that arrays are made. */
static const char *libsvm_kernel;

static pt_status journey_libsvm(int threads, pt_error *err)
{
    pt_model *model = NULL;
    pt_model *back = NULL;
    char options[160];
    snprintf(options, sizeof options,
             "machine=code,code=ovo,learner=svm,scale=none,decode=coupling,coupling-slope=1,%s",
             libsvm_kernel);
    pt_status status =
        read_and_train(&model, SQUARE, sizeof SQUARE - 1, "x.csv", options, threads, err);
    if (status == PT_OK)
        status = pt_model_export(model, path, "libsvm", NULL, NULL, err);
    if (status == PT_OK)
        status = pt_model_import(&back, path, "libsvm-proba", 0, NULL, err);
    pt_model_free(back);
    pt_model_free(model);
    return status;
}

static void test_memory__libsvm_models(void **state)
{
    (void)state;
    static const char *const kernels[] = {"kernel=linear", "kernel=rbf,sigma=1",
                                          "kernel=precomputed"};
    for (int c = 0; c < 3; c++) {
        libsvm_kernel = kernels[c];
        sweep(journey_libsvm, 1, kernels[c]);
    }
}

static void test_memory__search(void **state)
{
    (void)state;
    sweep(journey_search, 1, "search");
    sweep(journey_search, 2, "search on two threads");
}

/* Training that begins with a model, by way of its file: what it goes on from, and what it begins
 * anew with another C. */
static const char *start_in_turn;
static const char *start_changes;

static pt_status journey_start(int threads, pt_error *err)
{
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_model *start = NULL;
    pt_model *model = NULL;
    pt_status status =
        read_and_train(&start, CSV, sizeof CSV - 1, "data.csv", start_in_turn, threads, err);
    if (status == PT_OK)
        status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, start_changes, err);
    if (status == PT_OK)
        status = pt_params_set_start(params, start, err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "data.csv", params, task, err);
    }
    if (status == PT_OK)
        status = pt_model_train(&model, data, params, task, err);
    pt_model_free(model);
    pt_model_free(start);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}

static void test_memory__starts(void **state)
{
    (void)state;
    static const char *const STARTS[][2] = {
        {"calibrate=no,machine=softmax", "C=2,calibrate=no"},
        {"calibrate=no,machine=spoc,sigma=1", "C=2,calibrate=no"},
        {"calibrate=no,machine=constraint,kernel=rbf,sigma=1", "C=2,calibrate=no"},
        {"calibrate=no,machine=constraint,method=online", "epochs=6,calibrate=no"},
        {"calibrate=no,machine=adaboost-mo,rounds=2", "rounds=4,calibrate=no"},
        {"calibrate=no,code=ova,learner=adaboost,rounds=2,stop-share=0.3", "rounds=4,calibrate=no"},
        {"calibrate=no,code=ovo,learner=logitboost,rounds=2,depth=2", "rounds=3,calibrate=no"},
        {"calibrate=no,code=ova,learner=logistic", "C=2,calibrate=no"},
        {"calibrate=no,code=ovo,learner=svm,sigma=1", "C=2,calibrate=no"},
        {"calibrate=no,code=ova,learner=svm,sigma=1", "C=2,calibrate=no"},
        {"calibrate=no,code=ova,learner=winnow,epochs=1", "epochs=2,calibrate=no"},
    };
    for (size_t q = 0; q < sizeof STARTS / sizeof *STARTS; q++) {
        start_in_turn = STARTS[q][0];
        start_changes = STARTS[q][1];
        sweep(journey_start, 1, start_in_turn);
    }
}

static void test_memory__every_machine(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        machine_in_turn = *ops;
        sweep(journey_machine, 2, (*ops)->name);
    }
}

static void *json_block(size_t size)
{
    return pt_alloc((int64_t)size, 1, "JSON", NULL);
}

static int json_through_our_door(void **state)
{
    (void)state;
    json_set_alloc_funcs(json_block, pt_free);
    return 0;
}

static int json_as_it_was(void **state)
{
    (void)state;
    json_set_alloc_funcs(malloc, free);
    return 0;
}

static void test_memory__json(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        pt_error err = PT_ERROR_INIT;
        machine_in_turn = *ops;
        small_must(journey_to_file(1, &err), &err, (*ops)->name);
        expected = file_bytes(&expected_size);
        sweep(journey_to_file, 1, (*ops)->name);
        free(expected);
        expected = NULL;
    }
}

static const char *design_in_turn;

static pt_status journey_design(int threads, pt_error *err)
{
    char options[200];
    snprintf(options, sizeof options,
             "machine=designed,learner=tree,depth=1,code=ova,design-folds=2,calibrate=no,%s",
             design_in_turn);
    return train_save_predict(options, threads, err);
}

/* On labels that are sets; the model goes through a file. */
static pt_status journey_design_sets(int threads, pt_error *err)
{
    char options[200];
    pt_model *model = NULL;
    pt_model *again = NULL;
    snprintf(options, sizeof options,
             "machine=designed,labels=set,learner=tree,depth=1,design-folds=2,calibrate=no,%s",
             design_in_turn);
    pt_status status =
        read_and_train(&model, SETS, sizeof SETS - 1, "x.csv", options, threads, err);
    if (status == PT_OK)
        status = pt_model_save(model, path, err);
    if (status == PT_OK)
        status = pt_model_load(&again, path, NULL, err);
    pt_model_free(again);
    pt_model_free(model);
    return status;
}

/* A code for a model that is there. */
static pt_status journey_model_design(int threads, pt_error *err)
{
    pt_model *model = NULL;
    pt_model *designed = NULL;
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_status status =
        read_and_train(&model, CSV, sizeof CSV - 1, "x.csv", design_in_turn, threads, err);
    if (status == PT_OK)
        status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, "design-C=1,design-folds=2", err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_threads(task, threads);
        status = pt_dataset_read_memory(&data, CSV, sizeof CSV - 1, "x.csv", params, task, err);
    }
    if (status == PT_OK)
        status = pt_model_design(&designed, model, data, params, task, err);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(params);
    pt_model_free(designed);
    pt_model_free(model);
    return status;
}

static void test_memory__designs(void **state)
{
    (void)state;
    static const char *const designs[] = {
        "auto-rows=10",
        "design-form=hard,gap=0.1",
        "design-kernel=rbf,design-C=1",
        "design-form=pairs",
        "incremental=yes,design-C=1",
        "code=ordinal,interleave=1,design-C=1",
        "design-form=discrete,design-search=greedy,design-outputs=sign",
        "design-form=discrete,design-search=exact,design-entries=ternary,interleave=1"};
    static const char *const machines[] = {"machine=code,learner=tree,depth=1,calibrate=no",
                                           "machine=adaboost-mh,rounds=2,calibrate=no",
                                           "machine=class-tree,learner=tree,depth=1,calibrate=no"};
    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
        design_in_turn = designs[i];
        sweep(journey_design, 2, designs[i]);
    }
    static const char *const of_sets[] = {"code=ovo", "code=ova,design-kernel=rbf,design-C=1"};
    for (size_t i = 0; i < sizeof of_sets / sizeof *of_sets; i++) {
        design_in_turn = of_sets[i];
        sweep(journey_design_sets, 2, of_sets[i]);
    }
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        design_in_turn = machines[i];
        sweep(journey_model_design, 2, machines[i]);
    }
}

static void test_memory__every_learner(void **state)
{
    (void)state;
    static const char *const codes[] = {"ova", "ovo", "sparse,draws=20"};
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int c = 0; c < 3; c++) {
            learner_in_turn = *learner;
            code_in_turn = codes[c];
            sweep(journey_learner, 2, (*learner)->name);
        }
    code_in_turn =
        "ova,single-call=yes"; /* numbers, and raw rows: it adds the same to all others */
    learner_in_turn = pt_learner_find("linear-svm");
    sweep(journey_learner, 2, "linear-svm in a single call");
    learner_in_turn = pt_learner_find("tree");
    sweep(journey_learner, 2, "tree in a single call");
    sweep(journey_own_learner, 1, "a learner of one's own");
    sweep(journey_own_learner, 2, "a learner of one's own, on two threads");
}

static void test_memory__own_kernel(void **state)
{
    (void)state;
    static const char *const ways[] = {"machine=onelsm,folds=2", "machine=spoc,C=1,calibrate=no",
                                       "code=ovo,learner=svm,C=1,calibrate=no",
                                       "machine=constraint,C=1,calibrate=no"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int form = 0; form < 2; form++) {
            way_in_turn = ways[i];
            sparse_in_turn = form == 1;
            sweep(journey_own_kernel, 1 + form, ways[i]);
        }
}

static void test_memory__search_machines(void **state)
{
    (void)state;
    sweep(journey_machines, 1, "machines");
    sweep(journey_machines, 2, "machines on two threads");
}

static void test_memory__labels(void **state)
{
    (void)state;
    sweep(journey_labels, 1, "sets");
    sweep(journey_labels, 2, "sets on two threads");
    sweep(journey_decide, 1, "decisions");
}

static void test_memory__arrays(void **state)
{
    (void)state;
    sweep(journey_arrays, 1, "arrays");
    sweep(journey_arrays, 2, "arrays on two threads");
}

static void test_memory__streams(void **state)
{
    (void)state;
    stream_text = "a 1:1 3:2\nb 2:1\na 1:2\nc 7:1\n";
    stream_options = "format=libsvm";
    sweep(journey_stream, 1, "a stream");
    stream_options = "format=libsvm,hash-bits=4,labels=set,update=pa";
    sweep(journey_stream, 2, "a stream of sets on two threads");
    stream_text = "x,y,label\n1,2,a>b>c\n3,-1,c>a\n0,1,b>c>a\n";
    stream_options = "labels=ranking";
    sweep(journey_stream, 1, "a stream of a table");
    sweep(journey_learn, 1, "rows in memory");
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
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__train_from_csv),
        cmocka_unit_test(test_memory__choose_parameters),
        cmocka_unit_test(test_memory__train_vo_lssvm),
        cmocka_unit_test(test_memory__train_sparse),
        cmocka_unit_test(test_memory__from_memory_and_back),
        cmocka_unit_test(test_memory__save_then_load_and_predict),
        cmocka_unit_test(test_memory__code),
        cmocka_unit_test(test_memory__libsvm_models),
        cmocka_unit_test(test_memory__search),
        cmocka_unit_test(test_memory__starts),
        cmocka_unit_test(test_memory__every_machine),
        cmocka_unit_test_setup_teardown(test_memory__json, json_through_our_door, json_as_it_was),
        cmocka_unit_test(test_memory__designs),
        cmocka_unit_test(test_memory__every_learner),
        cmocka_unit_test(test_memory__own_kernel),
        cmocka_unit_test(test_memory__search_machines),
        cmocka_unit_test(test_memory__tables_of_what_there_is),
        cmocka_unit_test(test_memory__labels),
        cmocka_unit_test(test_memory__arrays),
        cmocka_unit_test(test_memory__streams),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
