/* What the subcommands share: options from one table, output that is whole or absent, errors,
 * progress.
 *
 * The tool uses the public header and nothing else of the library. A subcommand is one file: its
 * options, its help, its run function, and one `const cli_command` that main.c lists. Help, the man
 * page and the completions are made from those entries and from the library's tables. */
#ifndef POLYTOMY_CLI_H
#define POLYTOMY_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "polytomy/experimental.h"
#include "polytomy/polytomy.h"

#if defined(__GNUC__)
#define CLI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CLI_PRINTF(fmt, args)
#endif

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 }; /* exit codes */
enum { CLI_MAX_OPTIONS = 16, CLI_MAX_ARGUMENTS = 4, CLI_MAX_MACHINES = 64, CLI_MAX_KEYS = 256 };

/* An option that is not a parameter of the library. */
typedef struct cli_option {
    const char *name;  /* without dashes */
    char letter;       /* 0: none */
    const char *value; /* what it takes, "FILE"; NULL: nothing */
    const char *help;
} cli_option;

typedef struct cli_context cli_context;

typedef struct cli_command {
    const char *name;
    const char *arguments;     /* "DATA -o MODEL" */
    const char *summary;       /* one line */
    const char *description;   /* paragraphs, separated by an empty line */
    const char *examples;      /* lines "command\tcomment" */
    const char *groups;        /* parameters that are its options: "read,run" */
    const char *parameters;    /* and others by name: "columns,draws"; NULL: none */
    const cli_option *options; /* ended by a name of NULL */
    int min_arguments;
    int max_arguments;
    bool several_machines; /* --machine may be given several times */
    char keyed;            /* a letter that is written -wKEY VALUE, any number of times */
    int (*run)(cli_context *context); /* returns the exit code */
} cli_command;

extern const cli_command cli_train, cli_predict, cli_eval, cli_cv, cli_compare, cli_split,
    cli_convert, cli_export, cli_import, cli_code, cli_code_design, cli_svm_train, cli_svm_predict,
    cli_synth, cli_info, cli_help, cli_version, cli_importance;
extern const cli_command *const cli_commands[]; /* ended by NULL */
extern const cli_option cli_common_options[];   /* ended by a name of NULL */
const cli_command *cli_command_find(const char *name);

/* One run of a command. */
struct cli_context {
    const cli_command *command;
    const char *arguments[CLI_MAX_ARGUMENTS];
    int n_arguments;
    const char *values[CLI_MAX_OPTIONS];    /* of the command's own options; NULL: not given */
    const char *machines[CLI_MAX_MACHINES]; /* each --machine as it was written */
    int n_machines;
    const char *keys[CLI_MAX_KEYS]; /* of the keyed option, and their values */
    const char *key_values[CLI_MAX_KEYS];
    int n_keys;
    pt_params *params; /* without the machines where there are several */
    pt_task *task;
    int verbose;
    bool quiet;
    bool json;
    json_t *warnings;      /* every warning said so far */
    json_t *warning_kinds; /* of each */
    json_t *held;          /* those that are not told yet */
    bool unsaved;          /* the file of --resume could not be written */
    double started;
    double seconds_read; /* negative: did not happen */
    double seconds_train;
    double seconds_predict;
};

/* ---- cli_options.c --------------------------------------------------------------------------- */

/* Fills the context from the words after the command. Returns -1 to go on, else an exit code. */
int cli_parse(cli_context *context, int n_words, char **words);
/* The value of one of the command's own options; "yes" for one without a value; NULL: not given. */
const char *cli_value(const cli_context *context, const char *option);
bool cli_takes_param(const cli_command *command, int64_t param);
/* The i-th common option as the command has it: a letter that is the command's own is not common.
 */
cli_option cli_common_option(const cli_command *command, int i);
/* The word of a list ended by NULL that is nearest to `written`, or NULL if none is near. */
const char *cli_nearest(const char *written, const char *const *words);
/* Refuses a name that the registry, as in "codes", has not: there is no WHAT of that name; what
 * there is. */
int cli_unknown(const cli_context *context, const char *what, const char *registry,
                const char *name);
bool cli_in_list(const char *list, char separator, const char *word);

/* ---- cli_words.c ----------------------------------------------------------------------------- */

/* A text of the library with its `names` and `name=value` as --names and --name value; free it. */
char *cli_words(const char *text);

/* ---- cli_output.c ---------------------------------------------------------------------------- */

/* Memory, or the end of the program with a message. jansson's comes from the second: what it makes
 * of a failed allocation is not always an error. */
