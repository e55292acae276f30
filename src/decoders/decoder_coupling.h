/* See decoder_coupling.c. */
#ifndef PT_DECODERS_DECODER_COUPLING_H
#define PT_DECODERS_DECODER_COUPLING_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_coupling;

#endif
