/* The best of some epochs, by the hinge loss of rows that are not learned from. */
#include "solvers/online/online_valid.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "losses/loss.h"

typedef struct work {
    int64_t *index; /* d + 1: a row */
    double *value;
    double *f;     /* k: its outputs */
    int8_t *sides; /* k */
    pt_label_pair *pairs;
    double *now; /* (d + 1) x k: the functions after an epoch */
    pt_arena arena;
} work;

static void free_work(work *room)
{
    pt_arena_free(&room->arena);
}

static pt_status make_work(work *room, const pt_online_problem *asked, int64_t d, int64_t k,
                           pt_error *err)
{
    const int64_t pairs = asked->labels ? pt_label_pairs_most(asked->labels, asked->how) : 0;
    return PT_ARENA(&room->arena, "weights", err, PT_PIECE(room->now, (d + 1) * k),
                    PT_PIECE(room->value, d + 1), PT_PIECE(room->f, k),
                    PT_PIECE(room->index, d + 1), PT_PIECE(room->pairs, pairs),
                    PT_PIECE(room->sides, k));
}

/* Of row i, whose outputs are there. */
static double loss_of_row(const work *room, const pt_online_problem *asked, int64_t k, int64_t i)
{
    double loss = 0;
    if (asked->labels) {
        const int64_t count = pt_label_pairs_of(asked->labels, i, asked->how, room->pairs);
        for (int64_t p = 0; p < count; p++)
            loss +=
                pt_loss_hinge.value(room->f[room->pairs[p].before] - room->f[room->pairs[p].after]);
        return loss;
    }
    asked->sides(asked->context, i, room->sides);
    for (int64_t s = 0; s < k; s++)
        loss += room->sides[s] ? pt_loss_hinge.value(room->sides[s] * room->f[s]) : 0;
    return loss;
}

static pt_status loss_of(double *sum, const work *room, const pt_online_problem *asked, int64_t k,
                         const pt_task *task, pt_error *err)
{
    const pt_rows *rows = asked->rows;
    const int64_t d = rows->d;
    *sum = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        const pt_online_row x = pt_online_row_of(rows, i, room->index, room->value);
        PT_TRY(pt_task_check_row(task, i, k * (1 + x.count), err));
        for (int64_t s = 0; s < k; s++) {
            const double *v = room->now + s * (d + 1);
            room->f[s] = v[d];
            for (int64_t p = 0; p < x.count; p++)
                room->f[s] += v[x.index[p]] * x.value[p];
        }
        *sum += pt_weight(asked->weight, i) * loss_of_row(room, asked, k, i);
    }
    return PT_OK;
}

pt_status pt_online_train_to_best(pt_online_weights *w, const pt_online_problem *problem,
                                  const pt_online_valid *valid, double *out,
                                  pt_online_epochs *result, const pt_task *task, pt_error *err)
{
    const int64_t d = problem->rows->d;
    pt_online_problem one = *problem;
    pt_online_epochs all = {0};
    double least = INFINITY;
    int64_t best = problem->first;
    PT_FREED_BY(free_work) work room = {0};
    PT_TRY(make_work(&room, &valid->asked, d, w->k, err));
    for (int64_t epoch = problem->first; epoch < problem->epochs; epoch++) {
        pt_online_epochs made = {0};
        double loss = 0;
        one.first = epoch;
        one.epochs = epoch + 1;
        PT_TRY(pt_online_train(w, &one, &made, task, err));
        all = (pt_online_epochs){.epochs = made.epochs,
                                 .mistakes = all.mistakes + made.mistakes,
                                 .last = made.last,
                                 .moves = made.moves};
        pt_online_result(w, NULL, w->k, -1, room.now);
        PT_TRY(loss_of(&loss, &room, &valid->asked, w->k, task, err));
        if (loss < least || epoch == problem->first) {
            memcpy(out, room.now, (size_t)((d + 1) * w->k) * sizeof *out);
            *result = all;
            least = loss;
            best = epoch;
        }
        if (epoch - best >= valid->patience ||
            (epoch + 1 < problem->epochs && pt_task_ends_early(task)))
            break;
    }
    pt_task_say(task, PT_NOTICE, PT_KIND_PROGRESS,
                "epoch %lld of %lld is kept, after which the loss of held-out rows was smallest",
                (long long)best + 1, (long long)problem->epochs);
    return PT_OK;
}
