/* The table of decoders. */
#include "decoders/decoder.h"
#include "base/registry.h"

const pt_decoder *const pt_decoders[] = {
#define PT_ENTRY(entry, name) &pt_decoder_##entry,
#include "registry/decoders.def"
#undef PT_ENTRY
    NULL};

PT_REGISTRY_FIND(pt_decoder_find, pt_decoder, pt_decoders)

bool pt_decoder_gives_probabilities(const pt_params *params)
{
    const pt_decoder *decoder = pt_decoder_find(pt_params_text(params, PT_P_DECODE));
    return decoder && decoder->probabilities;
}
