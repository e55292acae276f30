/* The manual as a page for man(1), in man(7) macros. */
#include <string.h>

#include "cli.h"

#define RELEASED \
    "2026-11-15" /* of the version; `make check` lints the page, which asks for a date */

enum { LINE = 72 }; /* where a line of prose is broken */

/* Text that roff shall not interpret. Lines are broken between words where `wrap` says so; what
 * begins a line is never taken for a request. */
static void put_roff(FILE *file, const char *text, size_t length, bool wrap)
{
    static const char *const NAMES[][2] = {{"\\", "\\e"},  {"-", "\\-"},   {"^", "\\(ha"},
                                           {"~", "\\(ti"}, {"'", "\\(aq"}, {"`", "\\(ga"}};
    int column = 0;
    for (size_t i = 0; i < length; i++) {
        const size_t word = strcspn(text + i + 1, " \n");
        if (wrap && text[i] == ' ' && column + (int)word > LINE) {
            putc('\n', file);
            column = 0;
            continue;
        }
        if (column == 0 && text[i] == '.')
            fputs("\\&", file);
        const char *name = NULL;
        for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; n++)
            if (NAMES[n][0][0] == text[i])
                name = NAMES[n][1];
        if (name)
            fputs(name, file);
        else
            putc(text[i], file);
        column = text[i] == '\n' ? 0 : column + 1 + (name != NULL);
    }
}

static void put_text_n(FILE *file, const char *text, size_t length)
{
    put_roff(file, text, length, false);
}

static void put_prose(FILE *file, const char *text)
{
    put_roff(file, text, strlen(text), true);
    putc('\n', file);
}

static void put_text(FILE *file, const char *text)
{
    put_text_n(file, text, strlen(text));
}

static void put_paragraphs(FILE *file, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        put_roff(file, text, end ? (size_t)(end - text) : strlen(text), true);
        putc('\n', file);
        text = end ? end + 2 : text + strlen(text);
        if (*text)
            fputs(".PP\n", file);
    }
}

static void put_entry(FILE *file, const char *left, const char *help)
{
    fputs(".TP\n\\fB", file);
    const size_t name = strcspn(left, " ");
    const bool two = left[name] == ' ' && left[name + 1] == '-'; /* -o, --output FILE */
    const size_t bold = two ? name + 1 + strcspn(left + name + 1, " ") : name;
    put_text_n(file, left, bold);
    fputs("\\fR", file);
    if (left[bold]) {
        fputs(" \\fI", file);
        put_text(file, left + bold + 1);
        fputs("\\fR", file);
    }
    putc('\n', file);
    put_prose(file, help);
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
    fputs(".PP\n.nf\n", file);
    while (*examples) {
        const size_t line = strcspn(examples, "\n");
        const size_t command = strcspn(examples, "\t\n");
        if (command < line) {
            fputs("# ", file);
            put_text_n(file, examples + command + 1, line - command - 1);
            putc('\n', file);
        }
        put_text_n(file, examples, command);
        putc('\n', file);
        examples += line + (examples[line] == '\n');
    }
    fputs(".fi\n", file);
}

static void put_command(FILE *file, const cli_command *command)
{
    fputs(".SS \"", file);
    fputs("polytomy ", file);
    put_text(file, command->name);
    if (*command->arguments) {
        putc(' ', file);
        put_text(file, command->arguments);
    }
    fputs("\"\n", file);
    put_paragraphs(file, command->description);
    if (command->parameters) {
        fputs(".PP\nIt takes the parameters\n", file);
        for (const char *c = command->parameters; *c; c++) /* a line each: they may be many */
            fputs(*c == ',' ? ",\n" : (char[]){*c, '\0'}, file);
        fputs(".\n", file);
    }
    if (*command->groups) {
        fputs(".PP\nIt takes the parameters of the groups\n", file);
        for (const char *c = command->groups; *c; c++)
            fputs(*c == ',' ? ", " : (char[]){*c, '\0'}, file);
        fputs(".\n", file);
    }
    put_options(file, command->options);
    put_examples(file, command->examples);
}

