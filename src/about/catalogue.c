/* What there is, as reports: the table of parameters, and the registries. Bindings and help are
 * made from these. */
#include "about/entries.h"
#include "about/parameters.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "params/params_table.h"
#include "report/report.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static pt_status add_texts(pt_report *report, const char *item, const char *axis, int64_t n,
                           const char *(*of)(int64_t i), pt_error *err)
{
    PT_SCRATCH const char **texts = NULL;
    PT_TRY(PT_NEW(texts, n, "a table", err));
    for (int64_t i = 0; i < n; i++)
        texts[i] = of(i);
    return pt_report_copy(report, PT_LIST(item, PT_TEXT, axis, n, texts), err);
}

/* Numbers have a range; where it has no end, and of other parameters, there is NaN. */
static pt_status add_ranges(pt_report *report, pt_error *err)
{
    double *least = NULL;
    double *most = NULL;
    int8_t *above = NULL;
    int8_t *automatic = NULL;
    PT_TRY(
        pt_report_room(report, PT_LIST("minimum", PT_F64, "name", PT_N_PARAMS, NULL), &least, err));
    PT_TRY(
        pt_report_room(report, PT_LIST("maximum", PT_F64, "name", PT_N_PARAMS, NULL), &most, err));
    PT_TRY(pt_report_room(report, PT_LIST("minimum_excluded", PT_I8, "name", PT_N_PARAMS, NULL),
                          &above, err));
    PT_TRY(pt_report_room(report, PT_LIST("takes_auto", PT_I8, "name", PT_N_PARAMS, NULL),
                          &automatic, err));
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_entry *entry = &pt_param_table[id];
        const bool number = entry->minimum != entry->maximum;
        least[id] = !number || entry->minimum == -PT_NO_LIMIT ? NAN
                    : entry->minimum == PT_TINY               ? 0
                                                              : entry->minimum;
        most[id] = !number || entry->maximum == PT_NO_LIMIT ? NAN : entry->maximum;
        above[id] = number && entry->minimum == PT_TINY;
        automatic[id] = pt_param_has_default(entry, "auto");
    }
    return PT_OK;
}

static pt_status add_choices(pt_report *report, pt_error *err)
{
    PT_FREED_BY(pt_choices_free) pt_choices choices = {.word = NULL};
    PT_TRY(pt_choices_init(&choices, NULL, NULL, err));
    return pt_choices_add(report, &choices, err);
}

static pt_status add_parameters(pt_report *report, pt_error *err)
{
    static const struct {
        const char *item;
        const char *(*of)(int64_t param);
    } COLUMNS[] = {{"name", pt_param_name},       {"type", pt_param_type},
                   {"kind", pt_param_kind},       {"unit", pt_param_unit},
                   {"group", pt_param_group},     {"default", pt_param_default},
                   {"allowed", pt_param_allowed}, {"help", pt_param_help}};
    for (size_t c = 0; c < sizeof COLUMNS / sizeof *COLUMNS; c++)
        PT_TRY(add_texts(report, COLUMNS[c].item, "name", pt_param_count(), COLUMNS[c].of, err));
    PT_TRY(add_ranges(report, err));
    return add_choices(report, err);
}

/* ---- registries ------------------------------------------------------------------------------ */

static pt_status add_field(pt_report *report, const char *registry, const char *field,
                           pt_error *err)
{
    const int64_t n = pt_registry_count(registry);
    const bool name = strcmp(field, "name") == 0;
    PT_SCRATCH const char **texts = NULL;
    PT_TRY(PT_NEW(texts, n, "a table", err));
    for (int64_t i = 0; i < n; i++) {
        texts[i] = name ? pt_registry_name(registry, i) : pt_registry_field(registry, i, field);
        if (!texts[i]) /* entries of this registry do not have it */
            return PT_OK;
    }
    return pt_report_copy(report, PT_LIST(field, PT_TEXT, "name", n, texts), err);
}

/* Whether the entry can begin with a model. */
static bool can_start(const char *registry, int64_t entry)
{
    for (int64_t f = 0; pt_registry_flag(registry, f); f++)
        if (strcmp(pt_registry_flag(registry, f), "start") == 0)
            return pt_registry_can(registry, entry, f);
    return false;
}

/* Which entry uses which parameter of the table; with a kernel those that any kernel has. */
static pt_status add_uses(pt_report *report, const char *registry, pt_error *err)
{
    const int64_t n = pt_registry_count(registry);
    int8_t *uses = NULL;
    if (n == 0 || !pt_registry_field(registry, 0, "parameters"))
        return PT_OK;
    PT_TRY(add_texts(report, "parameter", "parameter", pt_param_count(), pt_param_name, err));
    PT_TRY(pt_report_room(report,
                          PT_TABLE("uses", PT_I8, "name", n, "parameter", pt_param_count(), NULL),
                          &uses, err));
    for (int64_t i = 0; i < n; i++)
        for (int id = 0; id < PT_N_PARAMS; id++) {
            const char *name = pt_param_name(id);
            const char *list = pt_registry_field(registry, i, "parameters");
            uses[i * PT_N_PARAMS + id] =
                (int8_t)(pt_word_listed(list, ',', name, strlen(name)) ||
                         (id == PT_P_START && can_start(registry, i)) ||
                         (pt_param_group_of((pt_param_id)id) == PT_GROUP_KERNEL &&
                          pt_word_listed(list, ',', "kernel", strlen("kernel"))));
        }
    return PT_OK;
}