void *cli_alloc(int64_t count, size_t size);
void *cli_json_alloc(size_t size);
/* The output has replaced what was there: from now on a lack of memory ends the program with a
 * warning and CLI_DONE, for the work is done. */
void cli_in_place(const char *path);
char *cli_format(const char *format, ...) CLI_PRINTF(1, 2);

/* Print an error of the library, or one of the tool, and return the exit code. `code` is CLI_FAILED
 * or CLI_USAGE. */
int cli_fail(const cli_context *context, const pt_error *err, int code);
/* Standard output could not be written, for a reason that errno had (0: it is lost). Silent where
 * the reader of a pipe has gone: it did not want more. Returns CLI_FAILED. */
int cli_fail_output(const cli_context *context, int reason);
/* Whether standard output is a pipe whose reader has gone. */
bool cli_reader_gone(void);
int cli_fail_text(const cli_context *context, const char *file, const char *format, ...)
    CLI_PRINTF(3, 4);
int cli_usage(const cli_context *context, const char *format, ...) CLI_PRINTF(2, 3);
/* PT_EINVAL of a call that works with parameters is wrong use, all else is failure. */
int cli_fail_status(const cli_context *context, const pt_error *err);

/* A warning goes to standard error unless --quiet, and into the JSON object with its kind, a word
 * of docs/reports.md. */
void cli_warn(cli_context *context, const char *kind, const char *format, ...) CLI_PRINTF(3, 4);
/* Of several: held until they are told, those of one kind in one line with their number. Of one
 * kind are texts that differ in numbers and in what is in quotes. Options are read so, as --quiet
 * may still come. */
void cli_hold_warning(cli_context *context, const char *kind, const char *format, ...)
    CLI_PRINTF(3, 4);
void cli_tell_held(cli_context *context);

/* What pt_judgement_text says, parsed: columns, and what deserves a look. */
void cli_print_columns(const cli_context *context, const json_t *judgement);
void cli_print_doubts(const json_t *judgement);
/* Before a machine learns from it: a warning where one column alone predicts the class. Data of
 * many cells are not looked at: it shall cost nothing beside the learning, and `info` says it. */
void cli_doubt_leak(cli_context *context, const pt_dataset *data);

/* Bytes of the UTF-8 character at `at`; 0 where it is none. */
int cli_utf8_length(const char *at);
/* Text for people, in UTF-8 whatever it is: bytes that are no UTF-8 are characters of Latin-1, and
 * control characters are shown, not sent. */
void cli_put_safe(FILE *file, const char *text);
/* Columns of a terminal that this takes, and the bytes of as many characters as fit into some. */
int cli_text_width(const char *text);
int cli_text_cut(const char *text, int columns);
/* The same in one line: line breaks and tabs become \\n and \\t. */
void cli_put_name(FILE *file, const char *text);

/* Output to a file that appears whole or not at all; NULL or "-" is standard output. */
typedef struct cli_output {
    FILE *file;
    char *path;      /* NULL: standard output */
    char *temporary; /* NULL: the file is written directly */
} cli_output;

int cli_output_open(const cli_context *context, cli_output *output, const char *path);
/* Flushes, syncs, renames; an exit code. */
int cli_output_close(const cli_context *context, cli_output *output);
void cli_output_abandon(cli_output *output);
/* Refuses, before hours of work, a file that could not be written. */
int cli_output_check(const cli_context *context, const char *path);
/* Whether both name one file, or would once it is made. */
bool cli_same_place(const char *a, const char *b);
/* The same as the check, and refuses to replace a file that the command reads: an argument, or the
 * value of an option or parameter. */
int cli_output_apart(cli_context *context, const char *path);

void cli_put_csv(FILE *file, const char *text); /* quoted where needed */
void cli_put_real(FILE *file, double value);    /* shortest digits that read back the same */

/* ---- cli_json.c ------------------------------------------------------------------------------ */

json_t *cli_json_text(const char *text); /* any bytes; what is not UTF-8 is replaced */
json_t *cli_json_real(double value);     /* null for NaN */
json_t *cli_json_error(const pt_error *err);
/* {schema, version, command, machine, parameters, seconds, warnings, warning_kinds}; parameters as
 * resolved by `model`, else as in `params`. `data` and `error` are for the caller to add. */
json_t *cli_json_object(const cli_context *context, const pt_model *model, const pt_params *params);
json_t *cli_json_params(const cli_context *context, const pt_model *model, const pt_params *params);
json_t *cli_json_data(const pt_dataset *data);
/* Prints one object on standard output and frees it. An exit code. */
int cli_json_print(const cli_context *context, json_t *object);
/* The same in two steps, for what must not fail once a file is written: the text (free it) of the
 * object, which is freed, and its printing. */
