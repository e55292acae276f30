/* Every decoder there is. */
#include <string.h>

#include "decoders/decoder.h"
#include "decoders/decoder_bayes.h"
#include "decoders/decoder_coupling.h"
#include "decoders/decoder_dag.h"
#include "decoders/decoder_exp.h"
#include "decoders/decoder_hamming.h"
#include "decoders/decoder_inner.h"
#include "decoders/decoder_loss.h"
#include "decoders/decoder_nearest.h"
#include "decoders/decoder_vote.h"
#include "decoders/decoder_weakest.h"
#include "decoders/decoder_wta.h"

const pt_decoder *const pt_decoders[] = {
    &pt_decoder_inner,   &pt_decoder_nearest,  &pt_decoder_wta,
    &pt_decoder_hamming, &pt_decoder_bayes,    &pt_decoder_hinge,
    &pt_decoder_exp,     &pt_decoder_square,   &pt_decoder_logistic,
    &pt_decoder_sigmoid, &pt_decoder_weakest,  &pt_decoder_vote,
    &pt_decoder_dag,     &pt_decoder_coupling, NULL};

const pt_decoder *pt_decoder_find(const char *name)
{
    for (int64_t i = 0; pt_decoders[i]; i++)
        if (strcmp(pt_decoders[i]->name, name) == 0)
            return pt_decoders[i];
    return NULL;
}

bool pt_decoder_gives_probabilities(const pt_params *params)
{
    const pt_decoder *decoder = pt_decoder_find(pt_params_text(params, PT_P_DECODE));
    return decoder && decoder->probabilities;
}
