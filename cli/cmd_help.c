/* polytomy help: commands, parameters and tables, as text, as a man page, as JSON, as completions.
 * Everything comes from the entries of the commands and from the library's own tables. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"man", 0, NULL, "the whole manual as a man page"},
    {"completion", 0, "SHELL", "completions for bash, zsh or fish"},
    {"output", 'o', "FILE", "write to FILE instead of standard output"},
    {NULL, 0, NULL, NULL},
};

const char *const cli_registries[] = {"machines", "kernels", "codes", "learners", "labelbooks",
                                      "decoders", "formats", "synth", NULL};
static const char *const GROUPS[] = {"machine", "kernel", "prepare",  "model",      "decide",
                                     "read",    "search", "evaluate", "importance", "explain",
                                     "synth",   "run",    NULL};

enum { WIDTH = 80, HELP_COLUMN = 28 };

static bool is_listed(const char *const *list, const char *word)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], word) == 0)
            return true;
    return false;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Words of `text` from column `at` on, in lines that begin at column `indent`. */
static void put_wrapped(FILE *file, const char *text, int at, int indent)
{
    bool first = true;
    for (;;) {
        text += strspn(text, " ");
        const int length = (int)strcspn(text, " ");
        if (length == 0)
            break;
        if (!first && at + 1 + length > WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        fprintf(file, "%s%.*s", first ? "" : " ", length, text);
        at += length + !first;
        first = false;
        text += length;
    }
    putc('\n', file);
}

/* Paragraphs that are separated by an empty line. */
static void put_paragraphs(FILE *file, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        char *paragraph = cli_format("%.*s", (int)(end ? end - text : (long)strlen(text)), text);
        put_wrapped(file, paragraph, 0, 0);
        free(paragraph);
        text = end ? end + 2 : text + strlen(text);
        if (*text)
            putc('\n', file);
    }
}

/* "  --name VALUE     help" */
static void put_entry(FILE *file, const char *left, const char *help)
{
    int at = fprintf(file, "  %s", left);
    if (at > HELP_COLUMN - 2) {
        putc('\n', file);
        at = 0;
    }
    fprintf(file, "%*s", HELP_COLUMN - at, "");
    put_wrapped(file, help, HELP_COLUMN, HELP_COLUMN);
}

void cli_option_spelling(char *out, size_t size, const cli_option *option)
{
    const char letter[] = {'-', option->letter, ',', ' ', '\0'};
    snprintf(out, size, "%s--%s%s%s", option->letter ? letter : "", option->name,
             option->value ? " " : "", option->value ? option->value : "");
}

void cli_param_spelling(char *out, size_t size, int64_t param)
{
    const char *type = cli_param_type(param);
    const char *value = strcmp(type, "real") == 0      ? " X"
                        : strcmp(type, "integer") == 0 ? " N"
                        : strcmp(type, "size") == 0    ? " SIZE"
                        : strcmp(type, "time") == 0    ? " TIME"
                        : strcmp(type, "flag") == 0    ? " [yes|no]"
                        : strcmp(type, "list") == 0    ? " LIST"
                        : strcmp(type, "choice") == 0  ? " NAME"
                                                       : " TEXT";
    snprintf(out, size, "--%s%s", cli_param_name(param), value);
}

/* The help of a parameter with what is allowed and the default. */
static char *param_details(int64_t param)
{
    const char *allowed = cli_param_allowed(param);
    const char *standard = cli_param_default(param);
    const bool flag = strcmp(cli_param_type(param), "flag") == 0;
    char *exceptions = cli_param_exceptions(param);
    const bool tell_default = *standard && strcmp(standard, "unset") != 0 && (!flag || *exceptions);
    char *choices = cli_format("%s", allowed);
    for (char *c = choices; *c; c++) /* so that lines can be broken */
        if (*c == '|')
            *c = ' ';
    char *text =
        cli_format("%s%s%s%s%s%s%s%s", cli_param_help(param), *allowed && !flag ? "; " : "",
                   *allowed && !flag && strchr(allowed, '|') ? "one of: " : "", flag ? "" : choices,
                   tell_default ? " [" : "", tell_default ? standard : "",
                   tell_default ? exceptions : "", tell_default ? "]" : "");
    free(choices);
    free(exceptions);
    return text;
}

static void put_param(FILE *file, int64_t param)
{
    char left[80];
    char *help = param_details(param);
    cli_param_spelling(left, sizeof left, param);
    put_entry(file, left, help);
    free(help);
}

