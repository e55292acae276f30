/* HRZ's two synthetic problems.
 *
 * hrz (Figure 3): three linear functions w_1, w_2, w_3 in R^100, uniform in the unit ball; points
 * uniform in the ball of radius 2; the class of x is the r with the largest w_r . x. Functions come
 * from a stream of their own and points one after another, so that the first rows of a larger
 * problem with the same seed are the smaller one: training and test data are two parts of one draw.
 * (The paper does not say how points and weights are distributed; uniform is our reading.)
 *
 * A uniform point of a ball of radius R in R^D is R u^(1/D) z / |z|, z normal and u uniform in [0,
 * 1).
 *
 * hrz-ova (Figure 2): nine weighted points of the plane on which one-vs-all must fail and
 * constraint classification does not. A machine needs a threshold for each class (a constant
 * feature), which is the machine's to add. */
#include <math.h>

#include "base/alloc.h"
#include "data/synth/synth.h"

enum { DIMENSIONS = 100, FUNCTIONS = 3, PAPER_POINTS = 50000 };
static const double BALL_RADIUS = 2;
_Static_assert(FUNCTIONS *DIMENSIONS <= PT_SYNTH_NUMBERS, "the functions are kept in the state");

static void ball_point(pt_random *random, double radius, double *x)
{
    double square = 0;
    for (int j = 0; j < DIMENSIONS; j++) {
        x[j] = pt_random_normal(random);
        square += x[j] * x[j];
    }
    const double length = radius * pow(pt_random_uniform(random), 1.0 / DIMENSIONS);
    const double factor = square > 0 ? length / sqrt(square) : 0;
    for (int j = 0; j < DIMENSIONS; j++)
        x[j] *= factor;
}

/* 1..3: the function with the largest value, the first of several. */
static int64_t best_function(const double *w, const double *x)
{
    int64_t best = 0;
    double most = -INFINITY;
    for (int r = 0; r < FUNCTIONS; r++) {
        double value = 0;
        for (int j = 0; j < DIMENSIONS; j++)
            value += w[r * DIMENSIONS + j] * x[j];
        if (value > most) {
            most = value;
            best = r;
        }
    }
    return best + 1;
}

static void hrz_start(pt_synth_state *state, const pt_params *params)
{
    pt_random random;
    pt_synth_random(&random, params, PT_SYNTH_HRZ_WEIGHTS);
    for (int r = 0; r < FUNCTIONS; r++)
        ball_point(&random, 1, state->number + r * DIMENSIONS);
    pt_synth_random(&state->random, params, PT_SYNTH_HRZ_POINTS);
}

static int64_t hrz_draw(pt_synth_state *state, double *x)
{
    ball_point(&state->random, BALL_RADIUS, x);
    return best_function(state->number, x);
}

const pt_synth pt_synth_hrz = {
    .name = "hrz",
    .summary = "points of a ball in R^100, three random linear functions (HRZ Figure 3)",
    .default_n = PAPER_POINTS,
    .uses_classes = false,
    .d = DIMENSIONS,
    .start = hrz_start,
    .draw = hrz_draw,
};

/* ---- nine points ----------------------------------------------------------------------------- */

enum { POINTS = 9 };

/* x1, x2, class, weight */
static const struct {
    double x1, x2;
    int64_t class_number;
    double weight;
} OVA_POINTS[POINTS] = {
    {-6, -6, 1, 10}, {-5, 6, 1, 1}, {-3, 5, 1, 1}, {0, -1, 2, 1},  {2, 4, 0, 1},
    {2, 6, 0, 1},    {3, 5, 0, 10}, {4, 2, 0, 1},  {6, -6, 2, 10},
};

static pt_status hrz_ova_make(pt_dataset **out, int64_t n, const pt_params *params,
                              const pt_task *task, pt_error *err)
{
    (void)params; /* nothing is random here */
    if (n != 0 && n != POINTS)
        return pt_fail(err, PT_EINVAL, "hrz-ova: %lld examples; it is nine fixed points",
                       (long long)n);
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_synth_begin(&data, "hrz-ova", POINTS, 2, err));
    int64_t class_number[POINTS];
    double weight[POINTS];
    double *x = data->value;
    for (int64_t i = 0; i < POINTS; i++) {
        x[2 * i] = OVA_POINTS[i].x1;
        x[2 * i + 1] = OVA_POINTS[i].x2;
        class_number[i] = OVA_POINTS[i].class_number;
        weight[i] = OVA_POINTS[i].weight;
    }
    PT_TRY(pt_synth_finish(data, PT_SYNTH_CLASSES, class_number, task, err));
    const pt_dense weights = {.type = PT_F64, .values = weight, .n_rows = POINTS, .n_columns = 1};
    PT_TRY(pt_dataset_set_role(data, "weight", &weights, err));
    *out = pt_keep(&data);
    return PT_OK;
}

const pt_synth pt_synth_hrz_ova = {
    .name = "hrz-ova",
    .summary =
        "nine points on which one-vs-all fails, to be read with `weight=weight` (HRZ Figure 2)",
    .default_n = POINTS,
    .uses_classes = false,
    .make = hrz_ova_make,
};
