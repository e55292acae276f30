/* What the library has: its tables, each read when it is first asked for. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { TABLES = 12 };

static struct {
    const char *name;
    pt_report *report;
    char **words; /* of each row, its help or summary in the words of the tool */
} tables[TABLES];

/* The column whose texts name parameters. */
static bool is_prose(const char *column)
{
    return strcmp(column, "help") == 0 || strcmp(column, "summary") == 0;
}

/* The place of a table; -1: there is none. */
static int table(const char *name)
{
    pt_error err = PT_ERROR_INIT;
    int at = 0;
    while (at < TABLES && tables[at].name && strcmp(tables[at].name, name) != 0)
        at++;
    if (at == TABLES)
        return -1;
    if (!tables[at].name) {
        const pt_status status = pt_catalogue(&tables[at].report, name, &err);
        if (status == PT_ENOMEM)
            cli_no_memory();
        if (status != PT_OK)
            return -1;
    }
    tables[at].name = name;
    return at;
}

/* Made when they are asked for: what they name is looked up in tables. */
static const char *prose(int at, int64_t row, const char *text)
{
    const int64_t n = pt_report_length(tables[at].report, "name");
    if (!text || row < 0 || row >= n)
        return NULL;
    if (!tables[at].words)
        tables[at].words = cli_alloc(n, sizeof(char *));
    if (!tables[at].words[row])
        tables[at].words[row] = cli_words(text);
    return tables[at].words[row];
}

void cli_catalogue_free(void)
{
    for (int at = 0; at < TABLES; at++) {
        const int64_t n = tables[at].words ? pt_report_length(tables[at].report, "name") : 0;
        for (int64_t row = 0; row < n; row++)
            free(tables[at].words[row]);
        free(tables[at].words);
        tables[at].words = NULL;
        pt_report_free(tables[at].report);
        tables[at].report = NULL;
        tables[at].name = NULL;
    }
}

static const char *cell(const char *name, const char *column, int64_t row)
{
    const int at = table(name);
    const char *text = at < 0 ? NULL : pt_report_text_at(tables[at].report, column, row, 0, 0);
    return at >= 0 && is_prose(column) ? prose(at, row, text) : text;
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
    const int at = table(registry);
    return at < 0 ? 0 : pt_report_length(tables[at].report, "name");
}

const char *cli_registry_name(const char *registry, int64_t entry)
{
    return cell(registry, "name", entry);
}

const char *cli_registry_field(const char *registry, int64_t entry, const char *field)
{
    return cell(registry, field, entry);
}
