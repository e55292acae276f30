/* See decoder_wta.c. */
#ifndef PT_DECODERS_DECODER_WTA_H
#define PT_DECODERS_DECODER_WTA_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_wta;

#endif
