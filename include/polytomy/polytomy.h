/* Polytomy: problems with many classes, in one C library.
 *
 * The header reads in rings. Ring 0 is one call each to train, predict and evaluate a file. Ring 1
 * is the ordinary way: parameters, a data set, a model, and reports of what is found. Ring 2 is for
 * those who embed the library: codes, cross-validation, comparisons, learners and kernels of their
 * own, online learning, scorers, models in memory, tasks (threads, memory, progress, cancellation),
 * data from memory, tables of what there is. A researcher's tools are in polytomy/experimental.h.
 *
 * Rules that hold everywhere
 *   - What can fail returns pt_status; PT_OK is 0. The reason goes into the caller's pt_error,
 *     which may be NULL. `*out` is written only on success.
 *   - Objects come from a function that takes `**out`, and go back through the `_free` of their
 *     type; freeing NULL is fine. A pointer that is returned is borrowed from the object it was
 *     asked of.
 *   - Objects and texts must not be NULL unless the comment of a function says so.
 *   - A `pt_task *` may be NULL: the threads of OMP_NUM_THREADS, or all processors, 80 percent of
 *     the free memory, no progress.
 *   - Objects are not locked: one thread at a time may change an object; any number may read it.
 *   - The library never prints and never exits. Its only global settings are the allocator
 *     (pt_set_allocator, before all other calls) and what the environment says of threads.
 */
#ifndef POLYTOMY_POLYTOMY_H
#define POLYTOMY_POLYTOMY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define PT_API __attribute__((visibility("default")))
#else
#define PT_API
#endif

/* -----------------------------------------------------------------------------------------------
 * Version
 * --------------------------------------------------------------------------------------------- */

#define PT_VERSION_MAJOR 0
#define PT_VERSION_MINOR 1
#define PT_VERSION_PATCH 0
#define PT_VERSION_STRING "0.1.0"

/* The version of the library that is running, which may be newer than the header: "0.1.0". */
PT_API const char *pt_version(void);

/* What this build can do and what it runs on, as lines "name: value" (compiler, BLAS, instruction
 * set chosen, optional parts). Borrowed from the library, valid for ever. */
PT_API const char *pt_build_info(void);

/* -----------------------------------------------------------------------------------------------
 * Status and errors
 * --------------------------------------------------------------------------------------------- */

/* X(name, value, what it tells the caller) */
#define PT_STATUS_LIST(X)                                              \
    X(PT_OK, 0, "done")                                                \
    X(PT_EINVAL, 1, "an argument or a parameter is wrong")             \
    X(PT_ENOMEM, 2, "memory could not be had")                         \
    X(PT_EIO, 3, "a file could not be read or written")                \
    X(PT_EFORMAT, 4, "the contents of a file or a data set are wrong") \
    X(PT_ENUMERIC, 5, "the numbers do not allow an answer")            \
    X(PT_ELIMIT, 6, "a limit of size is in the way")                   \
    X(PT_ECANCELLED, 7, "the caller asked to stop")                    \
    X(PT_ENOSUPPORT, 8, "this build or this machine cannot do that")   \
    X(PT_ETIME, 9, "the time limit is reached")                        \
    X(PT_EMEMORY, 10, "the memory limit is in the way")

typedef enum pt_status {
#define PT_STATUS_ENUM(name, value, text) name = value,
    PT_STATUS_LIST(PT_STATUS_ENUM)
#undef PT_STATUS_ENUM
} pt_status;

/* The name of a status, "PT_EFORMAT"; "PT_UNKNOWN" for other numbers. */
PT_API const char *pt_status_name(pt_status status);

#define PT_ERROR_TEXT 480
#define PT_ERROR_FILE 256
#define PT_ERROR_PARAM 32

/* Why a call failed. Begin with PT_ERROR_INIT, or with zeros: `size` says how much of the struct a
 * later version may fill. `text` is a whole sentence for a person, in UTF-8; it names parameters
 * between backquotes, as warnings, messages and help do: "raise `ridge`, or set `calibrate=no`".
 * `param` is the first of them, or "". Backquotes in names of files, classes and cells become '.
 * `file`, in UTF-8 too, is "" and `line`, `column` are 0 where they do not apply; both count from
 * 1, columns in bytes. */
typedef struct pt_error {
    size_t size;
    pt_status code;
    char param[PT_ERROR_PARAM];
    char text[PT_ERROR_TEXT];
    char file[PT_ERROR_FILE];
    int64_t line;
    int64_t column;
} pt_error;

#define PT_ERROR_INIT                             \
    {                                             \
        sizeof(pt_error), PT_OK, "", "", "", 0, 0 \
    }

/* message <- "file:line:column: text", with "polytomy" where no file is to blame; cut to `size`
 * bytes, behind a whole character. Returns message. */
#define PT_ERROR_MESSAGE (PT_ERROR_TEXT + PT_ERROR_FILE + 64)
PT_API const char *pt_error_message(const pt_error *err, char *message, size_t size);

/* -----------------------------------------------------------------------------------------------
 * The types
 * --------------------------------------------------------------------------------------------- */

typedef struct pt_task pt_task;       /* how to run: threads, memory, progress, cancellation */
typedef struct pt_params pt_params;   /* parameters by name, checked when set */
typedef struct pt_dataset pt_dataset; /* examples, their columns and their labels */
typedef struct pt_report pt_report;   /* what is found: named figures and tables */
typedef struct pt_model pt_model;     /* preparation + machine + decoder, trained */
typedef struct pt_online pt_online;   /* a model that is being learned from a stream */
typedef struct pt_prediction pt_prediction;               /* labels and scores of a data set */
typedef struct pt_prediction_stream pt_prediction_stream; /* ... of a file, part by part */
typedef struct pt_scorer pt_scorer;                       /* scores of single rows, fast */

/* -----------------------------------------------------------------------------------------------
 * Reports: what is found, as named figures and tables
 * --------------------------------------------------------------------------------------------- */

/* What arrays are made of. PT_TEXT: const char *, which may be NULL where there is nothing. */
typedef enum pt_type {
    PT_F32 = 0,
    PT_F64 = 1,
    PT_I64 = 2,
    PT_I32 = 3,
    PT_I8 = 4,
    PT_TEXT = 5
} pt_type;

/* A figure (n_axes 0), a list, a matrix (row-major) or a larger table. `axis` says what each axis
 * runs over, "class" or "column"; an item of the report of that name, where there is one, has the
 * names along it. All is borrowed from the report. */
#define PT_MOST_AXES 3
typedef struct pt_item {
    const char *name;
    pt_type type;
    int n_axes;
    int64_t length[PT_MOST_AXES];
    const char *axis[PT_MOST_AXES];
    const void *values; /* as many as the product of the lengths; one of a figure */
} pt_item;

PT_API void pt_report_free(pt_report *report);
PT_API const char *pt_report_kind(const pt_report *report); /* "evaluation", "search", ... */
/* The items in their order, or by name; NULL: there is no such item. docs/reports.md lists the
 * names of each kind; a report has those that apply. Where there may be warnings `warning` has them
 * as sentences for people, `warning_kind` a word for programs for each: "data", "convergence". */
PT_API int64_t pt_report_n_items(const pt_report *report);
PT_API const pt_item *pt_report_item(const pt_report *report, int64_t index);
PT_API const pt_item *pt_report_find(const pt_report *report, const char *name);
/* How many entries an item has along its first axis; 0 of figures, and where it is not there. */
PT_API int64_t pt_report_length(const pt_report *report, const char *name);
/* A figure as a number, whatever its type: NaN where there is none. As an integer: 0. A text: NULL.
 */
