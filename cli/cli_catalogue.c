/* What the library has: its tables, each read when it is first asked for. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { TABLES = 12 };

static struct {
    const char *name;
    pt_report *report;
} tables[TABLES];

static const pt_report *table(const char *name)
{
    pt_error err = PT_ERROR_INIT;
    int at = 0;
    while (at < TABLES && tables[at].name && strcmp(tables[at].name, name) != 0)
        at++;
    if (at == TABLES)
        return NULL;
    if (!tables[at].name) {
        const pt_status status = pt_catalogue(&tables[at].report, name, &err);
        if (status == PT_ENOMEM)
            cli_no_memory();
        if (status != PT_OK)
            return NULL;
    }
    tables[at].name = name;
    return tables[at].report;
}

void cli_catalogue_free(void)
{
    for (int at = 0; at < TABLES; at++) {
        pt_report_free(tables[at].report);
        tables[at].report = NULL;
        tables[at].name = NULL;
    }
}

static const char *cell(const char *name, const char *column, int64_t row)
{
    const pt_report *report = table(name);
    return report ? pt_report_text_at(report, column, row, 0, 0) : NULL;
}

int64_t cli_param_count(void)
{
    return cli_registry_count("parameters");
}

const char *cli_param_name(int64_t param)
{
    return cell("parameters", "name", param);
}

const char *cli_param_type(int64_t param)
{
    return cell("parameters", "type", param);
}

const char *cli_param_default(int64_t param)
{
    return cell("parameters", "default", param);
}

const char *cli_param_allowed(int64_t param)
{
    return cell("parameters", "allowed", param);
}

const char *cli_param_group(int64_t param)
{
    return cell("parameters", "group", param);
}

const char *cli_param_help(int64_t param)
{
    return cell("parameters", "help", param);
}

int64_t cli_registry_count(const char *registry)
{
    const pt_report *report = table(registry);
    return report ? pt_report_length(report, "name") : 0;
}

const char *cli_registry_name(const char *registry, int64_t entry)
{
    return cell(registry, "name", entry);
}

const char *cli_registry_field(const char *registry, int64_t entry, const char *field)
{
    return cell(registry, field, entry);
}
