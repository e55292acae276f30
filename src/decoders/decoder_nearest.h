/* See decoder_nearest.c. */
#ifndef PT_DECODERS_DECODER_NEAREST_H
#define PT_DECODERS_DECODER_NEAREST_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_nearest;

#endif
