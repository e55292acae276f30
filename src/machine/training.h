/* From a data set and parameters to a problem that a machine can be trained on. */
#ifndef PT_MACHINE_TRAINING_H
#define PT_MACHINE_TRAINING_H

#include "data/prepare/prepare.h"
#include "data/stream/row_stream.h"
#include "machine/machine.h"

/* A model that training begins with, lent by it (training_start.c). */
typedef struct pt_training_start {
    pt_started started;
    const pt_prepare *prepare;
    const pt_texts *classes;
    pt_label_kind label_kind;
} pt_training_start;

/* Rows that only validate, prepared as those of a training, in its classes (training_valid.c).
 * Zero-initialise; free it always. */
typedef struct pt_training_valid {
    pt_dataset *kept; /* the rows that count: with a label that training knows, and a weight */
    pt_prepared prepared;
    pt_labels *labels;
    double *weight;           /* of examples times those of classes; NULL: all 1 */
    const double *row_weight; /* of examples alone, lent by `kept`; NULL: all 1 */
    pt_valid_rows lent;       /* of classes */
} pt_training_valid;

/* Zero-initialise; free it always. */
typedef struct pt_training {
    const pt_machine_ops *ops;
    pt_params *params; /* a copy; "auto" is replaced by pt_training_resolve */
    pt_dataset *kept;  /* rows that have a label and a weight, merged or not; NULL: all */
    int64_t n_rows;    /* how many rows of the data set these are */
    pt_prepare *prepare;
    pt_prepared prepared;
    double *weight;           /* of examples times those of classes */
    const double *row_weight; /* of examples alone, lent by the data; NULL: all 1 */
    double *label_gram;       /* k x k, of --label-kernel FILE, or an array */
    pt_code *code;            /* of --code FILE, or an array, or a random one */
    double *costs;            /* k x k, of --costs FILE, or an array */
    int64_t *copies;          /* examples that each row stands for; NULL: one each */
    pt_problem problem;
    pt_warnings warnings;
    pt_forecast forecast;
    double seconds_choosing; /* that pt_training_resolve took */
    pt_chosen chosen;        /* what it found */
    double share_of_time;    /* of what is left, after which it ends unfinished; 0: it does not */
    bool ended_early;        /* and was not: one fold has to do for calibration */
    bool only;               /* there is no other model: without probabilities it is kept, too */
    const pt_training_valid *valid; /* rows that validate; NULL: there are none */
    const pt_training_start *start; /* for the machine that is kept alone; NULL: there is none */
} pt_training;

/* Checks labels and parameters, leaves out rows without label or weight, prepares the rest. */
pt_status pt_training_init(pt_training *training, const pt_dataset *data, const pt_params *params,
                           const pt_task *task, pt_error *err);
/* The same for a model that is kept: with --merge yes, rows are merged and sorted first
 * (pt_dataset_merge), unless they are those of a precomputed kernel; where the machine takes no
 * weights they are only sorted. */
pt_status pt_training_init_merged(pt_training *training, const pt_dataset *data,
                                  const pt_params *params, const pt_task *task, pt_error *err);
/* The same for a machine that begins with a model (NULL: with none): what `params` do not set is as
 * there, and rows are prepared as it does. `start` must live as long as the training. */
pt_status pt_training_init_started(pt_training *training, const pt_dataset *data,
                                   const pt_params *params, const pt_training_start *start,
                                   const pt_task *task, pt_error *err);
/* Whether --merge asks for it, and rows are no kernel values. */
bool pt_training_merges(const pt_params *params);
/* *out <- rows of the data set, as the machine gets them then; *copies, the caller's to free: how
 * many examples each stands for, or NULL: one each. Whole weights are numbers of examples; others
 * only say how much a row counts, and it stands for the rows that it was. */
pt_status pt_training_merge(pt_dataset **out, int64_t **copies, const pt_machine_ops *ops,
                            const pt_params *params, const pt_dataset *data, const int64_t *rows,
                            int64_t m, const pt_task *task, pt_error *err);
void pt_training_free(pt_training *training);
/* Refuses rows whose columns are others, and where none has a label that training knows; those that
 * have none are left out, with a warning of the training. */
pt_status pt_training_valid_init(pt_training_valid *valid, pt_training *training,
                                 const pt_dataset *data, const pt_task *task, pt_error *err);
void pt_training_valid_free(pt_training_valid *valid);
/* Both kinds of rows as one problem, in which the second are a fold and the first are never held
 * out: whatever chooses by held-out rows trains on the first and judges by the second. */
typedef struct pt_training_joint {
    pt_row_pile pile;
    pt_labels *labels;
    double *weight;
    int64_t *copies;
    int64_t *fold;
    pt_problem problem;
} pt_training_joint;
pt_status pt_training_join(pt_training_joint *joint, const pt_training *training,
                           const pt_training_valid *valid, pt_error *err);
void pt_training_joint_free(pt_training_joint *joint);
/* The rows are prepared, and nobody will ask for the cells that were kept. */
void pt_training_drop_cells(pt_training *training);

/* *out <- example weights (`given`, NULL: 1) times those of --class-weight; stays NULL where all
 * are 1. */
pt_status pt_training_weights(double **out, const double *given, const pt_labels *labels,
                              const pt_params *params, pt_error *err);

/* Weights of classes that are an array become the text that says the same, which a model can keep:
 * "a=2,b=0.5". Where a name does not let it be written so, they stay an array. */
pt_status pt_training_spell_weights(pt_params *params, const pt_texts *classes, pt_error *err);

/* *out <- the matrix of --costs, checked, to be freed by pt_free, on failure too; NULL where there
 * is none. */
pt_status pt_training_costs(double **out, const pt_machine_ops *ops, const pt_params *params,
                            const pt_texts *classes, const pt_task *task, pt_error *err);

/* Whether a row has a label and a weight. */
bool pt_training_row_counts(const pt_dataset *data, int64_t i);
/* t->kept <- the rows that count, where some do not, classes are empty, or rows are to be merged.
 * Of sets, rankings and pairs all classes stay: to be in no set is to be told something. */
pt_status pt_training_keep_rows(pt_training *training, const pt_dataset *data, bool merge,
                                const pt_task *task, pt_error *err);
/* label_gram, costs and code <- those that files or arrays give; a random code is drawn. */
pt_status pt_training_read_files(pt_training *training, const pt_dataset *used, const pt_task *task,
                                 pt_error *err);

/* Whether --costs is a matrix, of a file or an array, of a machine that uses it. */
bool pt_costs_is_file(const pt_machine_ops *ops, const pt_params *params);

/* Whether --code is that of a file or an array, of a machine that has a code. */
bool pt_code_is_file(const pt_machine_ops *ops, const pt_params *params);

/* The steps of training that begins with a model (training_start.c): parameters that are not set
 * become its; its machine, its columns, its classes are those of the training; and, when nothing
 * is "auto" any more, its parameters are but for those that may differ. */
pt_status pt_start_inherit(pt_params *params, const pt_training_start *start, pt_error *err);
pt_status pt_start_check_machine(const pt_training *training, pt_error *err);
pt_status pt_start_check_data(const pt_training *training, const pt_dataset *data, pt_error *err);
pt_status pt_start_check_classes(const pt_training *training, const pt_labels *labels,
                                 pt_error *err);
pt_status pt_start_check_params(const pt_training *training, pt_error *err);

/* Checks that the parameters that were set are used by the machine and by the kernel they name. */
pt_status pt_training_check_params(const pt_machine_ops *ops, const pt_params *params, bool sparse,
                                   pt_error *err);

#endif
