/* What the files of a search share. */
#ifndef PT_SELECT_SEARCH_H
#define PT_SELECT_SEARCH_H

#include "machine/training.h"
#include "metrics/label_metrics.h"
#include "select/checkpoint.h"
#include "select/grid.h"

enum { PT_NO_ANSWER = -1, PT_NOT_YET = -2 }; /* in place of a count of errors */

typedef struct pt_search {
    pt_grid grid;
    int64_t n;
    int64_t k;
    int64_t n_repeats;
    int64_t n_folds;     /* of the repetition with the most */
    int64_t n_groups;    /* 0: rows have none */
    int64_t n_times;     /* different ones; 0: rows have none, or all the same */
    bool given;          /* folds are the caller's */
    int64_t *held;       /* repeats: rows that are held out */
    int64_t *fold_rows;  /* repeats x folds; NULL: each row is a fold of its own */
    int64_t *fold_wrong; /* points x repeats x folds, or PT_NO_ANSWER; NULL: the same */
    int64_t *errors;     /* points x repeats; or PT_NO_ANSWER */
    pt_metric metric;
    int64_t *nested;      /* errors of nested folds, by repetition, or PT_NO_ANSWER; NULL: none */
    double *nested_value; /* the metric of nested folds, by repetition, NaN: no answer; NULL: none,
                             or it is the error */
    double *value;      /* of the metric, points x repeats, NaN: no answer; NULL: it is the error */
    double *fold_value; /* the same of each fold, points x repeats x folds; NaN: it has none */
    int64_t best;
    int64_t n_missing;  /* points that the time did not allow */
    int64_t n_computed; /* points that were computed now and not taken from a checkpoint */
    double seconds;
    char method[96]; /* how the errors were computed, for people */
    pt_warnings warnings;
    pt_params *best_params;
    double *best_scores; /* repeats x n x k, by the rows that count; NULL: no time for them */
    double *best_probas; /* repeats x n x k, where points are judged by probabilities; or NULL */
    int64_t *row;        /* n: where each is among the rows of the data set */
    pt_label_kind label_kind;
    pt_texts classes;     /* k */
    double *point_scores; /* points x n x k, of the first repetition; NULL: they are not kept */
} pt_search;

/* Parameters of every point of the grid, resolved; to be freed with pt_points_free, after a failure
 * too. */
pt_status pt_points_make(pt_params ***out, pt_search *search, pt_training *training,
                         const pt_task *task, pt_error *err);
void pt_points_free(pt_params **points, int64_t count);
/* names <- "sigma and ridge": what was left to "auto" in `before`, is on no axis of the grid (NULL:
 * there is none) and is chosen in `after`. False: nothing. */
bool pt_points_auto_names(char *names, size_t size, const pt_grid *grid, const pt_params *before,
                          const pt_params *after);

void pt_search_free(pt_search *search);
/* *out <- its report, which owns it from then on. */
pt_status pt_search_report(pt_report **out, pt_search *search, pt_error *err);

/* Errors of a point over all repetitions; PT_NO_ANSWER if there is none in one of them. */
int64_t pt_search_total(const pt_search *search, int64_t point);
/* Whether point a is better than b by the metric: 1; as good: 0; worse: -1. Both have answers. */
int pt_search_compare(const pt_search *search, int64_t a, int64_t b);

/* Where its steps end, as shares of one bar. */
typedef struct pt_search_steps {
    double begin;
    double chosen;
    double held_out;
    double end; /* with nested folds */
} pt_search_steps;

/* A search whose results are kept in the list `name` of a checkpoint (NULL: nowhere). With `steps`
 * it is told of by them, and has nested folds beside it where they are asked for or cheap; NULL: it
 * is a part of something else. */
pt_status pt_search_one(pt_search **out, const pt_dataset *data, const pt_params *params,
                        pt_checkpoint *checkpoint, const char *name, const pt_search_steps *steps,
                        const pt_task *task, pt_error *err);

static inline void pt_search_free_at(pt_search **address) /* for PT_FREED_BY */
{
    pt_search_free(*address);
}

#endif
