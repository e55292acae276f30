/* What there is: the registries, as texts for help and bindings. */
#include "about/entries.h"

#include <string.h>

#include "codes/code.h"
#include "codes/vectors/labelbook.h"
#include "data/read/reader.h"
#include "data/synth/synth.h"
#include "decoders/decoder.h"
#include "exchange/model_format.h"
#include "kernels/kernel.h"
#include "learners/learner.h"
#include "linalg/linalg.h"
#include "machine/machine.h"
#include "params/params_table.h"

static bool lists(const char *list, const char *word)
{
    return pt_word_listed(list, ',', word, strlen(word));
}

/* ---- machines, in words ---------------------------------------------------------------------- */

static const char *label_kinds_text(unsigned kinds)
{
    /* every subset of (class, set, ranking, pairs), by its bits */
    static const char *const text[16] = {"",
                                         "class",
                                         "set",
                                         "class,set",
                                         "ranking",
                                         "class,ranking",
                                         "set,ranking",
                                         "class,set,ranking",
                                         "pairs",
                                         "class,pairs",
                                         "set,pairs",
                                         "class,set,pairs",
                                         "ranking,pairs",
                                         "class,ranking,pairs",
                                         "set,ranking,pairs",
                                         "class,set,ranking,pairs"};
    return text[kinds & 15u];
}

static const char *input_text(unsigned capabilities)
{
    static const char *const text[4] = {"dense", "dense,sparse", "dense,raw", "dense,sparse,raw"};
    return text[(capabilities & PT_CAN_SPARSE ? 1 : 0) + (capabilities & PT_CAN_RAW ? 2 : 0)];
}

static const char *capabilities_text(unsigned capabilities)
{
    return capabilities & PT_CAN_WEIGHTS ? "weights" : "";
}

/* Where held-out scores come from. */
static const char *held_out_text(const pt_machine_ops *ops)
{
    if (!ops->holdout)
        return "brute force";
    return ops->holdout_method ? ops->holdout_method : "closed form";
}

static const char *machine_field(int64_t i, const char *field)
{
    const pt_machine_ops *ops = pt_machines[i];
    if (strcmp(field, "summary") == 0)
        return ops->summary;
    if (strcmp(field, "labels") == 0)
        return label_kinds_text(ops->label_kinds);
    if (strcmp(field, "input") == 0)
        return input_text(ops->capabilities);
    if (strcmp(field, "capabilities") == 0)
        return capabilities_text(ops->capabilities);
    if (strcmp(field, "cv") == 0)
        return held_out_text(ops);
    return strcmp(field, "parameters") == 0 ? ops->parameters : NULL;
}

/* What a machine can do, whatever its parameters, or with some of them. */
static const char *const MACHINE_FLAGS[] = {"probabilities", "rounds",  "trees",    "kernel",
                                            "sparse",        "weights", "raw_rows", "closed_form",
                                            "start",         NULL};

static bool machine_can(int64_t i, int64_t flag)
{
    const pt_machine_ops *ops = pt_machines[i];
    const bool can[] = {ops->label_kinds & (1u << PT_LABEL_CLASS | 1u << PT_LABEL_SET),
                        ops->staged,
                        lists(ops->parameters, "min-leaf"),
                        lists(ops->parameters, "kernel"),
                        ops->capabilities & PT_CAN_SPARSE,
                        ops->capabilities & PT_CAN_WEIGHTS,
                        ops->capabilities & PT_CAN_RAW,
                        ops->holdout && !ops->holdout_method,
                        ops->warm};
    return can[flag];
}

static const char *const LEARNER_FLAGS[] = {"rounds",  "trees",    "kernel", "sparse",
                                            "weights", "raw_rows", "start",  NULL};

static bool learner_can(int64_t i, int64_t flag)
{
    const pt_learner_ops *ops = pt_learners[i];
    const bool can[] = {ops->rounds,
                        ops->forest,
                        lists(ops->parameters, "kernel"),
                        ops->capabilities & PT_LEARNS_SPARSE,
                        ops->capabilities & PT_LEARNS_WEIGHTS,
                        ops->capabilities & PT_LEARNS_RAW,
                        ops->warm};
    return can[flag];
}

