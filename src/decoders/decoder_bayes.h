/* See decoder_bayes.c. */
#ifndef PT_DECODERS_DECODER_BAYES_H
#define PT_DECODERS_DECODER_BAYES_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_bayes;

#endif
