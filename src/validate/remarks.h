/* What many trainings warn of: each remark once, with the number of trainings that it concerns.
 *
 * A remark is a sentence of the source; figures and names in it differ from training to training,
 * and those of the first are told. So there are at most as many remarks as sentences, whatever the
 * number of trainings. */
#ifndef PT_VALIDATE_REMARKS_H
#define PT_VALIDATE_REMARKS_H

#include "base/warnings.h"

typedef struct pt_remark {
    const char *sentence; /* before figures are put in */
    pt_kind kind;
    char *text;        /* as the first of the trainings says it */
    int64_t first;     /* the number of that training */
    int64_t place;     /* among all that it says */
    int64_t last;      /* the training that said it last */
    int64_t trainings; /* that say it */
} pt_remark;

/* Zero-initialise it. */
typedef struct pt_remarks {
    pt_remark *list;
    int64_t count;
    int64_t trainings; /* all of them */
} pt_remarks;

/* What one training says, perhaps nothing; each training is noted once, in any order. */
pt_status pt_remarks_note(pt_remarks *remarks, int64_t training, const pt_warnings *said,
                          pt_error *err);
/* Adds those of other trainings, in any order; `more` is empty then. */
pt_status pt_remarks_take(pt_remarks *remarks, pt_remarks *more, pt_error *err);
/* Trainings that were numbered by the place of a point, `each` a point, get the number of the point
 * instead: number[place]. */
void pt_remarks_renumber(pt_remarks *remarks, int64_t each, const int64_t *number);
/* Adds "in 3 of 40 trainings: ..." for each, by the number of the first training; `whose` stands
 * behind "trainings". */
pt_status pt_remarks_tell(pt_warnings *warnings, pt_remarks *remarks, const char *whose,
                          pt_error *err);
void pt_remarks_free(pt_remarks *remarks);

#endif