char *cli_json_dump(json_t *object);
int cli_json_put(const cli_context *context, const char *text);

/* ---- cli_progress.c -------------------------------------------------------------------------- */

double cli_seconds(void);
enum { CLI_SECONDS_SHOWN = 32 };
/* "12.34 s"; of less than a tenth two digits that count, "0.0042 s": no work takes 0.00 s. */
const char *cli_seconds_show(double seconds, char out[CLI_SECONDS_SHOWN]);
#define CLI_SHOW_SECONDS(seconds) cli_seconds_show(seconds, (char[CLI_SECONDS_SHOWN]){0})
/* Progress, messages and Ctrl-C of the context's task. */
void cli_progress_start(cli_context *context);
#define CLI_READING 0.1  /* of the bar, where more than reading follows */
#define CLI_SEARCHED 0.8 /* so far it is where a training or a test follows on a search */
/* What follows fills the bar from where it is to `until`; `timed`: by the time that it may take,
 * where --time is given, since nobody knows how often it begins again. The bar never goes back. */
void cli_progress_part(const cli_context *context, double until, bool timed);
/* Removes the bar from the terminal, if there is one. */
void cli_progress_clear(void);
/* The file to remove if the user leaves by a second Ctrl-C; NULL: none. */
void cli_progress_temporary(const char *path);
/* Leaves as that does, with any exit code. */
_Noreturn void cli_progress_leave(int code);

/* ---- cli_work.c: steps that several commands take -------------------------------------------- */

/* Whether a file is a model: its first bytes say so. */
bool cli_is_model(const char *path);

int cli_read(cli_context *context, const char *path, pt_dataset **out);
/* The same where work follows that has most of the bar. */
int cli_read_first(cli_context *context, const char *path, pt_dataset **out);
/* The same with the line of each row. */
int cli_read_places(cli_context *context, const char *path, pt_dataset **out, pt_report **places);
int cli_load(cli_context *context, const char *path, pt_model **out);
/* The value of --rounds, where the model has so many; -1 where it is not given. */
int cli_rounds(const cli_context *context, const pt_model *model, int64_t *rounds);
/* Whether the memory is in the way, and nothing else; a pipe cannot be read once more. */
bool cli_is_too_large(const cli_context *context, const char *path, pt_status status);
/* Reads `path` to fit the model. */
int cli_read_for(cli_context *context, const pt_model *model, const char *path, pt_dataset **data);
/* Reads `path` to fit the model, and predicts it, after --rounds where the command has that.
 * *too_large: nothing was said, for it may be done part by part. */
int cli_predict_file(cli_context *context, const pt_model *model, const char *path,
                     pt_dataset **data, pt_prediction **prediction, bool *too_large);
/* "iris.csv: 150 rows, 4 columns, 3 classes" */
void cli_print_data(const cli_context *context, FILE *file, const char *path,
                    const pt_dataset *data);
/* The same of `n` rows, of which `data` has some with all columns and classes. */
void cli_print_rows(const cli_context *context, FILE *file, const char *path, int64_t n,
                    const pt_dataset *data);
/* "onelsm: kernel rbf, sigma 2, ..." */
/* The machine and those of its parameters that are worth a word; of a model, or (model NULL) of
 * parameters that are resolved. */
void cli_print_machine(FILE *file, const pt_model *model, const pt_params *params);
/* Trains, with the model's warnings; keeps the time. valid NULL: no rows validate. */
int cli_train_model(cli_context *context, const pt_dataset *data, const pt_dataset *valid,
                    const pt_params *params, pt_model **out);
/* And saves to `path`. */
#define CLI_SEARCHING 0.6 /* of the time, before a training */
/* What follows may take this share of the time that is left, so that something is left for what
 * comes after it: that gets all of the rest by cli_return_time, with what cli_lend_time gave. */
double cli_lend_time(cli_context *context, double share);
void cli_return_time(cli_context *context, double end);

int cli_train_and_save(cli_context *context, const pt_dataset *data, const pt_params *params,
                       const char *path, pt_model **out);

/* Parameters of every machine of the command line, to be freed with cli_machines_free. */
int cli_machines(cli_context *context, pt_params ***params);
void cli_machines_free(const cli_context *context, pt_params **params);
/* The machine with that number, as it was written; the default where none was. */
const char *cli_machine_name(const cli_context *context, int64_t machine);
int64_t cli_n_machines(const cli_context *context); /* at least 1 */

/* ---- cli_evaluation.c: how good a machine is on rows with labels ----------------------------- */