static const char *group_title(const char *group)
{
    static const char *const TITLES[][2] = {
        {"machine", "The machine"},
        {"kernel", "The kernel"},
        {"prepare", "Preparation of cells"},
        {"model", "The model"},
        {"decide", "Decisions"},
        {"read", "Reading data files"},
        {"search", "Cross-validation"},
        {"evaluate", "The evaluation"},
        {"importance", "The importance of columns"},
        {"explain", "Explanations"},
        {"run", "How it runs"},
        {"synth", "The problem"},
    };
    for (size_t i = 0; i < sizeof TITLES / sizeof *TITLES; i++)
        if (strcmp(TITLES[i][0], group) == 0)
            return TITLES[i][1];
    return group;
}

static void put_group(FILE *file, const char *group)
{
    fprintf(file, "\n%s\n", group_title(group));
    for (int64_t i = 0; i < cli_param_count(); i++)
        if (strcmp(cli_param_group(i), group) == 0)
            put_param(file, i);
}

/* Parameters that most people need; where a command has many, the others are only named. */
static const char FIRST[] = "machine,code,learner,kernel,sigma,ridge,C,class-weight,label,labels,"
                            "weight,ignore,grid,folds,repeat,metric,seed,threads,memory,time";
enum { MANY = 40 };

static bool is_first(int64_t param)
{
    return cli_in_list(FIRST, ',', cli_param_name(param));
}

static bool in_groups(const cli_command *command, int64_t param)
{
    return cli_in_list(command->groups, ',', cli_param_group(param));
}

static void put_first(FILE *file, const cli_command *command)
{
    fprintf(file, "\nOptions that matter most\n");
    for (int64_t i = 0; i < cli_param_count(); i++)
        if (in_groups(command, i) && is_first(i))
            put_param(file, i);
}

/* "The kernel: --degree --coef0" for each group. */
static void put_names(FILE *file, const cli_command *command)
{
    fprintf(file, "\nOther options ('polytomy help NAME' explains one, --help all every one)\n");
    for (int g = 0; GROUPS[g]; g++) {
        char *names = cli_format("%s", "");
        for (int64_t i = 0; i < cli_param_count(); i++) {
            if (!in_groups(command, i) || is_first(i) || strcmp(cli_param_group(i), GROUPS[g]) != 0)
                continue;
            char *longer = cli_format("%s --%s", names, cli_param_name(i));
            free(names);
            names = longer;
        }
        if (*names)
            put_entry(file, group_title(GROUPS[g]), names);
        free(names);
    }
}

static void put_options(FILE *file, const cli_option *options)
{
    for (int i = 0; options[i].name; i++) {
        char left[80];
        cli_option_spelling(left, sizeof left, &options[i]);
        put_entry(file, left, options[i].help);
    }
}

static void put_examples(FILE *file, const char *examples)
{
    fprintf(file, "\nExamples\n");
    while (*examples) {
        const size_t line = strcspn(examples, "\n");
        const size_t command = strcspn(examples, "\t\n");
        if (command < line)
            fprintf(file, "  # %.*s\n", (int)(line - command - 1), examples + command + 1);
        fprintf(file, "  %.*s\n", (int)command, examples);
        examples += line + (examples[line] == '\n');
    }
}

void cli_help_command(FILE *file, const cli_command *command, bool all)
{
    int64_t count = 0;
    for (int64_t i = 0; i < cli_param_count(); i++)
        count += in_groups(command, i);
    fprintf(file, "polytomy %s: %s\n\nusage: polytomy %s%s%s\n\n", command->name, command->summary,
            command->name, *command->arguments ? " " : "", command->arguments);
    put_paragraphs(file, command->description);
    if (command->options[0].name) {
        fprintf(file, "\nOptions\n");
        put_options(file, command->options);
    }
    for (int64_t i = 0; i < cli_param_count(); i++)
        if (command->parameters && cli_in_list(command->parameters, ',', cli_param_name(i)))
            put_param(file, i);
    if (count > MANY && !all)
        put_first(file, command);
    for (int i = 0; GROUPS[i] && (count <= MANY || all); i++)
        if (cli_in_list(command->groups, ',', GROUPS[i]))
            put_group(file, GROUPS[i]);
    if (count > MANY && !all)
        put_names(file, command);
    fprintf(file, "\nCommon options\n");
    for (int i = 0; cli_common_options[i].name; i++) {
        const cli_option one[] = {cli_common_option(command, i), {NULL, 0, NULL, NULL}};
        put_options(file, one);
    }
    put_examples(file, command->examples);
}

