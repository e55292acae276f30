/* What tests ask of reports. */
#ifndef PT_TESTS_REPORTS_H
#define PT_TESTS_REPORTS_H

#include "polytomy/polytomy.h"

/* The held-out scores of the best point in a repetition: examples x classes. */
static inline const double *scores_of(const pt_report *search, int64_t repeat)
{
    const pt_item *scores = pt_report_find(search, "scores");
    return (const double *)scores->values + repeat * scores->length[1] * scores->length[2];
}

#endif
