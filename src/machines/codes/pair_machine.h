/* Machines of all pairs of classes, trained: outputs for every pair (learners/pair_expansion.h), a
 * decoder; their outputs and the file. */
#ifndef PT_MACHINES_CODES_PAIR_MACHINE_H
#define PT_MACHINES_CODES_PAIR_MACHINE_H

#include "decoders/decoder.h"
#include "learners/pair_expansion.h"
#include "machine/machine.h"

enum { PT_PAIR_SIDES = 2 };

typedef struct pt_pair_machine {
    pt_machine base;
    pt_code code; /* all pairs */
    pt_code_decoder decoder;
    pt_pair_expansion pairs;
} pt_pair_machine;

/* A machine of k classes without coefficients: decoder from the parameters. */
pt_status pt_pair_machine_new(pt_pair_machine **out, const pt_machine_ops *ops, int64_t k,
                              const pt_params *params, pt_error *err);

/* For the tables of such machines. */
pt_status pt_pair_machine_outputs(const pt_machine *machine, const pt_rows *rows, double *outputs,
                                  const pt_task *task, pt_error *err);
void pt_pair_machine_free(pt_machine *machine);
pt_status pt_pair_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err);
pt_status pt_pair_machine_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                               int64_t n_inputs, int64_t n_classes, const pt_params *params,
                               pt_error *err);

#endif
