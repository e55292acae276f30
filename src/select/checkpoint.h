/* Results of long work that survive an interruption: a file with a signature and named lists.
 *
 * The file is a container (store/), written now and then, and when the work ends or is stopped. The
 * signature says what the results are of: data (a checksum of labels and values),
 * every parameter of every machine that can change a result (of a kernel on the labels from a file
 * its matrix), the version. A file with another
 * signature is refused with the first difference, and never overwritten.
 *
 * Every function takes a NULL checkpoint: nothing is known, nothing is kept. Any thread may call.
 */
#ifndef PT_SELECT_CHECKPOINT_H
#define PT_SELECT_CHECKPOINT_H

#include <stdbool.h>

#include "base/task.h"
#include "data/dataset.h"
#include "params/params.h"

typedef struct pt_checkpoint pt_checkpoint;

/* For the work `what` ("cv") with these machines on these data. The name of the file is the
 * parameter `resume` of the first machine; where it has none, *out is NULL. */
pt_status pt_checkpoint_open(pt_checkpoint **out, const char *what, const pt_dataset *data,
                             const pt_params *const *machines, int64_t n_machines, pt_error *err);

/* Writes the file and frees. `status` is how the work ended and is returned; where the work was
 * stopped, err says how to go on. A file that could be begun and cannot be written any more, now or
 * between, does not end the work: pt_task_lost. */
pt_status pt_checkpoint_close(pt_checkpoint *cp, pt_status status, pt_task *task, pt_error *err);

/* Entry `index` of a list: *known tells whether it is there. Numbers are from `least` to `most`,
 * anything else is PT_EFORMAT: the file may come from anywhere. A text is the caller's to free. */
pt_status pt_checkpoint_number(pt_checkpoint *cp, const char *list, int64_t index, int64_t least,
                               int64_t most, bool *known, int64_t *value, pt_error *err);
pt_status pt_checkpoint_real(pt_checkpoint *cp, const char *list, int64_t index, double least,
                             double most, bool *known, double *value, pt_error *err);
pt_status pt_checkpoint_text(pt_checkpoint *cp, const char *list, int64_t index, bool *known,
                             char **text, pt_error *err);

pt_status pt_checkpoint_put_number(pt_checkpoint *cp, const char *list, int64_t index,
                                   int64_t value, pt_error *err);
pt_status pt_checkpoint_put_real(pt_checkpoint *cp, const char *list, int64_t index, double value,
                                 pt_error *err);
pt_status pt_checkpoint_put_text(pt_checkpoint *cp, const char *list, int64_t index,
                                 const char *text, pt_error *err);

#endif
