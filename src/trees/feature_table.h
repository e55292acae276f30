/* Features sorted into bins once, for every split of every column, node and round.
 *
 * A cell becomes the number of its bin. Bins of a numeric feature ascend: bin b holds what is above
 * cut[b - 1] and at most cut[b]. Bins of a nominal feature are its levels. Missing cells are in the
 * bin after the last.
 *
 *   exact       every distinct value has its bin, a cut is the middle between neighbours
 *   histogram   at most `bins` of them, the missing one included, of about as many cells each;
 *               where there are not more distinct values than that it is the exact table
 *
 * A listed feature is one of sparse rows that few of them have: only those are kept, with their
 * bins, and all other rows are in the bin of 0. */
#ifndef PT_TREES_FEATURE_TABLE_H
#define PT_TREES_FEATURE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/task.h"
#include "data/rows.h"

typedef struct pt_feature {
    int64_t levels;       /* of a nominal feature, 0: numeric */
    int64_t bins;         /* that of missing cells not counted */
    int64_t n_missing;    /* cells */
    const double *cut;    /* bins - 1 of a numeric feature, ascending */
    const uint8_t *bin;   /* n, or `listed`, where no bin is above 255; else NULL */
    const uint32_t *wide; /* the same, where one is; else NULL */
    const uint32_t *row; /* of a listed feature: the rows whose bins are told, ascending; or NULL */
    int64_t listed;      /* how many */
    int64_t common;      /* the bin of all other rows */
} pt_feature;

typedef struct pt_feature_table {
    int64_t n;
    int64_t d;
    pt_feature *feature; /* d */
    void *storage;
} pt_feature_table;

/* bins: as --bins, 0 or 1: exact. Sparse rows are taken too; absent cells are 0. */
pt_status pt_feature_table_init(pt_feature_table *table, const pt_rows *rows, int64_t bins,
                                const pt_task *task, pt_error *err);
/* The same, with features of sparse rows listed where that pays: for searches that know of it. */
pt_status pt_feature_table_init_listed(pt_feature_table *table, const pt_rows *rows, int64_t bins,
                                       const pt_task *task, pt_error *err);
void pt_feature_table_free(pt_feature_table *table);

/* Bytes that it will hold, for plans. */
double pt_feature_table_bytes(const pt_rows *rows, int64_t bins);
double pt_feature_table_listed_bytes(const pt_rows *rows, int64_t bins);
/* Rows times features that are not listed, at most. */
double pt_feature_table_cells(const pt_rows *rows);

/* Of a listed feature: the first place in its list with a row of at least i. */
int64_t pt_feature_place(const pt_feature *feature, int64_t i);

/* The bin at a place of the list, or of a row where there is no list. */
static inline int64_t pt_feature_listed(const pt_feature *feature, int64_t at)
{
    return feature->bin ? feature->bin[at] : feature->wide[at];
}

static inline int64_t pt_feature_bin(const pt_feature *feature, int64_t i)
{
    if (feature->row) {
        const int64_t at = pt_feature_place(feature, i);
        if (at == feature->listed || feature->row[at] != i)
            return feature->common;
        i = at;
    }
    return pt_feature_listed(feature, i);
}

#endif
