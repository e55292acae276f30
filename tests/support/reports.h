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

/* A figure of a stream that is being learned from, or predicted; -1: no memory. */
static inline int64_t online_number(const pt_online *online, const char *name)
{
    pt_report *report = NULL;
    const pt_status status = pt_online_report(&report, online, NULL);
    const int64_t value = status == PT_OK ? pt_report_integer(report, name) : -1;
    pt_report_free(report);
    return value;
}

static inline int64_t stream_rows(const pt_prediction_stream *stream)
{
    pt_report *report = NULL;
    const pt_status status = pt_prediction_stream_report(&report, stream, NULL);
    const int64_t value = status == PT_OK ? pt_report_integer(report, "n_examples") : -1;
    pt_report_free(report);
    return value;
}

#endif