void cli_help_overview(FILE *file)
{
    fprintf(file, "polytomy %s: problems with many classes\n\nusage: polytomy COMMAND ...\n\n",
            pt_version());
    for (int i = 0; cli_commands[i]; i++)
        fprintf(file, "  %-11s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    fputs("\nMore\n"
          "  polytomy help COMMAND       its options and examples; COMMAND --help all\n"
          "                              explains every option\n"
          "  polytomy help parameters    all parameters; help NAME for one\n"
          "  polytomy help machines      also: kernels codes learners decoders\n"
          "                              labelbooks formats synth\n"
          "\nFirst steps\n"
          "  polytomy train data.csv -o model\n"
          "  polytomy predict model new.csv\n"
          "  polytomy cv data.csv\n",
          file);
}

/* ---- tables of the library ------------------------------------------------------------------- */

static void put_registry(FILE *file, const char *registry)
{
    static const char *const FIELDS[] = {"labels", "input", "capabilities", "cv", "parameters"};
    for (int64_t i = 0; i < cli_registry_count(registry); i++) {
        char left[80];
        const char *summary = cli_registry_field(registry, i, "summary");
        snprintf(left, sizeof left, "%s", cli_registry_name(registry, i));
        put_entry(file, left, summary ? summary : "");
        for (size_t f = 0; f < sizeof FIELDS / sizeof *FIELDS; f++) {
            const char *value = cli_registry_field(registry, i, FIELDS[f]);
            if (!value || !*value)
                continue;
            char *spaced = cli_format("%s", value);
            for (char *c = spaced; *c; c++)
                if (*c == ',' || *c == '|')
                    *c = ' ';
            fprintf(file, "%*s%-13s ", HELP_COLUMN, "", FIELDS[f]);
            put_wrapped(file, spaced, HELP_COLUMN + 14, HELP_COLUMN + 14);
            free(spaced);
        }
    }
}

static void put_matrix_cell(FILE *file, const char *list, const char *word, int width)
{
    const bool has = list && cli_in_list(list, ',', word);
    fprintf(file, " %*s", width, has ? "yes" : "-");
}

/* The distinct words of a field over all machines: the columns of the matrix. */
static int field_words(const char *field, char words[][32], int room)
{
    int n = 0;
    for (int64_t i = 0; i < cli_registry_count("machines"); i++) {
        const char *list = cli_registry_field("machines", i, field);
        while (list && *list) {
            const size_t length = strcspn(list, ",");
            char word[32];
            snprintf(word, sizeof word, "%.*s", (int)length, list);
            int at = 0;
            while (at < n && strcmp(words[at], word) != 0)
                at++;
            if (at == n && n < room)
                memcpy(words[n++], word, sizeof word);
            list += length + (list[length] == ',');
        }
    }
    return n;
}

static void put_matrix(FILE *file, const char *field)
{
    char words[24][32];
    const int n = field_words(field, words, 24);
    if (n == 0)
        return;
    fprintf(file, "\n%-14s", field);
    for (int w = 0; w < n; w++)
        fprintf(file, " %*s", strlen(words[w]) > 4 ? (int)strlen(words[w]) : 4, words[w]);
    putc('\n', file);
    for (int64_t i = 0; i < cli_registry_count("machines"); i++) {
        fprintf(file, "%-14s", cli_registry_name("machines", i));
        for (int w = 0; w < n; w++)
            put_matrix_cell(file, cli_registry_field("machines", i, field), words[w],
                            strlen(words[w]) > 4 ? (int)strlen(words[w]) : 4);
        putc('\n', file);
    }
}

/* A line on each machine, then machines against labels, input, capabilities and the like. */
static void put_machines(FILE *file)
{
    fprintf(file, "Machines\n");
    for (int64_t i = 0; i < cli_registry_count("machines"); i++) {
        char left[80];
        snprintf(left, sizeof left, "%s", cli_registry_name("machines", i));
        put_entry(file, left, cli_registry_field("machines", i, "summary"));
    }
    put_matrix(file, "labels");
    put_matrix(file, "input");
    put_matrix(file, "capabilities");
    put_matrix(file, "cv");
    fprintf(file, "\nparameters\n");
    for (int64_t i = 0; i < cli_registry_count("machines"); i++) {
        char left[80];
        char *list = cli_format("%s", cli_registry_field("machines", i, "parameters"));
        for (char *c = list; *c; c++)
            if (*c == ',')
                *c = ' ';
        snprintf(left, sizeof left, "%s", cli_registry_name("machines", i));
        put_entry(file, left, list);
        free(list);
    }
}

