/* Polytomy for researchers: what the papers ask of a machine and ordinary programs do not. What is
 * here may change or go in any version; docs/stability.md says what that means. The rules of
 * polytomy.h hold. */
#ifndef POLYTOMY_EXPERIMENTAL_H
#define POLYTOMY_EXPERIMENTAL_H

#include "polytomy/polytomy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -----------------------------------------------------------------------------------------------
 * What the columns of a code say (Allwein, Schapire and Singer 2000)
 * --------------------------------------------------------------------------------------------- */

/* Of a machine that learns the columns of a code: adds what its binary outputs on `data`, which the
 * report "evaluation" is of, say. Of other machines nothing is added.
 *   n_columns     columns of the code, ell; `code_decides`: 1 where that code decides, 0 where a
 *                 designed one stands in its place
 *   code_loss     the loss L: the one that it is decoded with, else that of the learner
 *   code          class x column: +1, -1, or 0 where the class takes no part
 *   column_rows, column_error, column_loss, column_balance    of the examples whose class takes
 *                 part in a column: how many; the share with the wrong sign; mean L; share at +
 *   rho, average_loss (eps), loss_at_zero (L(0)), ignored (q), average_loss_taking_part,
 *   binary_error  of the whole code
 *   loss_decoding_error, loss_decoding_bound (Theorem 1), loss_decoding_bound_q (Corollary 2),
 *   hamming_error, hamming_bound, hamming_bound_signs, hamming_bound_q
 *   decoding_margin    its quantiles, as those of `margin`: (smallest loss sum of another class
 *                 minus that of the true one) / ell
 * Time: that of a prediction. */
PT_API pt_status pt_evaluate_columns(pt_report *evaluation, const pt_model *model,
                                     const pt_dataset *data, pt_task *task, pt_error *err);

/* Of a machine that learns the columns of a code by rounds (boosting): adds what its outputs on
 * `data`, which the report "evaluation" is of, say after rounds[0] < rounds[1] < ... of them,
 * n_stages in all, each at most the model's: `stage_rounds` and, over the same axis,
 * stage_loss_decoding_error, stage_hamming_error, stage_binary_error, stage_average_loss,
 * stage_loss_decoding_bound, stage_hamming_bound. Of other machines nothing is added. Once for a
 * report. Time: that of a prediction, and of decoding for each stage; memory: 16 bytes for each
 * example and stage. */
PT_API pt_status pt_evaluate_rounds(pt_report *evaluation, const pt_model *model,
                                    const pt_dataset *data, const int64_t *rounds, int64_t n_stages,
                                    pt_task *task, pt_error *err);

/* Margins of Allwein, Schapire and Singer (2000), section 5, of boosting in a single call whose
 * hypotheses say +1 or -1: in [-1, 1], positive where decoding with the exponential loss is right.
 * The share of examples whose margin is at most theta; NaN where there are no such margins. */
PT_API double pt_evaluate_margin_share(const pt_report *evaluation, int64_t stage, double theta);
typedef enum pt_margin_bound {
    PT_MARGIN_THEOREM_6 = 0, /* on that share, for the examples of training by their weights */
    PT_MARGIN_ROWS = 1,      /* what its proof says of these examples, whichever they are */
    PT_MARGIN_THEOREM_3 = 2  /* of the error on new examples, from the share of the examples of
                                training: with probability 0.95, and theta > 0. NOT a bound: the
                                theorem leaves a constant open, which is taken as 1. */
} pt_margin_bound;
/* Bounds as fractions, which may be above 1. NaN where one does not apply: the first two speak of
 * codes without zeros, the third of stumps, of many examples, and only where the examples given are
 * all those of training, with equal weights and none held out: where they have the loss that
 * training left. */
PT_API double pt_evaluate_margin_bound(const pt_report *evaluation, int64_t stage,
                                       pt_margin_bound bound, double theta);

/* -----------------------------------------------------------------------------------------------
 * Codes designed for a model's columns (Crammer and Singer 2002)
 * --------------------------------------------------------------------------------------------- */

/* Designs a continuous code for the columns of a model (CS sections 4 to 6): *out is a model with
 * the machine "designed" that has its columns, its preparation and its parameters. The model's
 * machine is one that learns the columns of a code: "code", "adaboost-mo", "adaboost-mh",
 * "ls-ovo", "class-tree", or "designed", whose columns get another code. `data` is what
 * the code is designed on: the rows of training, or fresh ones with "design-folds" 0.
 * `params` say how, NULL by default: "norm", "design-form" and the others of that kind,
 * "incremental", "costs", "gap"; others are not looked at. The metadata have what was found:
 * "design_norm", "design_slack", "primal", "dual", and mean costs (errors, where there are no
 * costs) of examples by outputs of columns that have not seen them, "discrete_cost" with the code
 * as it was and "held_out_cost" with codes designed without the example.
 * Time: "design-folds" trainings of the columns on `data`, and the design. */
PT_API pt_status pt_model_design(pt_model **out, const pt_model *model, const pt_dataset *data,
                                 const pt_params *params, pt_task *task, pt_error *err);
/* The rows of a designed code, n_classes x *n_columns, row-major, borrowed; NULL where the machine
 * is another, or has a kernel on its outputs in place of rows. Scores of sets, rankings and pairs
 * have constants beside them, which are not among the rows. */