/* What an entry can do, over the names. */
static pt_status add_flags(pt_report *report, const char *registry, pt_error *err)
{
    const int64_t n = pt_registry_count(registry);
    for (int64_t f = 0; pt_registry_flag(registry, f); f++) {
        int8_t *can = NULL;
        PT_TRY(pt_report_room(
            report, PT_LIST(pt_registry_flag(registry, f), PT_I8, "name", n, NULL), &can, err));
        for (int64_t i = 0; i < n; i++)
            can[i] = (int8_t)pt_registry_can(registry, i, f);
    }
    return PT_OK;
}

/* Row i of the matrices below: defaults and choices of the machine that `params` name. */
static pt_status fill_row(int64_t i, const char **standard, int8_t *takes, const pt_choices *all,
                          const pt_params *params, pt_texts *texts, pt_error *err)
{
    const pt_machine_ops *ops = pt_machine_find(pt_params_text(params, PT_P_MACHINE));
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_TRY(pt_machine_defaults(&own, ops, params, err));
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const int64_t at = i * PT_N_PARAMS + id;
        PT_TRY(pt_texts_add(texts, err, "%s", pt_params_text(own, (pt_param_id)id)));
        standard[at] = texts->items[texts->count - 1];
        for (int64_t c = 0; c < all->most; c++) {
            const char *word = all->word[id * all->most + c];
            takes[at * all->most + c] =
                word && pt_machine_takes(ops, params, (pt_param_id)id, word);
        }
    }
    return PT_OK;
}

/* Of machines, and of learners under the machine code: what they have where nothing else is set,
 * and which choices they take then. */
static pt_status add_defaults(pt_report *report, const char *registry, pt_error *err)
{
    const int64_t n = pt_registry_count(registry);
    const bool machines = strcmp(registry, "machines") == 0;
    int8_t *takes = NULL;
    PT_FREED_BY(pt_choices_free) pt_choices all = {.word = NULL};
    PT_FREED_BY(pt_texts_free) pt_texts texts = {0};
    PT_SCRATCH const char **standard = NULL;
    if (!machines && strcmp(registry, "learners") != 0)
        return PT_OK;
    PT_TRY(pt_choices_init(&all, NULL, NULL, err));
    PT_TRY(PT_NEW(standard, n * PT_N_PARAMS, "a table", err));
    PT_TRY(pt_report_room(report,
                          &(const pt_item){.name = "takes",
                                           .type = PT_I8,
                                           .n_axes = 3,
                                           .length = {n, PT_N_PARAMS, all.most},
                                           .axis = {"name", "parameter", "choice"}},
                          &takes, err));
    for (int64_t i = 0; i < n; i++) {
        PT_FREED_BY(pt_params_free_at) pt_params *params = NULL;
        PT_TRY(pt_params_new(&params, err));
        PT_TRY(pt_params_set(params, machines ? "machine" : "learner",
                             pt_registry_name(registry, i), err));
        PT_TRY(fill_row(i, standard, takes, &all, params, &texts, err));
    }
    return pt_report_copy(
        report, PT_TABLE("default", PT_TEXT, "name", n, "parameter", PT_N_PARAMS, standard), err);
}

static pt_status add_registry(pt_report *report, const char *registry, pt_error *err)
{
    static const char *const FIELDS[] = {"name",  "summary",      "parameters", "labels",
                                         "input", "capabilities", "cv"};
    for (size_t f = 0; f < sizeof FIELDS / sizeof *FIELDS; f++)
        PT_TRY(add_field(report, registry, FIELDS[f], err));
    PT_TRY(add_flags(report, registry, err));
    PT_TRY(add_uses(report, registry, err));
    return add_defaults(report, registry, err);
}

pt_status pt_catalogue(pt_report **out, const char *table, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    const bool parameters = table && strcmp(table, "parameters") == 0;
    if (!table || (!parameters && pt_registry_count(table) == 0))
        return pt_fail(err, PT_EINVAL,
                       "there is no table '" PT_SHOWN "': parameters, machines, kernels, codes, "
                       "learners, labelbooks, decoders, formats, model-formats, synth, backends",
                       table ? table : "");
    PT_TRY(pt_report_new(&report, "table", err));
    PT_TRY(parameters ? add_parameters(report, err) : add_registry(report, table, err));
    *out = pt_keep(&report);
    return PT_OK;
}