static void put_parameters(FILE *file)
{
    const char *group = "";
    for (int64_t i = 0; i < cli_param_count(); i++) {
        if (strcmp(group, cli_param_group(i)) != 0) {
            group = cli_param_group(i);
            fprintf(file, ".SS \"Group %s\"\n", group);
        }
        char left[80];
        cli_param_spelling(left, sizeof left, i);
        put_entry(file, left, cli_param_help(i));
        const bool flag = strcmp(cli_param_type(i), "flag") == 0;
        const char *allowed = cli_param_allowed(i);
        const char *standard = cli_param_default(i);
        char *exceptions = cli_param_exceptions(i);
        if (*allowed && !flag) {
            fputs(".br\nAllowed: ", file);
            for (const char *c = allowed; *c; c++)
                if (*c == '|')
                    fputs(",\n", file); /* a list may be longer than a line */
                else
                    put_text_n(file, c, 1);
            fputs(".\n", file);
        }
        if (*standard && strcmp(standard, "unset") != 0 && (!flag || *exceptions)) {
            fputs(".br\nDefault: ", file);
            put_text(file, standard);
            for (const char *c = exceptions; *c; c++) {
                put_text_n(file, c, 1);
                if (strchr(";,", *c) && *++c) /* lines, and a blank between them */
                    putc('\n', file);
            }
            fputs(".\n", file);
        }
        free(exceptions);
    }
}

static void put_registry(FILE *file, const char *registry)
{
    for (int64_t i = 0; i < cli_registry_count(registry); i++)
        put_entry(file, cli_registry_name(registry, i), cli_registry_field(registry, i, "summary"));
}

void cli_help_man(FILE *file)
{
    fprintf(file, ".TH POLYTOMY 1 %s \"polytomy %s\" \"User Commands\"\n", RELEASED, pt_version());
    fputs(".SH NAME\npolytomy \\- machines for problems with many classes\n.SH SYNOPSIS\n", file);
    for (int i = 0; cli_commands[i]; i++) {
        fputs(i ? ".br\n\\fBpolytomy " : "\\fBpolytomy ", file);
        put_text(file, cli_commands[i]->name);
        fputs(*cli_commands[i]->arguments ? "\\fR " : "\\fR", file);
        put_text(file, cli_commands[i]->arguments);
        putc('\n', file);
    }
    fputs(".SH DESCRIPTION\n", file);
    put_prose(file,
              "Polytomy trains machines for problems with many classes from data files, saves "
              "them, predicts and evaluates with them, and chooses their parameters by "
              "cross-validation. Results go to standard output, all else to standard error. A "
              "file name of - is standard input or output.");
    fputs(".SH COMMANDS\n", file);
    for (int i = 0; cli_commands[i]; i++)
        put_command(file, cli_commands[i]);
    fputs(".SH COMMON OPTIONS\n", file);
    put_options(file, cli_common_options);
    fputs(".SH PARAMETERS\n", file);
    put_prose(file,
              "A command takes the parameters of its groups, as --name value or --name=value. "
              "Numbers may be written as powers: 2^-4. A flag is --name, --name yes or --name no. "
              "Lists that are given twice add up; of other options the last value counts, with a "
              "warning.");
    put_parameters(file);
    fputs(".SH MACHINES\n", file);
    put_registry(file, "machines");
    fputs(".SH KERNELS\n", file);
    put_registry(file, "kernels");
    fputs(".SH CODES\n", file);
    put_registry(file, "codes");
    fputs(".SH LEARNERS\n", file);
    put_registry(file, "learners");
    fputs(".SH DECODERS\n", file);
    put_registry(file, "decoders");
    fputs(".SH DATA FORMATS\n", file);
    put_registry(file, "formats");
    fputs(".SH SYNTHETIC PROBLEMS\n", file);
    put_registry(file, "synth");
    fputs(".SH EXIT STATUS\n", file);
    put_entry(file, "0", "done");
    put_entry(file, "1", "could not: a file, the data, the numbers, a limit or Ctrl-C");
    put_entry(file, "2", "wrong use: an option, a value or an argument");
    fputs(".SH ENVIRONMENT\n", file);
    put_entry(file, "POLYTOMY_ISA",
              "the instruction set to use: base, v3 or v4; default: the best");
}