/* Whether an evaluation is of labels of that kind. */
bool cli_of_kind(const pt_report *evaluation, const char *kind);
/* *low, *high <- the interval of a figure; false: there is none. */
bool cli_interval_of(const pt_report *evaluation, const char *figure, double *low, double *high);
/* " [1.20, 3.40]", of a percentage. */
void cli_print_interval(const pt_report *evaluation, const char *figure);
/* "error: 3.33 % [0.08, 17.22] (1 of 30)" */
void cli_print_error(const char *what, const pt_report *evaluation);
/* How true the probabilities are, each figure with its interval; nothing where there are none. */
void cli_print_probabilities(const pt_report *evaluation);
/* Recall and precision of each class. */
void cli_print_classes(const cli_context *context, const pt_report *evaluation);
/* The matrix, or of many classes and not `whole` the most confused pairs. Only the first n_known
 * classes are predicted. */
void cli_print_confusion(const pt_report *evaluation, int64_t n_known, bool whole);
/* What the evaluation warns of, and rows that name a class the model never saw. */
void cli_warn_of_evaluation(cli_context *context, const pt_report *evaluation);
json_t *cli_json_per_class(const pt_report *evaluation);
void cli_json_confusion(json_t *object, const pt_report *evaluation, int64_t n_known, bool whole);
void cli_json_probabilities(const pt_report *evaluation, json_t *object);
void cli_json_metrics(json_t *object, const pt_report *evaluation);
json_t *cli_json_intervals(const pt_report *evaluation);

/* ---- cv_predictions.c ------------------------------------------------------------------------ */

/* cv --predictions: held-out labels, scores and probabilities of every row and repetition. */
int cli_write_held_out(const cli_context *context, const pt_report *search, const pt_dataset *data,
                       const pt_report *places);

/* ---- cli_search.c: what cv and compare tell of searches -------------------------------------- */

/* The error of a point over the repetitions, or the metric that was asked for: errors in percent,
 * all else as it is; and the digits that are worth showing. */
typedef struct cli_spread {
    double mean;
    double best;
    double worst;
    int digits;
} cli_spread;

cli_spread cli_point_spread(const pt_report *search, int64_t point);
/* Whether there is an error of nested folds, that error in percent, the metric of nested folds
 * (NaN: none), and the errors of a search in an object, with the metric that it is by: "error" is
 * that of nested folds where there is one, and so is the metric. */
bool cli_is_nested(const pt_report *search);
cli_spread cli_nested_spread(const pt_report *search);
cli_spread cli_nested_value(const pt_report *search);
void cli_json_errors(json_t *object, const pt_report *search);
/* Whether the search is by another metric than the error; its words, "kendall tau". */
bool cli_by_metric(const pt_report *search);
/* Whether a point of one search is better by the metric than one of another; NaN is worst. */
bool cli_is_better(const pt_report *a, int64_t point_a, const pt_report *b, int64_t point_b);
const char *cli_metric_words(const pt_report *search, char *out, size_t size);
/* 0.0625 and not 6.25e-02; 0.1 and not 0.1000000000001 */
void cli_short_value(char *out, size_t size, const char *value);
/* "ridge 4, sigma 2" */
void cli_print_point(FILE *file, const pt_report *search, int64_t point);
/* What was left to "auto" in `asked` and is chosen in `best`, the axes of the search (or NULL) left
 * out: "ridge 0.5, sigma 2" behind `before`. False where there is nothing. */
bool cli_print_chosen(FILE *file, const pt_report *search, const pt_params *asked,
                      const pt_params *best, const char *before);
/* "10 folds of 57 groups, stratified, 3 repetitions, best by micro-f1" of a search with these
 * parameters; NULL: of one to come. */
void cli_print_folds(FILE *file, const pt_report *search, const pt_params *params,
                     const pt_dataset *data);
/* The error of guessing one class, where this has more than half of the rows: an error that looks
 * small may be no smaller. */
void cli_print_guess(FILE *file, const pt_dataset *data);
/* Whether halves and folds are stratified: only classes can be. */
bool cli_is_stratified(const pt_params *params, const pt_dataset *data);
/* How the rows of a fold were scaled, as a clause behind "; ", or nothing. */
const char *cli_scaling(const pt_params *best);
/* A point with its errors; scored: with its held-out scores too, where they are kept. */
json_t *cli_json_point(const pt_report *search, int64_t point);
json_t *cli_json_scored_point(const pt_report *search, int64_t point);
/* How many folds, of what, and "fold_rows", where rows are not the folds. */
void cli_json_fold_rows(json_t *object, const pt_report *search);

/* ---- cv_several.c ---------------------------------------------------------------------------- */

int cli_cv_several(cli_context *context);

/* ---- cmd_eval.c ------------------------------------------------------------------------------ */