PT_API double pt_report_number(const pt_report *report, const char *name);
PT_API int64_t pt_report_integer(const pt_report *report, const char *name);
PT_API const char *pt_report_text(const pt_report *report, const char *name);
/* The entry (i, j, l) of a table; axes that it does not have are 0. Out of range: NaN, 0, NULL. */
PT_API double pt_report_number_at(const pt_report *report, const char *name, int64_t i, int64_t j,
                                  int64_t l);
PT_API int64_t pt_report_integer_at(const pt_report *report, const char *name, int64_t i, int64_t j,
                                    int64_t l);
PT_API const char *pt_report_text_at(const pt_report *report, const char *name, int64_t i,
                                     int64_t j, int64_t l);
/* All of it: an object with a member for each item, tables as arrays of arrays; what is not a
 * finite number is null. *out is yours: pt_bytes_free. */
PT_API pt_status pt_report_json(char **out, const pt_report *report, pt_error *err);

/* Bytes and texts that a call has handed out: reports as JSON, models in memory. */
PT_API void pt_bytes_free(void *bytes);

/* -----------------------------------------------------------------------------------------------
 * Ring 0: one call
 * --------------------------------------------------------------------------------------------- */

/* Reads `data_path`, trains a machine and writes the model to `model_path`. `options` is NULL or
 * parameters as in "machine=onelsm,sigma=2,ridge=0.1"; the rest are the defaults. */
PT_API pt_status pt_train_file(const char *data_path, const char *options, const char *model_path,
                               pt_error *err);
/* Predicts every row of `data_path` by the model in `model_path` and writes a line for each: its
 * class, or its set "a;b", or its order "a>b", quoted as a CSV cell where it must be. The file
 * `out_path` appears whole or not at all; "-" is standard output. Memory: that of a part. */
PT_API pt_status pt_predict_file(const char *model_path, const char *data_path, const char *options,
                                 const char *out_path, pt_error *err);
/* Compares the predictions for `data_path` with its labels: *out is a report as of
 * pt_model_evaluate. */
