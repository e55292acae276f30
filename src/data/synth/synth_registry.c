/* The synthetic problems: one line each. */
#include "data/synth/synth.h"

extern const pt_synth pt_synth_ass;
extern const pt_synth pt_synth_cs;
extern const pt_synth pt_synth_hrz;
extern const pt_synth pt_synth_hrz_ova;

const pt_synth *const pt_synths[] = {&pt_synth_ass, &pt_synth_cs, &pt_synth_hrz, &pt_synth_hrz_ova,
                                     NULL};
