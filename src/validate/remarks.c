/* Remarks are few: lists are searched from the beginning. */
#include "validate/remarks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static pt_remark *find(const pt_remarks *remarks, const char *sentence, pt_kind kind)
{
    for (int64_t i = 0; i < remarks->count; i++)
        if (remarks->list[i].kind == kind && strcmp(remarks->list[i].sentence, sentence) == 0)
            return &remarks->list[i];
    return NULL;
}

/* The list grows to a power of 2, when the number in it is one. */
static pt_status append(pt_remarks *remarks, const pt_remark *remark, pt_error *err)
{
    const int64_t n = remarks->count;
    if ((n & (n - 1)) == 0)
        PT_TRY(pt_alloc_grow((void **)&remarks->list, n, n ? 2 * n : 1, sizeof *remarks->list,
                             "warnings", err));
    remarks->list[remarks->count++] = *remark;
    return PT_OK;
}

static pt_status note(pt_remarks *remarks, int64_t training, const pt_warnings *said, int64_t place,
                      pt_error *err)
{
    pt_remark *known = find(remarks, said->sentences[place], said->kinds[place]);
    const bool counted = known && known->last == training;
    if (known && !counted) {
        known->trainings++;
        known->last = training;
    }
    if (known && (counted || training > known->first))
        return PT_OK;
    PT_SCRATCH char *text = pt_alloc_text(said->items[place], err);
    if (!text)
        return PT_ENOMEM;
    if (known) { /* an earlier training, noted later */
        pt_free(known->text);
        known->text = pt_keep(&text);
        known->first = training;
        known->place = place;
        return PT_OK;
    }
    PT_TRY(append(remarks,
                  &(const pt_remark){said->sentences[place], said->kinds[place], text, training,
                                     place, training, 1},
                  err));
    text = NULL; /* the list has it */
    return PT_OK;
}

void pt_remarks_renumber(pt_remarks *remarks, int64_t each, const int64_t *number)
{
    for (int64_t i = 0; i < remarks->count; i++) {
        pt_remark *r = &remarks->list[i];
        r->first = number[r->first / each] * each + r->first % each;
        r->last = number[r->last / each] * each + r->last % each;
    }
}

pt_status pt_remarks_note(pt_remarks *remarks, int64_t training, const pt_warnings *said,
                          pt_error *err)
{
    remarks->trainings++;
    for (int64_t i = 0; i < said->count; i++)
        PT_TRY(note(remarks, training, said, i, err));
    return PT_OK;
}

static int by_first(const void *a, const void *b)
{
    const pt_remark *x = a;
    const pt_remark *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Two counts of one remark: the text is that of the first training. */
static void join(pt_remark *known, pt_remark *more)
{
    const int64_t trainings = known->trainings + more->trainings;
    if (by_first(more, known) < 0) {
        const pt_remark later = *known;
        *known = *more;
        *more = later;
    }
    known->trainings = trainings;
    pt_free(more->text);
}

pt_status pt_remarks_take(pt_remarks *remarks, pt_remarks *more, pt_error *err)
{
    while (more->count > 0) {
        pt_remark *next = &more->list[more->count - 1];
        pt_remark *known = find(remarks, next->sentence, next->kind);
        if (known)
            join(known, next);
        else
            PT_TRY(append(remarks, next, err));
        more->count--;
    }
    remarks->trainings += more->trainings;
    more->trainings = 0;
    return PT_OK;
}

pt_status pt_remarks_tell(pt_warnings *warnings, pt_remarks *remarks, const char *whose,
                          pt_error *err)
{
    if (remarks->count > 0)
        qsort(remarks->list, (size_t)remarks->count, sizeof *remarks->list, by_first);
    for (int64_t i = 0; i < remarks->count; i++)
        PT_TRY(pt_warn(warnings, err, remarks->list[i].kind, "in %lld of %lld training%-s%-s: %-s",
                       (long long)remarks->list[i].trainings, (long long)remarks->trainings,
                       remarks->trainings == 1 ? "" : "s", whose, remarks->list[i].text));
    return PT_OK;
}

void pt_remarks_free(pt_remarks *remarks)
{
    for (int64_t i = 0; i < remarks->count; i++)
        pt_free(remarks->list[i].text);
    pt_free(remarks->list);
    *remarks = (pt_remarks){0};
}