/* Whether the metric, by its name in reports, is shown as a percentage. */
bool cli_is_share(const char *metric);

/* ---- predict_explain.c ----------------------------------------------------------------------- */

/* predict --explain; an exit code. */
int predict_explain(cli_context *context);

/* ---- info_worth.c ---------------------------------------------------------------------------- */

/* The largest coefficients of a linear model, the gains of trees: nothing where it is neither. Exit
 * codes. */
int info_worth_print(const cli_context *context, const pt_model *model);
int info_worth_json(const cli_context *context, const pt_model *model, json_t *object);

/* ---- eval_code.c ----------------------------------------------------------------------------- */

/* What polytomy eval says of the columns of a code. */
/* Nothing where the evaluation has no columns; all columns with `all`, else the worst. */
void eval_code_print(const pt_report *evaluation, bool all);
json_t *eval_code_json(const pt_report *evaluation);

/* ---- eval_decisions.c ------------------------------------------------------------------------ */

/* Costs, rejection and sets, where --costs, --reject or --coverage asked for them; NULL: none did.
 */
void eval_decisions_print(const cli_context *context, const pt_report *evaluation);
json_t *eval_decisions_json(const pt_report *evaluation);

/* ---- eval_rounds.c --------------------------------------------------------------------------- */

/* What polytomy eval says of models that were learned by rounds. */
/* Follows the evaluation through the rounds of --stages, or some twenty up to `last`, which is
 * -1 for all. Returns an exit code. */
int eval_rounds_follow(const cli_context *context, const pt_model *model, const pt_dataset *data,
                       int64_t last, pt_report *evaluation);
/* Nothing where there are no rounds. */
void eval_rounds_print(const pt_model *model, const pt_report *evaluation);
json_t *eval_rounds_json(const pt_model *model, const pt_report *evaluation);

/* ---- train_online.c -------------------------------------------------------------------------- */

/* polytomy train --online. */
int cli_train_online(cli_context *context, const char *path);

/* ---- help ------------------------------------------------------------------------------------ */

/* Of a command with many options: those that most people need, the others by name; all: every one.
 */
void cli_help_command(FILE *file, const cli_command *command, bool all);
void cli_help_overview(FILE *file);
void cli_help_man(FILE *file);
int cli_help_json(const cli_context *context);
extern const char *const cli_registries[]; /* the library's tables by name, ended by NULL */
int cli_help_completion(const cli_context *context, FILE *file, const char *shell);
/* How an option is written: "-o, --output FILE" */
void cli_option_spelling(char *out, size_t size, const cli_option *option);
void cli_param_spelling(char *out, size_t size, int64_t param);

/* Ends the program: exit 1, with what is written in place already said. */
_Noreturn void cli_no_memory(void);

/* ---- reports (cli_output.c) ------------------------------------------------------------------ */

/* What is known of data, models, parameters beside them, as pt_..._report; to be freed. */
pt_report *cli_about_data(const pt_dataset *data);
pt_report *cli_about_model(const pt_model *model);
pt_report *cli_about_stream(const pt_prediction_stream *stream);
/* Of these: the rounds of boosting (0: none), and the metadata, whose reference is the caller's. */
int64_t cli_model_rounds(const pt_model *model);
json_t *cli_model_metadata(const pt_model *model);
/* Their warnings are held, each behind `prefix` (""). */
void cli_hold_warnings(cli_context *context, const char *prefix, const pt_report *report);
/* They are told one by one, from the one with the number `first`. Returns how many there are. */
int64_t cli_tell_warnings(cli_context *context, const pt_report *report, int64_t first);

/* ---- what the library has (cli_catalogue.c) -------------------------------------------------- */

/* The table of parameters, and the entries of a registry: as pt_catalogue has them, read once. NULL
 * and 0 out of range. */
int64_t cli_param_count(void);
int64_t cli_param_find(const char *name); /* -1: there is none */
const char *cli_param_name(int64_t param);
const char *cli_param_type(int64_t param);
const char *cli_param_kind(int64_t param);
const char *cli_param_unit(int64_t param);
const char *cli_param_default(int64_t param);
/* "; VALUE: NAME NAME ..." of machines and learners that have other defaults; to be freed. */
char *cli_param_exceptions(int64_t param);
const char *cli_param_allowed(int64_t param);
const char *cli_param_group(int64_t param);
const char *cli_param_help(int64_t param);
int64_t cli_registry_count(const char *registry);
const char *cli_registry_name(const char *registry, int64_t entry);
const char *cli_registry_field(const char *registry, int64_t entry, const char *field);
void cli_catalogue_free(void);

#endif
