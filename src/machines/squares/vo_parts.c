/* The parts into which P o K falls: connected components of the classes under Q. */
#include "machines/squares/vo_parts.h"

#include <string.h>

#include "base/alloc.h"

void pt_vo_parts_free(pt_vo_parts *parts)
{
    pt_free(parts->order);
    pt_free(parts->first);
    pt_free(parts->part_of);
    pt_free(parts->local);
    pt_free(parts->classes);
    pt_free(parts->first_class);
    memset(parts, 0, sizeof *parts);
}

/* part_of <- components numbered without those that have no rows; how many are left. `used` says
 * which classes have rows. */
static int64_t number_parts(pt_vo_parts *parts, const pt_label_space *space, const bool *used,
                            int64_t *number)
{
    const int64_t k = space->k;
    const int64_t components = pt_label_space_components(space, parts->part_of);
    int64_t count = 0;
    for (int64_t c = 0; c < components; c++) {
        number[c] = -1;
        for (int64_t r = 0; r < k && number[c] < 0; r++)
            if (used[r] && parts->part_of[r] == c)
                number[c] = count++;
    }
    for (int64_t r = 0; r < k; r++)
        parts->part_of[r] = used[r] ? number[parts->part_of[r]] : -1;
    return count;
}

static void sort_classes(pt_vo_parts *parts, int64_t k)
{
    int64_t at = 0;
    for (int64_t p = 0; p <= parts->count; p++) {
        parts->first_class[p] = at;
        for (int64_t r = 0; r < k; r++)
            if (parts->part_of[r] == (p < parts->count ? p : -1)) {
                parts->local[r] = at - parts->first_class[p];
                parts->classes[at++] = r;
            }
    }
}

/* A counting sort, stable. */
static void sort_rows(pt_vo_parts *parts, const int64_t *class_of, int64_t n)
{
    memset(parts->first, 0, (size_t)(parts->count + 1) * sizeof *parts->first);
    for (int64_t i = 0; i < n; i++)
        parts->first[parts->part_of[class_of[i]] + 1]++;
    parts->largest = 0;
    for (int64_t p = 0; p < parts->count; p++) {
        if (parts->first[p + 1] > parts->largest)
            parts->largest = parts->first[p + 1];
        parts->first[p + 1] += parts->first[p];
    }
    for (int64_t i = 0; i < n; i++)
        parts->order[parts->first[parts->part_of[class_of[i]]]++] = i;
    for (int64_t p = parts->count; p > 0; p--)
        parts->first[p] = parts->first[p - 1];
    parts->first[0] = 0;
}

pt_status pt_vo_parts_init(pt_vo_parts *parts, const pt_label_space *space, const int64_t *class_of,
                           int64_t n, pt_error *err)
{
    const int64_t k = space->k;
    pt_vo_parts made = {0};
    made.order = pt_alloc(n, sizeof(int64_t), "an order", err);
    made.first = pt_alloc(k + 1, sizeof(int64_t), "an order", err);
    made.part_of = pt_alloc(k, sizeof(int64_t), "classes", err);
    made.local = pt_alloc(k, sizeof(int64_t), "classes", err);
    made.classes = pt_alloc(k, sizeof(int64_t), "classes", err);
    made.first_class = pt_alloc(k + 1, sizeof(int64_t), "classes", err);
    bool *used = pt_alloc_zero(k, sizeof(bool), "classes", err);
    int64_t *number = pt_alloc(k, sizeof(int64_t), "classes", err);
    const bool enough = made.order && made.first && made.part_of && made.local && made.classes &&
                        made.first_class && used && number;
    if (enough) {
        for (int64_t i = 0; i < n; i++)
            used[class_of[i]] = true;
        made.count = number_parts(&made, space, used, number);
        sort_classes(&made, k);
        sort_rows(&made, class_of, n);
        *parts = made;
    } else {
        pt_vo_parts_free(&made);
    }
    pt_free(number);
    pt_free(used);
    return enough ? PT_OK : PT_ENOMEM;
}

pt_status pt_vo_parts_products(double **out, const pt_vo_parts *parts, const pt_label_space *space,
                               int64_t part, pt_error *err)
{
    const int64_t *classes = parts->classes + parts->first_class[part];
    const int64_t m = parts->first_class[part + 1] - parts->first_class[part];
    double *Q = pt_alloc(m * m, sizeof(double), "label vectors", err);
    if (!Q)
        return PT_ENOMEM;
    for (int64_t r = 0; r < m; r++)
        for (int64_t c = 0; c < m; c++)
            Q[r * m + c] = space->Q[classes[r] * space->k + classes[c]];
    *out = Q;
    return PT_OK;
}
