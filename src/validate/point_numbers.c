/* Held-out scores of some points under the numbers of the whole. */
#include "validate/point_numbers.h"

pt_status pt_take_numbered(void *context, int64_t point, int64_t partition, const double *scores,
                           pt_error *err)
{
    const pt_point_numbers *p = context;
    return p->take(p->context, p->number ? p->number[point] : p->first + point, partition, scores,
                   err);
}