static void put_topic_registry(FILE *file, const char *registry)
{
    if (strcmp(registry, "machines") == 0) {
        put_machines(file);
        return;
    }
    if (strcmp(registry, "synth") == 0)
        fprintf(file, "Synthetic problems\n");
    else
        fprintf(file, "%c%s\n", registry[0] - 'a' + 'A', registry + 1);
    put_registry(file, registry);
    if (strcmp(registry, "formats") == 0) {
        fprintf(file, "\nFiles may be compressed with gzip or zstd; - is standard input.\n");
        put_group(file, "read");
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static int unknown_topic(const cli_context *context, const char *topic)
{
    const char **names = cli_alloc(cli_param_count() + 64, sizeof *names);
    int n = 0;
    for (int i = 0; cli_commands[i]; i++)
        names[n++] = cli_commands[i]->name;
    for (int i = 0; cli_registries[i]; i++)
        names[n++] = cli_registries[i];
    for (int64_t i = 0; i < cli_param_count(); i++)
        names[n++] = cli_param_name(i);
    names[n++] = "parameters";
    names[n] = NULL;
    const char *near = cli_nearest(topic, names);
    free(names);
    if (near)
        return cli_usage(context, "there is no help on '%.60s'; did you mean '%s'?", topic, near);
    return cli_usage(context, "there is no help on '%.60s'; 'polytomy help' shows the topics",
                     topic);
}

/* False: there is no such topic. */
static bool put_topic(FILE *file, const char *topic, bool all)
{
    const cli_command *command = cli_command_find(topic);
    const bool registry = is_listed(cli_registries, topic);
    if (command) {
        cli_help_command(file, command, all);
        if (registry)
            putc('\n', file);
    }
    if (registry)
        put_topic_registry(file, topic);
    if (command || registry)
        return true;
    if (strcmp(topic, "parameters") == 0) {
        fprintf(file, "Parameters, as options of the commands; [default]\n");
        for (int i = 0; GROUPS[i]; i++)
            put_group(file, GROUPS[i]);
        return true;
    }
    const int64_t param = cli_param_find(strncmp(topic, "--", 2) == 0 ? topic + 2 : topic);
    if (param >= 0)
        put_param(file, param);
    return param >= 0;
}

/* NULL: none; 'code design' is one command. */
static const char *topic_of(const cli_context *context)
{
    if (context->n_arguments >= 2 && strcmp(context->arguments[1], "design") == 0)
        return cli_code_design.name;
    return context->n_arguments ? context->arguments[0] : NULL;
}

/* The word that makes no sense behind the topic, or NULL; *all: the last one is 'all'. */
static const char *needless(const cli_context *context, const char *topic, bool *all)
{
    int words = context->n_arguments;
    *all = words > 1 && strcmp(context->arguments[words - 1], "all") == 0;
    words -= *all;
    const bool design = words == 2 && topic == cli_code_design.name &&
                        strcmp(context->arguments[0], cli_code.name) == 0;
    return words > 1 && !design ? context->arguments[1] : NULL;
}

static int run(cli_context *context)
{
    const char *topic = topic_of(context);
    const char *shell = cli_value(context, "completion");
    const bool man = cli_value(context, "man") != NULL;
    bool all = false;
    const char *word = needless(context, topic, &all);
    if (word)
        return cli_usage(context, "'%.60s' is one argument too many", word);
    if ((man && shell) || ((man || shell) && topic))
        return cli_usage(context, "give a topic, --man or --completion, and one only");
    if (context->json)
        return cli_help_json(context);
    cli_output output;
    int code = cli_output_open(context, &output, cli_value(context, "output"));
    if (code != CLI_DONE)
        return code;
    if (man)
        cli_help_man(output.file);
    else if (shell)
        code = cli_help_completion(context, output.file, shell);
    else if (!topic)
        cli_help_overview(output.file);
    else if (!put_topic(output.file, topic, all))
        code = unknown_topic(context, topic);
    if (code == CLI_DONE)
        return cli_output_close(context, &output);
    cli_output_abandon(&output);
    return code;
}

const cli_command cli_help = {
    .name = "help",
    .arguments = "[TOPIC] [all]",
    .summary = "explain commands, parameters and what there is",
    .description =
        "Topics are the commands, parameters, machines, kernels, codes, learners, labelbooks, "
        "decoders, formats and synth; the name of a parameter explains that one. Without a topic "
        "the commands are listed; with 'all' after a command every option is explained, not only "
        "the most needed. --json prints all commands, parameters and tables for programs.",
    .examples = "polytomy help train\n"
                "polytomy help machines\twhat each machine can do\n"
                "polytomy help --man | man -l -\tthe manual\n"
                "source <(polytomy help --completion bash)\tcompletions in this shell\n",
    .groups = "",
    .options = OPTIONS,
    .min_arguments = 0,
    .max_arguments = 3,
    .run = run,
};
