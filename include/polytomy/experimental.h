/* Polytomy for researchers: what the papers ask of a machine and ordinary programs do not. Functions
 * here may change or go in any version; docs/stability.md says what that means. The rules of
 * polytomy.h hold.
 */
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
                                theorem does not tell a constant, which is taken as 1. */
} pt_margin_bound;
/* Bounds as fractions, which may be above 1. NaN where one does not apply: the first two speak of
 * codes without zeros, the third of stumps, of many examples, and only where the examples given are
 * all those of training, with equal weights and none held out: where they have the loss that
 * training left. */
PT_API double pt_evaluate_margin_bound(const pt_report *evaluation, int64_t stage,
                                       pt_margin_bound bound, double theta);

#ifdef __cplusplus
}
#endif

#endif
