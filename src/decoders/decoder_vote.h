/* See decoder_vote.c. */
#ifndef PT_DECODERS_DECODER_VOTE_H
#define PT_DECODERS_DECODER_VOTE_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_vote;

#endif
