/* A layer of random nodes: what an extreme learning machine sees in place of the rows. */
#ifndef PT_MACHINES_SQUARES_HIDDEN_LAYER_H
#define PT_MACHINES_SQUARES_HIDDEN_LAYER_H

#include "kernels/centres.h"
#include "params/params.h"

/* An activation function of the node (w, b). */
typedef struct pt_activation {
    const char *name;
    const pt_kernel_ops *of; /* its base, of x and w: inner product, or squared distance */
    double (*value)(double base, double b);
} pt_activation;

/* Zero-initialise; free it always. */
typedef struct pt_hidden_layer {
    const pt_activation *activation;
    pt_rows_owned nodes; /* hidden x d: w of each node */
    double *offset;      /* hidden: b */
    pt_centres *centres; /* made of the nodes */
} pt_hidden_layer;

/* Draws the nodes for rows of d columns: parameters hidden, activation, seed. */
pt_status pt_hidden_layer_draw(pt_hidden_layer *out, int64_t d, pt_type type,
                               const pt_params *params, const pt_task *task, pt_error *err);
/* From given nodes and offsets, copied; the activation is that of the parameters. */
pt_status pt_hidden_layer_from(pt_hidden_layer *out, const pt_rows *nodes, const double *offset,
                               const pt_params *params, pt_error *err);
void pt_hidden_layer_free(pt_hidden_layer *layer);

/* out <- what the nodes make of the rows: rows.n x hidden, of the type of the nodes. */
pt_status pt_hidden_layer_apply(const pt_hidden_layer *layer, const pt_rows *rows,
                                pt_rows_owned *out, const pt_task *task, pt_error *err);

#endif
