/* Learning from a stream: what the state consists of, for its checkpoints. The public functions are
 * in polytomy.h. */
#ifndef PT_MODEL_ONLINE_STREAM_H
#define PT_MODEL_ONLINE_STREAM_H

#include "data/dataset.h"
#include "data/labels/labels.h"
#include "data/prepare/prepare.h"
#include "data/read/intern.h"
#include "params/params.h"
#include "solvers/online/online_scale.h"
#include "solvers/online/online_update.h"

enum { PT_ONLINE_POINTS = 64 }; /* powers of 2 */

struct pt_online {
    pt_params *params; /* complete: the machine, its method, the bias */
    pt_label_kind kind;
    unsigned how;         /* of rankings: pairs of which groups */
    pt_feature_hash hash; /* bits 0: none; else d is 2^bits from the beginning */
    pt_online_scale scale;
    pt_online_weights w; /* column c + 1 is class c where labels are sets: column 0 the threshold */
    pt_intern classes;   /* in the order of their first examples */
    int64_t d;           /* features so far */
    int64_t n;           /* examples learned from, those of a checkpoint too */
    int64_t errors;      /* examples whose label was wrong when they came */
    int64_t points;      /* moments at which `n` was a power of 2, */
    int64_t point[PT_ONLINE_POINTS]; /* and the errors by then */
    int64_t skip;                    /* examples that a checkpoint has counted */
    bool limited;                    /* the time was over before the stream was */
    double saved;     /* when rows in memory last led to a checkpoint, on pt_seconds; 0: never */
    int64_t saved_at; /* and the points there were */
    char *source;
    bool table;                /* examples have d columns of numbers */
    pt_texts names_of_columns; /* ... with names, or none */
    char *label_name;          /* as in pt_dataset */
    int64_t label_column;
    pt_label_columns label_columns;
    pt_label_pair *pairs;
    int64_t pair_room;
    int64_t *member; /* columns of the label of an example */
    int64_t member_room;
    int64_t *told_index; /* an example in the units of now */
    int64_t told_index_room;
    double *told_value;
    int64_t told_value_room;
    pt_sparse_cell *cells; /* an example whose features are hashed */
    int64_t cell_room;
    int64_t *row_index; /* an example as a row, where it has to be made */
    int64_t index_room;
    double *row_value;
    int64_t value_room;
    const char **names; /* of the classes of an example */
    int64_t name_room;
    int64_t *slots; /* of the classes of a block; -1: no example so far has it */
    int64_t slot_room;
};

/* Columns of classes in the weights begin here. */
static inline int64_t pt_online_first(const struct pt_online *online)
{
    return online->kind == PT_LABEL_SET ? 1 : 0;
}

static inline void pt_online_free_at(pt_online **address) /* for PT_FREED_BY */
{
    pt_online_free(*address);
}

#endif
