/* See decoder_dag.c. */
#ifndef PT_DECODERS_DECODER_DAG_H
#define PT_DECODERS_DECODER_DAG_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_dag;

#endif
