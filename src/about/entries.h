/* What there is: the entries of a registry, and what each says of itself (pt_catalogue). */
#ifndef PT_ABOUT_ENTRIES_H
#define PT_ABOUT_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

/* Entries of "machines", "kernels", "codes", "learners", "labelbooks", "decoders", "formats",
 * "synth", "model-formats", "backends"; 0: there is no such registry. `field` is "summary"; for
 * codes, kernels, learners and machines also "parameters"; for machines "labels", "input",
 * "capabilities" and "cv". NULL out of range. */
int64_t pt_registry_count(const char *name);
const char *pt_registry_name(const char *name, int64_t entry);
const char *pt_registry_field(const char *name, int64_t entry, const char *field);

/* What entries of machines and of learners can do: the names of that, ended by NULL, and whether
 * this one can. */
const char *pt_registry_flag(const char *name, int64_t flag);
bool pt_registry_can(const char *name, int64_t entry, int64_t flag);

#endif