PT_API pt_status pt_evaluate_file(pt_report **out, const char *model_path, const char *data_path,
                                  const char *options, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 1: parameters
 * --------------------------------------------------------------------------------------------- */

PT_API pt_status pt_params_new(pt_params **out, pt_error *err);
PT_API pt_status pt_params_copy(pt_params **out, const pt_params *params, pt_error *err);
PT_API void pt_params_free(pt_params *params);

/* Sets one parameter from text, exactly as the command line would: pt_params_set(p, "ridge", "0.1",
 * &err). Unknown names and values out of range are refused with what is allowed. The value of
 * "machine" may carry parameters of its own: "onelsm:sigma=2,ridge=0.1". */
PT_API pt_status pt_params_set(pt_params *params, const char *name, const char *value,
                               pt_error *err);

/* The same from a number: of real and whole numbers, sizes (bytes or seconds), and flags (0, 1). */
PT_API pt_status pt_params_set_number(pt_params *params, const char *name, double value,
                                      pt_error *err);

/* Sets several: "sigma=2,ridge=0.1,bias". A flag alone is set to yes. A list that is there twice
 * (ignore=a,ignore=b) adds up; of anything else the last value counts, with a warning. Braces hold
 * a value with commas together: "ignore={a,b},bias". Behind a list or text without braces a flag
 * alone is a part of that, with a warning: columns may be called so. There write bias=yes. */
PT_API pt_status pt_params_parse(pt_params *params, const char *text, pt_error *err);

/* Parameters of several machines side by side. `machines` are `n` texts NAME[:param=value,...];
 * what a machine sets itself wins over `common` (NULL: defaults), of which it takes what it uses.
 * So it is with the axes of a common grid. A common parameter or axis that no machine uses is
 * refused, and so are folds, seed and the like behind a machine's name: those are common. `n`
 * objects come out, each to be freed. */
PT_API pt_status pt_params_for_machines(pt_params **out, const pt_params *common,
                                        const char *const *machines, int64_t n, pt_error *err);

/* The value as text, borrowed until the parameter is set again or `params` is freed; NULL if there
 * is no such parameter. pt_params_is_set tells whether it was set or is the default. */
PT_API const char *pt_params_get(const pt_params *params, const char *name);
PT_API int pt_params_is_set(const pt_params *params, const char *name);
/* A report "parameters": over "name" the name, value and is_set of each; for the machine, learner,
 * code and kernel that they name whether it counts, `uses`, its `default` where it is not set, and
 * `choices`, the words that are taken (NULL behind the last); and what a reader of texts that were
 * parsed should know, `warning`. Training refuses what is set and does not count. */
PT_API pt_status pt_params_report(pt_report **out, const pt_params *params, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 1: data sets
 * --------------------------------------------------------------------------------------------- */

/* Reads a file: CSV, TSV, LIBSVM/svmlight, ARFF, NPY or NPZ; plain, gzip or zstd; "-" is standard
 * input. The format is found from the name, then from the contents; the parameters of the group
 * "read" (format, header, label, labels, nominal, ignore, ...) say otherwise. `params` may be NULL.
 * Time: linear in the size of the file, parallel over blocks of lines. */
PT_API pt_status pt_dataset_read(pt_dataset **out, const char *path, const pt_params *params,
                                 pt_task *task, pt_error *err);

/* The same from `size` bytes in memory; `name` stands for the file in errors and for its format. */
PT_API pt_status pt_dataset_read_memory(pt_dataset **out, const void *bytes, size_t size,
                                        const char *name, const pt_params *params, pt_task *task,
                                        pt_error *err);

PT_API void pt_dataset_free(pt_dataset *data);

PT_API int64_t pt_dataset_n_examples(const pt_dataset *data);
PT_API int64_t pt_dataset_n_features(const pt_dataset *data); /* columns before encoding */
PT_API int64_t pt_dataset_n_classes(const pt_dataset *data);  /* 0 without labels */

/* NULL where the file had no names, or out of range. */
PT_API const char *pt_dataset_feature_name(const pt_dataset *data, int64_t feature);
PT_API const char *pt_dataset_class_name(const pt_dataset *data, int64_t class_index);

/* What is known of the data beside them, a report "data": `sparse` (1: rows are kept sparse),
 * labels, label_name, label_column (its number in the file from 1; 0: labels do not come from one),
 * n_label_columns (several, one for each class), over "example" `weight`, where they have some, and
 * over "feature" `levels`, their number (0: a column of numbers); `note`, how columns were read
 * that are neither plain numbers nor nominal ("date (y-m-d): 'day'"), and `warning`, remarks of the
 * reader. */
PT_API pt_status pt_dataset_report(pt_report **out, const pt_dataset *data, pt_error *err);
/* The number of missing cells; that of every column goes into `count` (n_features of them), which
 * may be NULL: sparse data may have billions of columns. Time: O(cells). */
PT_API int64_t pt_dataset_count_missing(const pt_dataset *data, int64_t *count);

/* What a person would look at before training, a report "judgement": over "column" their kind,
 * missing cells, levels and range; rows that are there twice (duplicates), rows with equal cells
 * and different labels (conflicts); the column that alone predicts the class. `json` has it as
 * docs/messy-data.md describes. Time: O(cells). */
PT_API pt_status pt_dataset_judge(pt_report **out, const pt_dataset *data, pt_task *task,
                                  pt_error *err);

/* The class of an example: an index into the sorted class names, -1 where it has none. */
PT_API int64_t pt_dataset_class(const pt_dataset *data, int64_t example);
/* "class", "set", "ranking" or "pairs": the kind of its labels; NULL without labels. */
PT_API const char *pt_dataset_label_kind(const pt_dataset *data);
/* The label of an example (from 0) of kind set, ranking or pairs: *items <- its classes, which stay
 * the data set's; returns how many numbers there are. A set: its classes, ascending. A ranking:
 * from best to worst, and *ranks <- their ranks, of which equal ones tie. Pairs: two numbers each,
 * before and after. Where there are none, or labels are classes, 0 with NULL. ranks may be NULL,
 * and is NULL afterwards where labels are no rankings. */
PT_API int64_t pt_dataset_label_items(const pt_dataset *data, int64_t example,
                                      const int64_t **items, const int64_t **ranks);

/* Sets rows aside to test on: part[i] is 1 for about `share` of the rows (0 < share < 1), drawn by
 * "seed" of `params`, and 0 for the others. Of every class about the same share, unless "stratify"
 * is "no" or labels are no classes; groups and folds of the data set stay whole, so that share and
 * classes are only about these; with times it is the last rows, equal times together, at most that
 * share. `part` is the caller's, one for each row. Time: n log n. */
PT_API pt_status pt_dataset_split(int8_t *part, const pt_dataset *data, double share,
                                  const pt_params *params, pt_error *err);
/* Writes CSV or LIBSVM ("csv", "tsv", "libsvm", or NULL: from the name), gzip or zstd by the name's
 * ending; "-" is standard output. Numbers are written so that reading gives the same bits. */
PT_API pt_status pt_dataset_write(const pt_dataset *data, const char *path, const char *format,
                                  pt_task *task, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 1: models
 * --------------------------------------------------------------------------------------------- */

/* Trains the machine that `params` name (NULL: all defaults) on all of `data`.
 * Time: what the machine needs; for oneLSM n^3/3 multiplications. The plan is checked against the
 * task's memory before anything is computed: PT_EMEMORY says how much it would need. */
PT_API pt_status pt_model_train(pt_model **out, const pt_dataset *data, const pt_params *params,
                                pt_task *task, pt_error *err);
PT_API void pt_model_free(pt_model *model);

/* The file is written beside its name, synced and renamed: never half a model. No task watches it.
 * Time: 1 ns per byte, and what the disk takes (500 MB: half a second of one core). */
PT_API pt_status pt_model_save(const pt_model *model, const char *path, pt_error *err);
/* `params` may be NULL: a model of a program's own learner or kernel needs that in them
 * (pt_params_set_learner, pt_params_set_kernel); other models and other parameters do not look at
 * them. No task watches it. Time: 5 ns per byte, in which every number is checked and rows are laid
 * out for predictions (500 MB of rows: 2.5 s of one core). Memory: three times the bytes. */
PT_API pt_status pt_model_load(pt_model **out, const char *path, const pt_params *params,
                               pt_error *err);
/* Writes a model as another program has it; `format` is an entry of the registry "model-formats":
 * "libsvm" (a support vector machine for all pairs of classes, as svm-train writes it, for
 * svm-predict), "svm-scale" (the model's scaling as a range file). "-" is standard output, an
 * ending of .gz or .zst compresses. `data` is what it was trained on, or NULL: libsvm then has the
 * classes in the order of their first rows, as svm-train would, which decides ties of votes.
 * A model that scales its data has its support vectors in scaled units. PT_ENOSUPPORT where the
 * other program could not follow the model; a message of the task (PT_WARNING) says where names
 * become numbers. */
PT_API pt_status pt_model_export(const pt_model *model, const char *path, const char *format,
                                 const pt_dataset *data, pt_task *task, pt_error *err);
/* Reads a model file of another program: "libsvm" (C-SVC, whose decisions are votes),
 * "libsvm-proba" (the same with its probabilities), or NULL: by its contents. Such a file
 * does not tell how many features its data had. `n_features` is how many there are at least, or 0:
 * as many as it names, or -1: any number. Columns beyond those are left out of predictions; with an
 * rbf kernel svm-predict counts them, and so does -1. Safe for hostile files. */
PT_API pt_status pt_model_import(pt_model **out, const char *path, const char *format,
                                 int64_t n_features, pt_task *task, pt_error *err);

/* What the model is and what training has found, a report "model": `metadata`, JSON text (machine,
 * resolved parameters, classes, what it was trained on, calibration); n_features, the columns that
 * it was trained on, and `feature`, their names, if all have one; over "parameter" their names,
 * the resolved `value` and whether it counts in this model, `uses`; held_out_error and
 * held_out_rows, the error (a fraction) on rows that the machines asked had not seen, when it
 * calibrated probabilities; training_error; choice_loss and choice_rows, the mean loss of what was
 * chosen automatically, on rows that the machines it was compared by had not seen (of classes the
 * error, of sets the share of classes on the wrong side, of rankings and pairs that of pairs the
 * wrong way round; a little optimistic, for it is the least of many); `limited`, what a limit of
 * time has left out; n_rounds of boosting (0: it was not learned by rounds), n_trees; `warning`,
 * remarks made while training. A model that was loaded has only what is in its file. */
PT_API pt_status pt_model_report(pt_report **out, const pt_model *model, pt_error *err);
PT_API int64_t pt_model_n_classes(const pt_model *model);
PT_API const char *pt_model_class_name(const pt_model *model, int64_t class_index);
/* The kind of labels it was trained on, and predicts: "class", "set", "ranking" or "pairs". */
PT_API const char *pt_model_label_kind(const pt_model *model);
/* The resolved value of a parameter ("auto" replaced by what was chosen); NULL if unknown. */
PT_API const char *pt_model_param(const pt_model *model, const char *name);
/* The decision trees that a model is made of (all of a boosted sum, one for each column of a code,
 * or one), a report "trees": n_trees, and `text`, with the names of columns, levels and classes.
 * `format` is "words", for people ("petal_length <= 2.45: setosa 0.98"), or "json", which
 * docs/trees.md describes. Words have about `most_lines` lines, the first trees of each column and
 * their upper branches, and `shortened` is 1 where something was left out; 0: all, as in JSON
 * always. PT_EINVAL where the model has no trees. Time: O(what is shown). */
PT_API pt_status pt_model_trees(pt_report **out, const pt_model *model, const char *format,
                                int64_t most_lines, pt_error *err);

/* Reads a file for prediction: as pt_dataset_read, but the columns are matched with those of the
 * model by name where both have names, and the label column may be missing. */
PT_API pt_status pt_model_read(pt_dataset **out, const pt_model *model, const char *path,
                               const pt_params *params, pt_task *task, pt_error *err);

/* Scores every example of `data`. `rounds` is -1, or of a model that was learned by rounds
 * (boosting) after how many of them: as if training had ended there; 0: before the first, which
 * tells no class from another. Probabilities keep the scale that was fitted after all rounds.
 * PT_EINVAL where there are not so many. Time: O(n_data * n_model * (d + k)). */
PT_API pt_status pt_model_predict(pt_prediction **out, const pt_model *model,
                                  const pt_dataset *data, int64_t rounds, pt_task *task,
                                  pt_error *err);
PT_API void pt_prediction_free(pt_prediction *prediction);
PT_API int64_t pt_prediction_n_examples(const pt_prediction *prediction);
/* n labels: class indices of the model, the first largest score; after pt_prediction_decide those
 * that were decided, -1 where the row is rejected. Borrowed. */
PT_API const int64_t *pt_prediction_labels(const pt_prediction *prediction);
/* n x k scores, row-major, larger is better. Borrowed. */
PT_API const double *pt_prediction_scores(const pt_prediction *prediction);
/* The classes of an example from the largest score down, ties by the lower index: the first
 * `capacity` of them go into `order`. Returns how many; 0 for an example that is not there. Of any
 * model. Time: O(k log k), less where few are asked for. */
PT_API int64_t pt_prediction_rank(const pt_prediction *prediction, int64_t example, int64_t *order,
                                  int64_t capacity);
/* The set of an example: classes in ascending order, the first `capacity` of them written. Returns
 * how many the set has. Of a model of sets, those with a score above 0; of one of classes, the
 * label alone, nothing where it is rejected; decided by `coverage`, of both the set that covers. -1
 * of models that rank, which say nothing of where a set would end, and for an example that is not
 * there. */
PT_API int64_t pt_prediction_set(const pt_prediction *prediction, int64_t example, int64_t *classes,
                                 int64_t capacity);
/* Writes n x k probabilities, row-major, into `proba` (capacity n*k doubles): of classes those that
 * the label is this one; of sets, for every class by itself, that it is in the set, above 0.5 where
 * it is predicted. PT_ENOSUPPORT of models that rank. */
PT_API pt_status pt_prediction_proba(const pt_prediction *prediction, double *proba, pt_error *err);
/* Decides anew, by the probabilities, what pt_prediction_labels and pt_prediction_set say; scores
 * and probabilities stay. `model` is the one that predicted. `params` ask for one of
 *   "costs"     k x k (row: the true class), or k x (k + 1), the last column the cost of rejecting:
 *               the label of least expected cost, -1 where that is to reject
 *   "reject"    the label is -1 where the largest probability is less
 *   "coverage"  0 < c < 1: sets that hold the right class of a row like those of training with
 *               probability c or more ("coverage-by=class": a row of each class); of a model of
 *               sets, all members of its label. A set without classes gets the most probable one.
 *               Labels stay. PT_ENOSUPPORT where the model has no held-out rows.
 * or, NULL too, of none: what was decided is undone. What fails leaves the prediction as it was.
 * docs/decisions.md has the rules. Time: O(n k), with costs O(n k^2). */
PT_API pt_status pt_prediction_decide(pt_prediction *prediction, const pt_model *model,
                                      const pt_params *params, pt_error *err);
/* A report "prediction": n_examples, n_classes, `decided` ("largest", "costs", "reject",
 * "coverage"), n_rejected, and remarks about the rows, `warning`. */
PT_API pt_status pt_prediction_report(pt_report **out, const pt_prediction *prediction,
                                      pt_error *err);

/* Predictions of a file of any size ("-": standard input), some thousand rows at a time: the file
 * is read as by pt_model_read, and every row gets the labels and scores that pt_model_predict gives
 * it. The header is looked at before the rows. LIBSVM text, CSV and TSV, plain or compressed, take
 * the memory of a part; other formats are read as a whole first. `rounds` is as in
 * pt_model_predict. Where `params` ask for decisions (pt_prediction_decide), every part is decided
 * so. The model, params and task must outlive the stream. */
PT_API pt_status pt_prediction_stream_open(pt_prediction_stream **out, const pt_model *model,
                                           const char *path, const pt_params *params,
                                           int64_t rounds, pt_task *task, pt_error *err);
/* *block <- the predictions of the next rows, borrowed until the next call; NULL behind the last.
 * Errors name the line of the file, or the number of the example in it. */
PT_API pt_status pt_prediction_stream_next(pt_prediction_stream *stream,
                                           const pt_prediction **block, pt_error *err);
/* What the file is like, as far as it was read, a report "stream": n_examples, n_features,
 * label_name, label_column (from 1; 0: unknown), labels (their kind), and remarks, `warning`: those
 * that count rows come with the last part. */
PT_API pt_status pt_prediction_stream_report(pt_report **out, const pt_prediction_stream *stream,
                                             pt_error *err);
/* How good the predictions of the whole file are, in the memory of a part: instead of
 * pt_prediction_stream_next, before its first call. A report as of pt_model_evaluate, without what
 * needs all rows at once (auc_ovr, auc_ovo). Labels must be classes; those that the model does not
 * know are one in the figures. Of many rows the margins of some are kept. */
PT_API pt_status pt_prediction_stream_evaluate(pt_report **out, pt_prediction_stream *stream,
                                               const pt_model *model, const pt_params *params,
                                               pt_error *err);
PT_API void pt_prediction_stream_close(pt_prediction_stream *stream);

/* Compares predictions with the labels of `data` (NULL: they are made here). Rankings and pairs may
 * be compared with the order of any model's scores; classes with the first class of a model of
 * classes, rankings or pairs; sets with a model of sets. Anything else is PT_EINVAL. A class that
 * the model does not know comes last in every order, before nothing, and is in no set. Of `params`
 * (NULL: the defaults) count costs, top-k, intervals and seed. *out is a report "evaluation":
 * error, confusion, recall, log_loss, margins, ..., with intervals (error_interval). */
PT_API pt_status pt_model_evaluate(pt_report **out, const pt_model *model, const pt_dataset *data,
                                   const pt_prediction *prediction, const pt_params *params,
                                   pt_task *task, pt_error *err);

/* Which columns the model needs, a report "importance": how much worse `metric` gets on the
 * labelled rows of `data`, which training should not have seen, where the cells of a column are
 * permuted among them, the mean over `permutations` of them, with an interval of 95 percent.
 * Columns are those of the data that the model was trained on, before encoding; `together` makes
 * one of several. Of `params` (NULL: the defaults) count these three, seed, top-k, costs and
 * intervals. PT_ENOSUPPORT where the model has hashed its columns. Time: at most so many
 * evaluations for each column: only rows whose cells change are scored again. Memory: that of an
 * evaluation; prepared rows as well where there is room. */
PT_API pt_status pt_model_importance(pt_report **out, const pt_model *model, const pt_dataset *data,
                                     const pt_params *params, pt_task *task, pt_error *err);

/* Why each row of `data` is decided as it is, a report "explanation": the first and the second
 * class by their scores, the `margin` between them, and the `reasons` (of `params`; NULL: 5) that
 * count most: `part_value` of columns, exactly for linear machines, whose parts add up to the
 * margin with `rest` and `intercept`, else what the margin loses where a column is replaced by its
 * training mean or most frequent level; of machines that keep training rows the `near`est by kernel
 * values and those that add most (`support`); of a tree the `path`. PT_ENOSUPPORT where there is
 * one class. Time: a score for each row, and one for each row and column where parts are not exact.
 */
PT_API pt_status pt_model_explain(pt_report **out, const pt_model *model, const pt_dataset *data,
                                  const pt_params *params, pt_task *task, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: coding matrices
 * --------------------------------------------------------------------------------------------- */

/* A code as the machine "code" would use it, to look at: *out is a report "code" with the matrix
 * `code` (class x column, +1, -1 and 0), its smallest distance `rho`, its separations, balance and
 * repeated columns. Of `params` (NULL: defaults) "code" says which: an entry of the registry
 * "codes", of which columns, draws, paper and seed count too, and what the code does not use is
 * refused; or a CSV file of -1, 0 and 1, a line for each class, the name of the class in front or
 * not. `n_classes` 0: as many as a file has.
 * Time: draws of random codes; then (k^2 ell + ell^2 k)/64 for the figures, ell columns. */
PT_API pt_status pt_coding_make(pt_report **out, int64_t n_classes, const pt_params *params,
                                pt_task *task, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: cross-validation
 * --------------------------------------------------------------------------------------------- */

/* Cross-validates `n` machines on the same folds, each at its parameters or at every point of the
 * grid in its parameter "grid" (pt_params_for_machines makes several from one); parameters of the
 * group "search" (folds, repeat, loo, stratify, grid, nested, ...) say how. Closed form where it is
 * exact, the same folds by brute force otherwise. The best point has the best mean of "metric" over
 * the repetitions (smallest error, by default); ties go to the smoother point.
 *
 * out[m] <- a report "search" of machine m: the errors of every point and repetition, the best
 * point and its held-out scores, the error of nested folds, how it was computed. best[m] <- all
 * parameters of the best point, ready for pt_model_train; `best` may be NULL. 2 n objects come out,
 * each to be freed.
 *
 * With the parameter "resume" (of the first) the errors of every point and repetition are kept in
 * that file, now and then and when the work is stopped; what a file holds is not computed again. A
 * file of other data, parameters or another version is refused (PT_EINVAL) and left as it is. */
PT_API pt_status pt_cross_validate(pt_report **out, pt_params **best, const pt_dataset *data,
                                   const pt_params *const *params, int64_t n, pt_task *task,
                                   pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: comparing machines
 * --------------------------------------------------------------------------------------------- */

/* Tests for every pair of `n` >= 2 machines whether they differ. Parameters are chosen where a
 * machine is trained, by cross-validation over "grid" ("folds", "repeat", ...) or, without one,
 * automatically; so is the preparation. "resume" works as for searches; "metric" may be log-loss or
 * brier.
 * test NULL: the combined 5x2cv F test (Alpaydin 1999). Five times the rows are halved at random
 * ("stratify", "seed"); every machine is trained on each half and errs on the other. *out is a
 * report "comparison". Time: ten searches and trainings on half of the rows for each machine.
 * Otherwise each machine is trained on all of `data` and asked about the rows of `test` that have a
 * label; columns are matched by name, classes too. *out is a report "test": McNemar's test, exact
 * where fewer than 25 rows tell two machines apart; by log loss or Brier score the paired t test
 * over the rows, with an interval. */
PT_API pt_status pt_compare(pt_report **out, const pt_dataset *data, const pt_dataset *test,
                            const pt_params *const *params, int64_t n, pt_task *task,
                            pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: a learner or a kernel of your own
 * --------------------------------------------------------------------------------------------- */

/* Rows of numbers, prepared as the parameters say (scaling, levels, missing cells), as a learner or
 * a kernel of your own sees them; a view, valid during the call. Dense: row i at
 * dense + i * stride. Sparse: dense is NULL, and row i has the columns index[start[i] ..
 * start[i+1]), ascending, from 0, with their values. */
typedef struct pt_rows_view {
    int64_t n_rows;
    int64_t n_columns;
    const double *dense;
    int64_t stride;
    const int64_t *start;
    const int64_t *index;
    const double *value;
} pt_rows_view;

/* A binary learner that a program brings, for the machine "code": it learns the columns of any code
 * and is decoded, searched, compared and calibrated like one of the library's.
 *
 * Every callback may be called from several threads at once, for different columns, folds and
 * states; a program that cannot have that runs under a task with one thread. A callback that fails
 * returns a status and may write a sentence into err->text, which reaches the caller with the
 * learner's name and the column in front. PT_ENUMERIC says that these rows allow no answer: in
 * cross-validation the point counts as having none, everything else ends the call.
 *
 * `state` is the program's own: what `fit` and `load` write on success is given back to free_state
 * exactly once, also where something fails later. */
typedef struct pt_learner_callbacks {
    size_t size;       /* sizeof(pt_learner_callbacks): later versions may add to the end, and take
                         what a shorter struct lacks as 0 */
    const char *name;  /* letters, digits, '-', '_' and '.'; not one of the library's learners */
    const char *loss;  /* what it minimises, for decoding: "hinge", "exp", "square", "logistic",
                         "sigmoid"; NULL: "hinge"; others are refused */
    int takes_sparse;  /* 0: sparse data are refused */
    int takes_weights; /* 0: weights of examples and classes are refused */
    void *user;        /* handed to every callback */
    /* Learns one column: side[i] is +1 or -1; weight is NULL (all 1) or one positive number for
     * each row. Rows of classes with an entry 0 are not there; where a fold lacks a class, all
     * sides may be the same. column counts from 0. */
    pt_status (*fit)(void **state, const pt_rows_view *rows, const int8_t *side,
                     const double *weight, int64_t column, void *user, pt_error *err);
    /* outputs[i] <- f(x_i), finite: its sign is the side, its size what the loss makes of it. */
    pt_status (*outputs)(const void *state, const pt_rows_view *rows, double *outputs, void *user,
                         pt_error *err);
    void (*free_state)(void *state, void *user);
    /* Optional, both or none. save returns how many bytes the state takes and writes them where
     * capacity is enough. load makes the state again, for rows of n_columns; the bytes, aligned to
     * 8, may come from a stranger. */
    size_t (*save)(const void *state, void *bytes, size_t capacity, void *user);
    pt_status (*load)(void **state, const void *bytes, size_t size, int64_t n_columns, void *user,
                      pt_error *err);
} pt_learner_callbacks;

/* Makes it the learner of these parameters, as "learner" would: it implies the machine "code". The
 * struct, its name and its loss are copied; `user` must live as long as any model, search or copy
 * of the parameters uses it. Setting "learner" to another puts that in its place; by its name it
 * may be set again, and searched ("grid={learner=mine,ls}", where all points have rows in double),
 * until another is brought. Rows reach it in double; parameters beside those of the code and the
 * decoder it has none. A model is saved where there is a `save`, and loaded with parameters that
 * have the learner; without it pt_model_load refuses the file and names the learner. Training does
 * not begin with such a model (pt_params_set_start). */
PT_API pt_status pt_params_set_learner(pt_params *params, const pt_learner_callbacks *learner,
                                       pt_error *err);

/* A kernel that a program brings, for every machine and learner that takes "kernel": trained,
 * cross-validated, in closed form too, searched, compared, calibrated and scored as with one of the
 * library's.
 *
 * k(a, b) is a number that depends on the two rows and on nothing else: not on the block that they
 * are in, nor on what was asked before; and k(a, b) = k(b, a). Then results are the same bytes on
 * any number of threads, and a row has the same scores alone and among others.
 *
 * Both callbacks may be called from several threads at once; a program that cannot have that runs
 * under a task with one thread. A callback that fails returns a status and may write a sentence
 * into err->text, which reaches the caller with the kernel's name in front. It ends the call.
 * PT_ENUMERIC, which solvers are told of matrices, becomes PT_EINVAL, and so does a value that is
 * not finite. */
typedef struct pt_kernel_callbacks {
    size_t size;      /* sizeof(pt_kernel_callbacks): later versions may add to the end, and take
                         what a shorter struct lacks as 0 */
    const char *name; /* letters, digits, '-', '_' and '.'; not one of the library's kernels */
    int takes_sparse; /* 0: sparse data are refused */
    int psd;          /* 1: every Gram matrix is positive semidefinite; 0: it may not be, and
                         machines that need that say so, as with "sigmoid" */
    void *user;       /* handed to both callbacks */
    /* block[i * ld + j] <- k(row i of a, row j of b), for all rows of both; ld >= b->n_rows, and
     * the gaps are left alone. Both are dense, or both sparse. At most 16384 values at once:
     * between such blocks the task is asked whether to stop. */
    pt_status (*values)(const pt_rows_view *a, const pt_rows_view *b, double *block, int64_t ld,
                        void *user, pt_error *err);
    /* Optional: value[i] <- k(row i, row i), the same numbers as those of `values`. */
    pt_status (*diagonal)(const pt_rows_view *rows, double *value, void *user, pt_error *err);
} pt_kernel_callbacks;

/* Makes it the kernel of these parameters, as "kernel" would. The struct and its name are copied;
 * `user` must live as long as any model, search or copy of the parameters uses it. Setting "kernel"
 * to another puts that in its place; by its name it may be set again, and searched, until another
 * is brought. Parameters of its own it has none: "sigma" and the others of kernels are
 * refused. Rows reach it in double, whatever "precision" says; predictions are summed in double.
 * Memory: of rows in single precision a copy in double. A model is saved with its rows and the
 * kernel's name, and loaded with parameters that have the kernel; without it pt_model_load refuses
 * the file and names the kernel. */
PT_API pt_status pt_params_set_kernel(pt_params *params, const pt_kernel_callbacks *kernel,
                                      pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: training that begins with a model
 * --------------------------------------------------------------------------------------------- */

/* Training begins with `start` instead of at nothing: more rounds of boosting, more epochs, another
 * C. What the parameters do not set is as in that model, and columns are prepared as it prepares
 * them; classes and columns must be the same. Where the solver stops is not changed by it, and
 * calibration trains without it. docs/machines-shared.md says which machines can, and what may
 * differ; the others are PT_EINVAL. pt_cross_validate and pt_compare refuse it.
 * The model is lent: it must live, unchanged, as long as the parameters and their copies are used
 * to train; what is trained does not need it. The value of "start" is "model" then. NULL takes it
 * off, as if there had never been one, and so does setting "start", the same from a file, which is
 * read where training begins and checked as pt_model_load does. */
PT_API pt_status pt_params_set_start(pt_params *params, const pt_model *start, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: learning from a stream
 * --------------------------------------------------------------------------------------------- */

/* Machine "constraint" by its method "online", on examples that are read once and not kept: from
 * files larger than memory, or from a pipe. `params` (NULL: defaults) are those of that machine:
 * "update", "violated", "C", "alpha", "bias", "precision"; "hash-bits", by which features are
 * hashed into 2^bits places; "labels", "pairs" (of rankings), "resume", a file for checkpoints; and
 * those of readers, "weight" and "nominal" apart. Others are refused. */
PT_API pt_status pt_online_new(pt_online **out, const pt_params *params, pt_error *err);
PT_API void pt_online_free(pt_online *online);

/* Called when the number of examples has become a power of 2. */
typedef void (*pt_online_fn)(const pt_online *online, void *user);

/* Reads LIBSVM text or a table of numbers (csv, tsv), plain or compressed, from a file, or "-":
 * standard input, to its end, and learns from every example: it is predicted by the weights as they
 * are, then teaches them. Classes and features of LIBSVM text may be new at any time. `progress`
 * may be NULL. With "resume" a checkpoint is written at growing intervals, at
 * least every ten seconds, and at the end. Where the task's time is over before the stream is, that
 * is its end: the model is limited. After a failure the model of what came before can still
 * be had. Time: that of reading, and classes times features that are not 0. Memory: a block of the
 * stream and the weights. */
PT_API pt_status pt_online_read(pt_online *online, const char *path, pt_online_fn progress,
                                void *user, pt_task *task, pt_error *err);

/* The same from rows in memory, in their order, any number of times: what a file of the same rows
 * would teach, piece by piece or at once. Dense rows are those of a table, whose columns stay the
 * same; sparse ones those of LIBSVM text, whose features may be new at any time. The labels of the
 * first rows tell their kind, unless "labels" or "ranks" does. Rows without label are refused, or
 * left out with "skip-unlabelled"; so are, before anything is learned, weights, nominal columns and
 * missing cells. A cancelled call (PT_ECANCELLED) and one out of time (PT_ETIME) have learned from
 * the rows up to there: n_examples of the report has gone up by so many. With "resume" a checkpoint
 * is written as by pt_online_read, but not at the end of a call: call pt_online_save. After
 * pt_online_load no row is skipped: give those that follow. Time: classes times features that are
 * not 0. */
PT_API pt_status pt_online_learn(pt_online *online, const pt_dataset *data, pt_task *task,
                                 pt_error *err);

/* What has happened, a report "online": n_examples that were learned from, n_errors whose label was
 * predicted wrongly when they came, n_classes and n_features so far, and `errors`, those after 1,
 * 2, 4, 8, ... examples. */
PT_API pt_status pt_online_report(pt_report **out, const pt_online *online, pt_error *err);

/* The model as of now, averaged where "update" says so. The stream may go on. */
PT_API pt_status pt_online_model(pt_model **out, const pt_online *online, pt_error *err);

/* A checkpoint, written whole or not at all; the state that it holds, under the same parameters.
 * The next pt_online_read then skips as many examples as it has counted, and ends as if nothing had
 * happened. Safe for hostile files. */
PT_API pt_status pt_online_save(const pt_online *online, const char *path, pt_error *err);
PT_API pt_status pt_online_load(pt_online **out, const char *path, const pt_params *params,
                                pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: a scorer
 * --------------------------------------------------------------------------------------------- */

/* A model and the memory to score one row after the other: for programs that answer questions one
 * by one, where pt_model_predict would take longer for its data set than for the row. It runs on
 * the calling thread, locks nothing, shares no number with other scorers, and allocates nothing:
 * its memory is there from the beginning, and grows for a row only that needs more than all before
 * it (a longer sparse one, one far from all centres of a narrow kernel). A learner of the program's
 * own allocates what it likes. One scorer for each thread, any number of them for one model, which
 * must outlive them and not be changed.
 *
 * Every row gets the very scores, bit by bit, that pt_model_predict gives it, alone or among
 * others, by any machine, on any number of threads: sums have an order that no other row changes.
 * They depend on the instruction set (pt_build_info) alone.
 *
 * A row has the columns of the data that the model was trained on, in that order and as they were
 * read: they are scaled, filled and encoded here. A missing cell is NaN. In a nominal column stands
 * the number that pt_scorer_level gives; any other number is a level that training never saw. */

/* *n_features, which may be NULL, <- how many numbers a row has. PT_ENOSUPPORT where a column is a
 * text whose words count, which no number stands for. */
PT_API pt_status pt_scorer_new(pt_scorer **out, const pt_model *model, int64_t *n_features,
                               pt_error *err);
PT_API void pt_scorer_free(pt_scorer *scorer);

/* The number of a level in a nominal column (from 0), whose text it is or whose number it says;
 * -1 where training never saw it, and of a column of numbers. Time: O(levels of the column). */
PT_API int64_t pt_scorer_level(const pt_scorer *scorer, int64_t feature, const char *level);

/* Scores a row of n_features numbers.
 * scores (n_classes) as pt_prediction_scores, proba (n_classes) as pt_prediction_proba, *label as
 * pt_prediction_labels: each may be NULL. On failure none of them is written. */
PT_API pt_status pt_scorer_f64(pt_scorer *scorer, const double *row, double *scores, double *proba,
                               int64_t *label, pt_error *err);
PT_API pt_status pt_scorer_f32(pt_scorer *scorer, const float *row, double *scores, double *proba,
                               int64_t *label, pt_error *err);
/* The same for a row that is 0 (a nominal column: at its level 0) but in `n` columns, index[]
 * ascending from 0, whose cells are value[]. Columns beyond those of training are left out. */
PT_API pt_status pt_scorer_sparse(pt_scorer *scorer, int64_t n, const int64_t *index,
                                  const double *value, double *scores, double *proba,
                                  int64_t *label, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: models in memory, and what is in them
 * --------------------------------------------------------------------------------------------- */

/* The bytes of a model's file; *bytes is yours: pt_bytes_free. Time: 1 ns per byte. */
PT_API pt_status pt_model_save_memory(void **bytes, size_t *size, const pt_model *model,
                                      pt_error *err);
/* The bytes are copied where needed; they may be freed afterwards. Safe for hostile bytes. Time: as
 * pt_model_load. */
PT_API pt_status pt_model_load_memory(pt_model **out, const void *bytes, size_t size,
                                      const pt_params *params, pt_error *err);
/* The bytes of pt_model_export, not compressed. */
PT_API pt_status pt_model_export_memory(void **bytes, size_t *size, const pt_model *model,
                                        const char *format, const pt_dataset *data, pt_task *task,
                                        pt_error *err);
/* A model of its own, with all that the original says of itself. A learner of a program must be one
 * that saves. */
PT_API pt_status pt_model_copy(pt_model **out, const pt_model *model, pt_error *err);

/* All that was fitted, by name: a report "arrays" with an item for every section of the
 * model's file ("m.coef", "p.numbers"), lent by the model, which must live as long, and with what
 * the file leaves out because it is made again ("code", "label_vectors"). docs/model-file.md says
 * what each is and how scores come of it. */
PT_API pt_status pt_model_arrays(pt_report **out, const pt_model *model, pt_error *err);

/* What the parts of a model say of each example, a report "outputs". Of machines that learn the
 * columns of a code: `outputs` (example x column), f_s(x) before they are decoded, and `code`
 * (class x column), the signs that the columns were learned for. Of models that were learned by
 * rounds, with n_stages > 0 ascending `rounds` (0 to all): `stage_rounds`, `stage_scores` (stage x
 * example x class) and `stage_labels` (stage x example), the very scores and labels of
 * pt_model_predict after so many rounds, in one pass over them. rounds NULL and n_stages 0: outputs
 * alone.
 * PT_ENOSUPPORT where the model has no such parts; the text says what it has. Time: that of one
 * prediction, and to decode once for each stage. Memory: that of the report, PT_EMEMORY where it is
 * more than the task allows. */
PT_API pt_status pt_model_outputs(pt_report **out, const pt_model *model, const pt_dataset *data,
                                  const int64_t *rounds, int64_t n_stages, pt_task *task,
                                  pt_error *err);

/* What training would take, without training: a report of kind "plan" with the "bytes" beside the
 * data and those that are allowed, whether it "fits", "multiplications", the "route", and "seconds"
 * where training is long enough for a forecast, which measures parts of the work. */
PT_API pt_status pt_model_plan(pt_report **out, const pt_dataset *data, const pt_params *params,
                               pt_task *task, pt_error *err);

/* The bytes of a checkpoint (pt_online_save), and the state that they hold. */
PT_API pt_status pt_online_save_memory(void **bytes, size_t *size, const pt_online *online,
                                       pt_error *err);
PT_API pt_status pt_online_load_memory(pt_online **out, const void *bytes, size_t size,
                                       const pt_params *params, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: tasks
 * --------------------------------------------------------------------------------------------- */

/* PT_NOTICE: what people should know and need not mend, such as the plan of long work. */
typedef enum pt_level { PT_DEBUG = 0, PT_INFO = 1, PT_WARNING = 2, PT_NOTICE = 3 } pt_level;

/* `done` of `total` units of `stage`. Called from the thread that called the library. */
typedef void (*pt_progress_fn)(const char *stage, double done, double total, void *user);
/* `kind`, a word for programs, says what the message is about: docs/reports.md lists those of
 * warnings, which are the kinds of `warning_kind` in reports. Of other messages it is "plan", what
 * work will take, or "progress", how it goes on. */
typedef void (*pt_message_fn)(pt_level level, const char *kind, const char *text, void *user);

PT_API pt_status pt_task_new(pt_task **out, pt_error *err);
PT_API void pt_task_free(pt_task *task);
/* One of "threads" (0: as OMP_NUM_THREADS says, or all processors), "memory" in bytes (0: 80
 * percent of what is free) and "time" in seconds (0: no limit; it counts from here). */
PT_API pt_status pt_task_set(pt_task *task, const char *name, double value, pt_error *err);
/* All three, from parameters; the time counts from here. Not while a call runs under
 * the task. */
PT_API void pt_task_set_params(pt_task *task, const pt_params *params);
PT_API double pt_task_seconds_left(const pt_task *task); /* of "time"; INFINITY: no limit */
PT_API void pt_task_on_progress(pt_task *task, pt_progress_fn progress, void *user);
PT_API void pt_task_on_message(pt_task *task, pt_message_fn message, void *user);
/* Asks the running call to stop with PT_ECANCELLED within a tenth of a second. May be called from
 * any thread and from a signal handler. The task stays cancelled: make a new one. */
PT_API void pt_task_cancel(pt_task *task);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: data from memory
 * --------------------------------------------------------------------------------------------- */

/* Whether a data set copies what it is made of, or looks at it where it is: then the caller keeps
 * it alive and unchanged until the data set, and every view of its rows, is freed. */
typedef enum pt_hold { PT_COPY = 0, PT_BORROW = 1 } pt_hold;

/* A table of numbers: cell (i, j) is values[i * row_stride + j * column_stride]. Strides are in
 * elements, of any size and sign: row-major, column-major, every other row, backwards. Both 0:
 * row-major without gaps. NaN is a missing cell; other infinite values are refused. */
typedef struct pt_dense {
    pt_type type; /* PT_F64, PT_F32, PT_I64, PT_I32, PT_I8 */
    const void *values;
    int64_t n_rows;
    int64_t n_columns;
    int64_t row_stride;
    int64_t column_stride;
} pt_dense;

/* Floats are copied or borrowed; of integers there is always a copy, in float64 (PT_I8: float32),
 * and those of PT_I64 beyond 2^53 are rounded. Time: one look at each cell. Memory of a borrowed
 * table: none; training adds the prepared rows, prediction those of a block. */
PT_API pt_status pt_dataset_from_dense(pt_dataset **out, const pt_dense *dense, pt_hold hold,
                                       pt_error *err);

/* Sparse rows (CSR): the columns of row i are index[start[i] .. start[i+1]), ascending, each once,
 * from 0; what is left out is 0. start[0] is 0. */
typedef struct pt_sparse {
    pt_type type;       /* of values: PT_F64, PT_F32 */
    pt_type index_type; /* of start and index: PT_I64, PT_I32 */
    const void *start;  /* n_rows + 1 */
    const void *index;
    const void *values;
    int64_t n_rows;
    int64_t n_columns;
} pt_sparse;

/* Borrowed are the values, and PT_I64 indices; of PT_I32 ones there is always a copy. Indices that
 * do not ascend, or are there twice, are PT_EINVAL with the row and the place. */
PT_API pt_status pt_dataset_from_sparse(pt_dataset **out, const pt_sparse *sparse, pt_hold hold,
                                        pt_error *err);

/* A table as other programs hand it over (Arrow C data interface): a struct array, or record batch,
 * whose children are the columns. Numbers of all widths and truth values are numbers; utf8 (large,
 * view too) and dictionaries of texts are nominal, with the dictionary's levels or in the order of
 * first appearance; dates and timestamps become days since 1970-01-01, the time of day as a
 * fraction, and a time of day alone is that fraction. Nulls are missing cells, and in the label
 * column no label. Other types are PT_ENOSUPPORT, unless the column is ignored. Of `params` (NULL:
 * defaults) count "label", "labels", "ranks", "nominal", "ignore" and "weight", as in files:
 * without "label" it is found as there. "types" is refused; parameters that say how text is read
 * have nothing to say here.
 * All is copied. On success `array` and `schema` are the data set's, which has released both before
 * the call returns (their `release` is NULL then); after a failure both are still the caller's.
 * Lengths and offsets are checked, pointers and the sizes behind them are believed. */
struct ArrowSchema;
struct ArrowArray;
PT_API pt_status pt_dataset_from_arrow(pt_dataset **out, struct ArrowSchema *schema,
                                       struct ArrowArray *array, const pt_params *params,
                                       pt_error *err);

/* Rows of a data set, in the order given, any of them several times; labels, weights, names and
 * levels come along, and so do groups and folds. Dense cells stay where they are: the view costs 8
 * bytes a row beside labels and roles, and `data` must live as long. Sparse cells are copied. */
PT_API pt_status pt_dataset_rows(pt_dataset **out, const pt_dataset *data, const int64_t *rows,
                                 int64_t n, pt_error *err);

/* Names of the columns, n_features of them (NULL: none any more); "" and NULL: that one has none.
 * No name twice. Copied. A model keeps them where every column has one, and then matches columns of
 * data with names by them. */
PT_API pt_status pt_dataset_set_names(pt_dataset *data, const char *const *names, pt_error *err);

/* Makes a column nominal: its cells are the numbers of `levels` from 0, NaN is missing. `codes`
 * NULL: the cells are these numbers already. Otherwise codes[i] is the level of row i, -1 missing,
 * and is written into the cells, for which a borrowed table or a view becomes a copy; sparse data
 * take no codes. Levels are different texts, any text: "", "NA" and "?" are levels like others.
 * n_levels 0 with NULL: the column is one of numbers again. */
PT_API pt_status pt_dataset_set_levels(pt_dataset *data, int64_t feature, const int32_t *codes,
                                       const char *const *levels, int64_t n_levels, pt_error *err);

/* Rows first .. first+n-1 into `cells`, n x n_features, row-major: numbers, numbers of levels, NaN.
 */
PT_API pt_status pt_dataset_cells(const pt_dataset *data, int64_t first, int64_t n, double *cells,
                                  pt_error *err);
/* A level of a nominal column; NULL: there is none. */
PT_API const char *pt_dataset_level_name(const pt_dataset *data, int64_t feature, int64_t level);

/* Classes as codes of type PT_I64, PT_I32 or PT_I8, one per example. With `names`, k different
 * texts, "" and "NA" among them if you like, a code is a number into them and -1 says that there is
 * no label. Without (NULL, k 0) the numbers themselves are the names, -1 as any other. Classes are
 * sorted and numbered as a reader would, so that pt_dataset_class may differ from the code; names
 * that no example has are dropped, as numpy.unique does. code NULL: no labels any more. Copied. */
PT_API pt_status pt_dataset_set_classes(pt_dataset *data, pt_type type, const void *code,
                                        const char *const *names, int64_t k, pt_error *err);
/* Labels of any kind ("class", "set", "ranking", "pairs") as the cells of a file, one per example:
 * "a;b", "a>b=c", "a>b;a>c". NULL and "" are the empty set, or no label. Text that is no such label
 * is PT_EFORMAT. labels NULL: no labels any more. */
PT_API pt_status pt_dataset_set_label_cells(pt_dataset *data, const char *kind,
                                            const char *const *labels, pt_error *err);
/* Labels of any kind as numbers: those of example i are items[start[i] .. start[i+1]), start
 * has one entry more than there are examples and begins with 0. Items are numbers into `classes`,
 * n_classes different names, which are sorted as a reader would. kind "class": one item or none;
 * "set": classes in any order, each once; "ranking": ranks[] beside them, smaller is better, equal
 * ones tie (else NULL); "pairs": before and after in turn. A class twice and pairs in a circle are
 * PT_EFORMAT. All is copied. */
PT_API pt_status pt_dataset_set_label_items(pt_dataset *data, const char *kind,
                                            const char *const *classes, int64_t n_classes,
                                            const int64_t *start, const int64_t *items,
                                            const int64_t *ranks, pt_error *err);
/* What numbers beside the columns say of the rows: `values` has a row for each example, of any type
 * and strides. Copied; NULL: that role is played by none any more. Roles come along into views
 * and everything else that is made of some of the rows.
 *   "weight"  one column, finite and not negative: how much a row counts
 *   "group"   one column of whole numbers: rows with the same number are held out together, never
 *             one of them while another is trained on, wherever something is judged by rows that
 *             were held out (cross-validation, automatic parameters, calibration, comparisons, ...)
 *   "fold"    whole numbers: in which fold a row is, a column for each repetition. -1: never held
 *             out, always trained on. pt_cross_validate uses just these; what else holds rows out
 *             takes the first column, as far as the rows at hand reach (docs/folds.md)
 *   "time"    one column of finite numbers: what is held out is later than all that is trained on,
 *             wherever rows are held out; equal times stay together
 * Folds that cut a group, hold out nothing or everything, or have no row with a label are refused
 * where they are used (PT_EFORMAT), and so are times beside groups or folds (PT_EINVAL). */
PT_API pt_status pt_dataset_set_role(pt_dataset *data, const char *role, const pt_dense *values,
                                     pt_error *err);

/* The two structs of the Arrow C data interface, as its specification lays them out; a program that
 * has them from elsewhere defines ARROW_C_DATA_INTERFACE there. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/* What a column is. */
struct ArrowSchema {
    const char *format; /* its type: "g" is float64, "u" utf8, "+s" a struct */
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary; /* of the values that `format` numbers; NULL: no dictionary */
    void (*release)(struct ArrowSchema *schema); /* NULL: released already */
    void *private_data;
};

/* What it holds. */
struct ArrowArray {
    int64_t length;
    int64_t null_count; /* -1: not counted */
    int64_t offset;     /* the first element, in all buffers */
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers; /* the first: one bit an element, 0 where it is null; NULL: none is */
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};
#endif

/* -----------------------------------------------------------------------------------------------
 * Ring 2: parameters from memory
 * --------------------------------------------------------------------------------------------- */

/* A parameter from numbers in memory, in place of a file: "costs" (k x k, row: the true class; of
 * decisions also k x (k + 1)), "label-kernel" (k x k), "code" (k x columns of -1, 0 and 1),
 * "class-weight" (k x 1 or 1 x k, positive). Row r is class r of the data that it is used with
 * (pt_dataset_class; classes that no row has left out), or of the model, where there is one.
 * All is as with a file of the same numbers. Any type and strides; copied, and shared by copies of
 * the parameters, which cost nothing. The value is then the text "array:ROWSxCOLUMNS:CHECKSUM",
 * which is also what a model remembers (of class weights "a=2,b=0.5", where names have no comma).
 * Setting the parameter by text takes the array off. Wrong entries are PT_EINVAL here, with row and
 * column; a wrong number of classes is one where it is used. Time: one look at each number. */
PT_API pt_status pt_params_set_array(pt_params *params, const char *name, const pt_dense *array,
                                     pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: what there is
 * --------------------------------------------------------------------------------------------- */

/* A table of what there is, a list for each of its columns.
 *   "parameters"   name, type, kind ("amount", "share", "scale", ...), unit, group, default, help;
 *                  minimum, above which it must be where minimum_excluded, and maximum (NaN: none);
 *                  choices (name x choice, NULL behind the last); takes_auto; allowed, for people
 *   a registry     "machines", "kernels", "codes", "learners", "labelbooks", "decoders", "formats",
 *                  "model-formats", "synth", "backends": name, summary; of some parameters and the
 *                  matrix `uses`; of machines labels, input, capabilities and cv
 * Of machines, and of learners under the machine "code", also what they can do (sparse, weights,
 * rounds, start, ...), their `default` (name x parameter) where nothing else is set, and `takes`
 * (name x parameter x choice). bindings/README.md says how bindings are made from these. */
PT_API pt_status pt_catalogue(pt_report **out, const char *table, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Ring 2: memory
 * --------------------------------------------------------------------------------------------- */

/* Where the library takes its memory from in place of the C library. The three functions promise
 * what malloc, realloc and free do, may be called from several threads at once, and get `user`
 * last; what other libraries take for themselves does not come here (docs/api.md, "Memory"). The
 * one setting that is the whole process's. */
typedef struct pt_allocator {
    void *(*allocate)(size_t size, void *user);                /* NULL: there is none */
    void *(*reallocate)(void *block, size_t size, void *user); /* NULL: block is as it was */
    void (*release)(void *block, void *user);
    void *user;
} pt_allocator;

/* For the whole process, to be called before anything else of the library: once memory has been
 * taken, PT_EINVAL. NULL: the C library's. Copied. */
PT_API pt_status pt_set_allocator(const pt_allocator *allocator, pt_error *err);

#ifdef __cplusplus
}
#endif

#endif
