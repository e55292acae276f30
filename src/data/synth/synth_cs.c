/* CS Figure 5: points uniform in the square [-1, 1]^2, the class is the quadrant: 1 for x1, x2 >=
 * 0, then anticlockwise, 2 for x1 < 0 <= x2, and so on. The paper has 10 to 250 points. */
#include "data/synth/synth.h"

enum { MOST_POINTS = 250 };

static int64_t quadrant(double x1, double x2)
{
    if (x2 >= 0)
        return x1 >= 0 ? 1 : 2;
    return x1 < 0 ? 3 : 4;
}

static void cs_start(pt_synth_state *state, const pt_params *params)
{
    pt_synth_random(&state->random, params, PT_SYNTH_CS);
}

static int64_t cs_draw(pt_synth_state *state, double *x)
{
    x[0] = 2 * pt_random_uniform(&state->random) - 1;
    x[1] = 2 * pt_random_uniform(&state->random) - 1;
    return quadrant(x[0], x[1]);
}

const pt_synth pt_synth_cs = {
    .name = "cs",
    .summary = "uniform points of a square, the class is the quadrant (CS Figure 5)",
    .default_n = MOST_POINTS,
    .uses_classes = false,
    .d = 2,
    .start = cs_start,
    .draw = cs_draw,
};
