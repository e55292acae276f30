/* What there is, as reports: the table of parameters, and the registries. Bindings and help are
 * made from these. */
#include "about/entries.h"

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

/* Numbers have a range; what has none is NaN. */
static pt_status add_ranges(pt_report *report, pt_error *err)
{
    double *least = NULL;
    double *most = NULL;
    PT_TRY(
        pt_report_room(report, PT_LIST("minimum", PT_F64, "name", PT_N_PARAMS, NULL), &least, err));
    PT_TRY(
        pt_report_room(report, PT_LIST("maximum", PT_F64, "name", PT_N_PARAMS, NULL), &most, err));
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_entry *entry = &pt_param_table[id];
        const bool number = entry->type == PT_PARAM_REAL || entry->type == PT_PARAM_INTEGER;
        least[id] = number ? entry->minimum : NAN;
        most[id] = number ? entry->maximum : NAN;
    }
    return PT_OK;
}

static pt_status add_parameters(pt_report *report, pt_error *err)
{
    static const struct {
        const char *item;
        const char *(*of)(int64_t param);
    } COLUMNS[] = {{"name", pt_param_name},       {"type", pt_param_type},
                   {"group", pt_param_group},     {"default", pt_param_default},
                   {"allowed", pt_param_allowed}, {"help", pt_param_help}};
    for (size_t c = 0; c < sizeof COLUMNS / sizeof *COLUMNS; c++)
        PT_TRY(add_texts(report, COLUMNS[c].item, "name", pt_param_count(), COLUMNS[c].of, err));
    return add_ranges(report, err);
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

/* Which entry uses which parameter of the table. */
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
        for (int64_t p = 0; p < pt_param_count(); p++) {
            const char *name = pt_param_name(p);
            uses[i * pt_param_count() + p] = (int8_t)pt_word_listed(
                pt_registry_field(registry, i, "parameters"), ',', name, strlen(name));
        }
    return PT_OK;
}

static pt_status add_registry(pt_report *report, const char *registry, pt_error *err)
{
    static const char *const FIELDS[] = {"name",  "summary",      "parameters", "labels",
                                         "input", "capabilities", "cv"};
    for (size_t f = 0; f < sizeof FIELDS / sizeof *FIELDS; f++)
        PT_TRY(add_field(report, registry, FIELDS[f], err));
    return add_uses(report, registry, err);
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
