/* Streams on which attribute efficiency shows: few of d features matter.
 *
 * x is d random bits. Each of three classes has three features of its own among the first nine, and
 * the label is the class with the most of its own set; draws with a tie there are drawn again. The
 * functions v_r = sum of the own features hold every pair by a margin of 1, whatever d is. */
#ifndef PT_TESTS_WINNOW_TARGET_H
#define PT_TESTS_WINNOW_TARGET_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"
#include "solvers/online/online_update.h"

enum { WINNOW_CLASSES = 3, WINNOW_OWN = 3, WINNOW_RELEVANT = WINNOW_CLASSES * WINNOW_OWN };

/* The bits of the relevant features, and the class. */
static int winnow_draw_label(pt_random *random, uint32_t *bits)
{
    for (;;) {
        int count[WINNOW_CLASSES] = {0};
        int best = 0;
        *bits = pt_random_u32(random);
        for (int j = 0; j < WINNOW_RELEVANT; j++)
            count[j / WINNOW_OWN] += (int)(*bits >> j & 1);
        for (int r = 1; r < WINNOW_CLASSES; r++)
            best = count[r] > count[best] ? r : best;
        bool tied = false;
        for (int r = 0; r < WINNOW_CLASSES; r++)
            tied = tied || (r != best && count[r] == count[best]);
        if (!tied)
            return best;
    }
}

/* Features that are set, ascending; d is at least 32. */
static int64_t winnow_draw_row(pt_random *random, uint32_t relevant, int64_t d, int64_t *index)
{
    int64_t count = 0;
    uint32_t bits = 0;
    for (int64_t j = 0; j < d; j++) {
        if (j % 32 == 0)
            bits = pt_random_u32(random);
        const uint32_t bit = j < WINNOW_RELEVANT ? relevant >> j : bits >> j % 32;
        if (bit & 1)
            index[count++] = j;
    }
    return count;
}

/* Examples of n whose pairs did not all hold when they came; -1: no memory. *late is how many of
 * them were in the last quarter. */
static int64_t winnow_mistakes(pt_update update, double alpha, int64_t d, int64_t n, uint64_t seed,
                               int64_t *late)
{
    const pt_online_rule rule = {update, PT_VIOLATED_ALL, 1, alpha, false};
    pt_online_weights w = {0};
    int64_t *index = malloc((size_t)d * sizeof *index);
    double *value = malloc((size_t)d * sizeof *value);
    pt_error err = PT_ERROR_INIT;
    int64_t mistakes = -1;
    if (index && value && pt_online_weights_init(&w, &rule, WINNOW_CLASSES, d, &err) == PT_OK) {
        pt_random random;
        pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
        mistakes = 0;
        *late = 0;
        for (int64_t j = 0; j < d; j++)
            value[j] = 1;
        for (int64_t i = 0; i < n; i++) {
            uint32_t relevant = 0;
            const int label = winnow_draw_label(&random, &relevant);
            const pt_online_row x = {winnow_draw_row(&random, relevant, d, index), index, value};
            const pt_label_pair pairs[2] = {{label, (label + 1) % 3}, {label, (label + 2) % 3}};
            pt_online_score(&w, &x);
            const bool wrong = pt_online_learn_pairs(&w, &x, pairs, 2, 1);
            mistakes += wrong;
            *late += wrong && 4 * i >= 3 * n;
        }
    }
    pt_online_weights_free(&w);
    free(value);
    free(index);
    return mistakes;
}

#endif