PT_API const double *pt_model_designed_rows(const pt_model *model, int64_t *n_columns);

/* What the held-out scores of a search say, of its best point and over all repetitions: a report
 * "evaluation" of `data`, on which the search was made, as of pt_model_evaluate: recall, confusion
 * and margins, and where the search judged by probabilities also how true these are. Of `params`
 * (NULL: the defaults) count costs, top-k, intervals and seed; intervals are by draws of rows, each
 * of which stays together over the repetitions. PT_ETIME: there was no time for the scores. */
PT_API pt_status pt_search_evaluate(pt_report **out, const pt_report *search,
                                    const pt_dataset *data, const pt_params *params, pt_task *task,
                                    pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Rows that only validate
 * --------------------------------------------------------------------------------------------- */

/* pt_model_train on `data` alone: columns, preparation, classes and the machine are those of
 * `data`. By the rows of `valid`, which are prepared as for a prediction, automatic parameters are
 * chosen, boosting by the machines "code", "adaboost-mo" and "adaboost-mh" ends ("patience" rounds
 * after the fewest errors on them; "stop-share" is refused), the epochs of "perceptron" and
 * "winnow" by "code" and of "constraint" with "method=online" end, and the iterations of "softmax"
 * ("patience" of them after the smallest loss; the best one is kept), and probabilities are
 * calibrated. Rows whose label has a class that `data` lacks are left out, with a warning.
 * PT_EINVAL beside groups, folds and times; PT_ENOSUPPORT beside "start" and precomputed kernels. A
 * limit of time is not divided: the work that does not end in it fails. */
PT_API pt_status pt_model_train_validated(pt_model **out, const pt_dataset *data,
                                          const pt_dataset *valid, const pt_params *params,
                                          pt_task *task, pt_error *err);
/* Reads a file by the columns of another data set: a column means what it does there, and labels
 * are of its kind. Columns that `data` lacks are left out; what the columns of `data` lack here is
 * told by who uses both, as pt_model_train_validated. */
PT_API pt_status pt_dataset_read_like(pt_dataset **out, const pt_dataset *data, const char *path,
                                      const pt_params *params, pt_task *task, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Rows of files: where they stand, their cells, and whether they stand in another file
 * --------------------------------------------------------------------------------------------- */

/* pt_dataset_read, and a report "places" with `line` (n_examples): the line of the file, expanded,
 * where each row begins, counted from 1. Files that are no text (NPY, NPZ) have no lines: there it
 * is left out. */
PT_API pt_status pt_dataset_read_places(pt_dataset **out, pt_report **places, const char *path,
                                        const pt_params *params, pt_task *task, pt_error *err);
/* Cells of these columns (names, numbers from 1 and patterns, separated by commas; "all") stay with
 * their rows, as the file has them: the report of the stream has, of the rows that came last,
 * `kept` (example x kept_column) and their names, `kept_column`. CSV and TSV alone
 * (PT_ENOSUPPORT); before the first pt_prediction_stream_next, which refuses a column that is not
 * there. */
PT_API pt_status pt_prediction_stream_keep(pt_prediction_stream *stream, const char *columns,
                                           pt_error *err);
/* How many of the rows of `test` with a label (*n_test of them) are among those of `data`, label
 * and all, whatever the order of columns and classes. Time: one look at each cell, and a sort. */
PT_API pt_status pt_dataset_shared(int64_t *shared, int64_t *n_test, const pt_dataset *data,
                                   const pt_dataset *test, const pt_task *task, pt_error *err);
/* Reads `path` and writes its rows to two files as pt_dataset_split parts them: text as it stands,
 * what is before the first row (a header, comments) into both, what is between rows with the row
 * before it; NPY and NPZ as pt_dataset_write would. gzip or zstd by the names. Both files appear,
 * or none. *out is the data set, and the report "split" has `part` (n_examples), as there. */
PT_API pt_status pt_split_file(pt_dataset **out, pt_report **parts, const char *path, double share,
                               const char *train_path, const char *test_path,
                               const pt_params *params, pt_task *task, pt_error *err);

/* -----------------------------------------------------------------------------------------------
 * Synthetic problems
 * --------------------------------------------------------------------------------------------- */

/* One of the papers' synthetic problems: "ass", "cs", "hrz", "hrz-ova" (see `polytomy help synth`).
 * `n_examples` 0 takes the paper's number. */
PT_API pt_status pt_dataset_synth(pt_dataset **out, const char *name, int64_t n_examples,
                                  const pt_params *params, pt_error *err);
/* The same, written to a file as pt_dataset_write would, byte for byte. Rows of "cs" and "hrz" are
 * made and written in blocks, so that memory does not grow with their number; "ass", whose classes
 * depend on all rows, is held whole. `*n_written` gets the number of rows, `*sample` some of them,
 * with all columns and all classes that were written; either may be NULL. */
PT_API pt_status pt_synth_write(pt_dataset **sample, int64_t *n_written, const char *name,
                                int64_t n_examples, const pt_params *params, const char *path,
                                const char *format, pt_task *task, pt_error *err);

#ifdef __cplusplus
}
#endif

#endif