/* ---- the others: name and summary, some with parameters -------------------------------------- */

#define DEFINE_REGISTRY(what, list)           \
    static int64_t what##_count(void)         \
    {                                         \
        int64_t count = 0;                    \
        while ((list)[count])                 \
            count++;                          \
        return count;                         \
    }                                         \
    static const char *what##_name(int64_t i) \
    {                                         \
        return (list)[i]->name;               \
    }

#define DEFINE_SUMMARY(what, list)                                        \
    static const char *what##_field(int64_t i, const char *field)         \
    {                                                                     \
        return strcmp(field, "summary") == 0 ? (list)[i]->summary : NULL; \
    }

#define DEFINE_PARAMETERS(what, list)                                     \
    static const char *what##_field(int64_t i, const char *field)         \
    {                                                                     \
        if (strcmp(field, "parameters") == 0)                             \
            return (list)[i]->parameters;                                 \
        return strcmp(field, "summary") == 0 ? (list)[i]->summary : NULL; \
    }

DEFINE_REGISTRY(machine, pt_machines)
DEFINE_REGISTRY(kernel, pt_kernels)
DEFINE_PARAMETERS(kernel, pt_kernels)
DEFINE_REGISTRY(code, pt_code_families)
DEFINE_PARAMETERS(code, pt_code_families)
DEFINE_REGISTRY(learner, pt_learners)
DEFINE_PARAMETERS(learner, pt_learners)
DEFINE_REGISTRY(labelbook, pt_labelbooks)
DEFINE_SUMMARY(labelbook, pt_labelbooks)
DEFINE_REGISTRY(decoder, pt_decoders)
DEFINE_SUMMARY(decoder, pt_decoders)
DEFINE_REGISTRY(format, pt_formats)
DEFINE_SUMMARY(format, pt_formats)
DEFINE_REGISTRY(model_format, pt_model_formats)
DEFINE_SUMMARY(model_format, pt_model_formats)
DEFINE_REGISTRY(synth, pt_synths)
DEFINE_SUMMARY(synth, pt_synths)
DEFINE_REGISTRY(backend, pt_backends)
DEFINE_SUMMARY(backend, pt_backends)

typedef struct registry {
    const char *name;
    int64_t (*count)(void);
    const char *(*entry)(int64_t i);
    const char *(*field)(int64_t i, const char *field);
} registry;

static const registry registries[] = {
    {"machines", machine_count, machine_name, machine_field},
    {"kernels", kernel_count, kernel_name, kernel_field},
    {"codes", code_count, code_name, code_field},
    {"learners", learner_count, learner_name, learner_field},
    {"labelbooks", labelbook_count, labelbook_name, labelbook_field},
    {"decoders", decoder_count, decoder_name, decoder_field},
    {"formats", format_count, format_name, format_field},
    {"model-formats", model_format_count, model_format_name, model_format_field},
    {"synth", synth_count, synth_name, synth_field},
    {"backends", backend_count, backend_name, backend_field},
};

static const registry *find_registry(const char *name)
{
    for (size_t i = 0; name && i < sizeof registries / sizeof *registries; i++)
        if (strcmp(registries[i].name, name) == 0)
            return &registries[i];
    return NULL;
}

int64_t pt_registry_count(const char *name)
{
    const registry *r = find_registry(name);
    return r ? r->count() : 0;
}

const char *pt_registry_name(const char *name, int64_t entry)
{
    const registry *r = find_registry(name);
    return r && entry >= 0 && entry < r->count() ? r->entry(entry) : NULL;
}

const char *pt_registry_field(const char *name, int64_t entry, const char *field)
{
    const registry *r = find_registry(name);
    return r && field && entry >= 0 && entry < r->count() ? r->field(entry, field) : NULL;
}

static bool is(const char *which, const char *name)
{
    return which && strcmp(which, name) == 0;
}

const char *pt_registry_flag(const char *name, int64_t flag)
{
    return is(name, "machines")   ? MACHINE_FLAGS[flag]
           : is(name, "learners") ? LEARNER_FLAGS[flag]
                                  : NULL;
}

bool pt_registry_can(const char *name, int64_t entry, int64_t flag)
{
    return is(name, "machines") ? machine_can(entry, flag) : learner_can(entry, flag);
}
