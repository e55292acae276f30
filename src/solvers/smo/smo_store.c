/* Rows of a kernel store for SMO. All rows of a whole matrix are read in place; else a request has
 * a part of the buffer: what the store wants for its rows, then the chosen values of each. */
#include "solvers/smo/smo_store.h"

#include "base/alloc.h"
#include "solvers/smo/smo_loops.h"

/* to[j] <- from[row[j]] */
static void choose(pt_type type, const void *from, const int64_t *row, int64_t n, void *to)
{
    for (int64_t j = 0; j < n && type == PT_F32; j++)
        ((float *)to)[j] = ((const float *)from)[row[j]];
    for (int64_t j = 0; j < n && type == PT_F64; j++)
        ((double *)to)[j] = ((const double *)from)[row[j]];
}

static size_t chosen_bytes(int64_t n, pt_type type)
{
    return pt_arena_need(n, pt_type_size(type));
}

static pt_status store_rows(void *context, const int64_t *index, int64_t count,
                            const void *(*value)[PT_SMO_PIECES], pt_error *err)
{
    pt_smo_store *s = context;
    int64_t wanted[PT_SMO_BLOCK];
    const void *whole[PT_SMO_BLOCK];
    for (int64_t r = 0; r < count; r++)
        wanted[r] = s->row ? s->row[index[r]] : index[r];
    char *buffer = s->buffer ? s->buffer + (size_t)s->turn * s->request : NULL;
    s->turn = 1 - s->turn;
    PT_TRY(pt_kernel_store_rows(s->store, wanted, count, buffer, whole, s->task, err));
    char *chosen = buffer ? buffer + pt_kernel_store_buffer(s->store, PT_SMO_BLOCK) : NULL;
    for (int64_t r = 0; r < count; r++) {
        value[r][0] = whole[r];
        if (!s->row)
            continue;
        value[r][0] = chosen;
        choose(s->kernel.type, whole[r], s->row, s->n, chosen);
        chosen += chosen_bytes(s->n, s->kernel.type);
    }
    return PT_OK;
}

pt_status pt_smo_store_open(pt_smo_store *s, pt_kernel_store *store, const int64_t *row, int64_t n,
                            const pt_task *task, pt_error *err)
{
    const pt_type type = pt_kernel_store_type(store);
    const int64_t ld = pt_kernel_store_leading(n, type);
    *s = (pt_smo_store){.store = store, .row = row, .n = n, .task = task};
    s->kernel =
        (pt_smo_kernel){.type = type,
                        .diagonal = pt_kernel_store_diagonal(store),
                        .rows = store_rows,
                        .context = s,
                        .in_blocks = !pt_kernel_store_whole(store),
                        .padded = !row && pt_kernel_store_held(store) && ld >= pt_smo_padded(n),
                        .held = row ? NULL : pt_kernel_store_held(store),
                        .ld = ld};
    s->request = pt_kernel_store_buffer(store, PT_SMO_BLOCK) +
                 (row ? PT_SMO_BLOCK * chosen_bytes(n, type) : 0);
    if (s->request > 0 && !(s->buffer = pt_alloc(2, s->request, "kernel rows", err)))
        return PT_ENOMEM;
    if (!row)
        return PT_OK;
    s->diagonal = pt_alloc(n, sizeof(double), "kernel rows", err);
    for (int64_t i = 0; s->diagonal && i < n; i++)
        s->diagonal[i] = s->kernel.diagonal[row[i]];
    s->kernel.diagonal = s->diagonal;
    return s->diagonal ? PT_OK : PT_ENOMEM;
}

void pt_smo_store_close(pt_smo_store *s)
{
    pt_free(s->diagonal);
    pt_free(s->buffer);
    *s = (pt_smo_store){0};
}
