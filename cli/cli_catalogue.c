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

int64_t cli_param_find(const char *name)
{
    int64_t param = cli_param_count() - 1;
    while (param >= 0 && strcmp(cli_param_name(param), name) != 0)
        param--;
    return param;
}

const char *cli_param_name(int64_t param)
{
    return cell("parameters", "name", param);
}

const char *cli_param_type(int64_t param)
{
    return cell("parameters", "type", param);
}

const char *cli_param_kind(int64_t param)
{
    return cell("parameters", "kind", param);
}

const char *cli_param_unit(int64_t param)
{
    return cell("parameters", "unit", param);
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

/* Of entry i of machines or learners: what the parameter is where nothing is set; NULL: as in the
 * table, or not used, or as the learner has it that a machine has. */
static const char *exception_of(const char *registry, int64_t i, int64_t param)
{
    const pt_report *report = tables[table(registry)].report;
    const pt_report *learners = tables[table("learners")].report;
    const char *value = pt_report_text_at(report, "default", i, param, 0);
    const bool shared = !cli_in_list("machine,kernel", ',', cli_param_group(param));
    int64_t learner = 0; /* that stands where none is named */
    if (strcmp(value, cli_param_default(param)) == 0 ||
        !(shared || pt_report_integer_at(report, "uses", i, param, 0)))
        return NULL;
    if (report == learners || !cli_in_list(cell(registry, "parameters", i), ',', "learner"))
        return value;
    while (strcmp(pt_report_text_at(learners, "name", learner, 0, 0),
                  cli_param_default(cli_param_find("learner"))) != 0)
        learner++;
    return strcmp(value, pt_report_text_at(learners, "default", learner, param, 0)) != 0 ? value
                                                                                         : NULL;
}

/* `text`, which is freed, and the entries whose default is `value`, the first behind `before`. */
static char *add_names(char *text, const char *registry, int64_t param, const char *value,
                       const char *before)
{
    for (int64_t i = 0; i < cli_registry_count(registry); i++) {
        const char *is = exception_of(registry, i, param);
        if (!is || strcmp(is, value) != 0)
            continue;
        char *longer = cli_format("%s%s %s", text, before, cli_registry_name(registry, i));
        free(text);
        text = longer;
        before = "";
    }
    return text;
}

char *cli_param_exceptions(int64_t param)
{
    static const char *const REGISTRIES[] = {"machines", "learners"};
    char *text = cli_format("%s", "");
    for (int r = 0; r < 2; r++)
        for (int64_t i = 0; i < cli_registry_count(REGISTRIES[r]); i++) {
            const char *value = exception_of(REGISTRIES[r], i, param);
            char *head = cli_format("; %s:", value ? value : "");
            if (value && !strstr(text, head)) {
                char *longer = cli_format("%s%s", text, head);
                free(text);
                text = add_names(longer, "machines", param, value, "");
                text = add_names(text, "learners", param, value,
                                 text[strlen(text) - 1] == ':' ? " learners" : ", learners");
            }
            free(head);
        }
    return text;
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
