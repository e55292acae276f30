/* Options: the common ones, a command's own, and every parameter of the groups it names. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const cli_option cli_common_options[] = {
    {"json", 0, NULL, "one JSON object on standard output, errors too"},
    {"quiet", 'q', NULL, "no summary, progress or warnings"},
    {"verbose", 'v', NULL, "print more about the work; twice: even more"},
    {"help", 'h', NULL, "this help; --help all: with every option"},
    {"version", 0, NULL, "the version"},
    {NULL, 0, NULL, NULL},
};

bool cli_in_list(const char *list, char separator, const char *word)
{
    const size_t length = strlen(word);
    while (*list) {
        const char *end = strchr(list, separator);
        const size_t size = end ? (size_t)(end - list) : strlen(list);
        if (size == length && memcmp(list, word, length) == 0)
            return true;
        if (!end)
            return false;
        list = end + 1;
    }
    return false;
}

bool cli_takes_param(const cli_command *command, int64_t param)
{
    return cli_in_list(command->groups, ',', cli_param_group(param)) ||
           (command->parameters && cli_in_list(command->parameters, ',', cli_param_name(param)));
}

static int64_t find_param(const char *name)
{
    for (int64_t i = 0; i < cli_param_count(); i++)
        if (strcmp(cli_param_name(i), name) == 0)
            return i;
    return -1;
}

enum { NEAR_MAX = 40 };

/* Letters to insert, delete, change or swap with their neighbour. */
static int edit_distance(const char *a, const char *b)
{
    int rows[3][NEAR_MAX + 1]; /* those of i - 2, i - 1 and i, in turn */
    const size_t n = strlen(a) < NEAR_MAX ? strlen(a) : NEAR_MAX;
    const size_t m = strlen(b) < NEAR_MAX ? strlen(b) : NEAR_MAX;
    for (size_t i = 0; i <= n; i++) {
        int *now = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *before = rows[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            if (i == 0) {
                now[j] = (int)j;
                continue;
            }
            int least = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < least)
                least = above[j] + 1;
            if (now[j - 1] + 1 < least)
                least = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            now[j] = least;
        }
    }
    return rows[n % 3][m];
}

const char *cli_nearest(const char *written, const char *const *words)
{
    const char *best = NULL;
    int best_distance = 0;
    for (int i = 0; words[i]; i++) {
        const int distance = edit_distance(written, words[i]);
        if (!best || distance < best_distance) {
            best = words[i];
            best_distance = distance;
        }
    }
    const size_t length = strlen(written);
    return best && length <= NEAR_MAX && best_distance <= 1 + (int)length / 4 ? best : NULL;
}

int cli_unknown(const cli_context *context, const char *what, const char *registry,
                const char *name)
{
    enum { MOST = 63 };
    const char *names[MOST + 1];
    char list[400] = "";
    int n = 0;
    for (int64_t i = 0; i < cli_registry_count(registry) && n < MOST; i++) {
        names[n] = cli_registry_name(registry, i);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", n ? ", " : "", names[n]);
        n++;
    }
    names[n] = NULL;
    const char *near = cli_nearest(name, names);
    if (near)
        return cli_usage(context, "there is no %s '%.60s'; did you mean '%s'?", what, name, near);
    return cli_usage(context, "there is no %s '%.60s'; choose one of %s", what, name, list);
}

/* The option of the list with that name, or with that letter where name is NULL; -1: none. */
static int find_option(const cli_option *options, const char *name, char letter)
{
    for (int i = 0; options[i].name; i++)
        if (name ? strcmp(options[i].name, name) == 0 : letter && options[i].letter == letter)
            return i;
    return -1;
}

const char *cli_value(const cli_context *context, const char *option)
{
    const int i = find_option(context->command->options, option, 0);
    return i < 0 ? NULL : context->values[i];
}

cli_option cli_common_option(const cli_command *command, int i)
{
    cli_option option = cli_common_options[i];
    if (option.name && find_option(command->options, NULL, option.letter) >= 0)
        option.letter = 0;
    return option;
}

static int unknown_option(const cli_context *context, const char *name)
{
    const cli_command *command = context->command;
    if (find_param(name) >= 0)
        return cli_usage(context, "%s does not take --%s", command->name, name);
    const char **names = cli_alloc(cli_param_count() + 64, sizeof *names);
    int n = 0;
    for (int i = 0; command->options[i].name; i++)
        names[n++] = command->options[i].name;
    for (int i = 0; cli_common_options[i].name; i++)
        names[n++] = cli_common_options[i].name;
    for (int64_t i = 0; i < cli_param_count(); i++)
        if (cli_takes_param(command, i))
            names[n++] = cli_param_name(i);
    names[n] = NULL;
    const char *near = cli_nearest(name, names);
    free(names);
    if (near)
        return cli_usage(context, "there is no option --%.60s; did you mean --%s?", name, near);
    return cli_usage(context, "there is no option --%.60s; 'polytomy help %s' lists them", name,
                     command->name);
}

/* The words still to be read. */
typedef struct word_list {
    char **words;
    int count;
    int next;
    const char *flag; /* the last one that took the word behind it; NULL: none */
} word_list;

/* The value of an option: behind '=', else the next word. */
static int take_value(const cli_context *context, const char *shown, const char *attached,
                      word_list *list, const char **value)
{
    *value = attached;
    if (attached)
        return -1;
    if (list->next >= list->count)
        return cli_usage(context, "%s needs a value", shown);
    if (strncmp(list->words[list->next], "--", 2) == 0)
        return cli_usage(context, "%s needs a value; write %s=%s if that is meant", shown, shown,
                         list->words[list->next]);
    *value = list->words[list->next++];
    return -1;
}

static bool is_yes_or_no(const char *word)
{
    return strcmp(word, "yes") == 0 || strcmp(word, "no") == 0;
}

/* Whether a parameter is a flag: on by its name alone. */
static bool is_flag(int64_t param)
{
    return strcmp(cli_param_type(param), "flag") == 0 || strstr(cli_param_allowed(param), "yes|no");
}

/* Whether a word is one of those that a parameter allows, with | between them. */
static bool is_allowed(const char *word, const char *allowed)
{
    const size_t length = strlen(word);
    for (const char *at = allowed; length > 0; at++) {
        const size_t own = strcspn(at, "|");
        if (own == length && memcmp(at, word, length) == 0)
            return true;
        at += own;
        if (!*at)
            break;
    }
    return false;
}

/* The value of a flag: behind '='; else the next word where that is literally one of those allowed,
 * yes or no, even if a file has that name (./yes is the file); else yes. A letter takes no word. */
static const char *flag_value(const char *word, const char *attached, const char *allowed,
                              word_list *list)
{
    if (attached)
        return attached;
    if (word[1] != '-' || list->next >= list->count ||
        !is_allowed(list->words[list->next], allowed))
        return "yes";
    list->flag = list->words[list->next - 1]; /* the words outlive what is shown of them */
    return list->words[list->next++];
}

/* What is given again with another value loses the first: that is said. */
static void warn_again(cli_context *context, const char *shown, const char *first,
                       const char *second)
{
    if (strcmp(first, second) != 0)
        cli_hold_warning(context, "parameters",
                         "%s is there twice: %.80s, then %.80s; the last counts", shown, first,
                         second);
}

/* --help, --help=all or --help all. */
static int help(const cli_context *context, const char *attached, const word_list *list)
{
    const char *next = list->next < list->count ? list->words[list->next] : "";
    cli_help_command(stdout, context->command, strcmp(attached ? attached : next, "all") == 0);
    return CLI_DONE;
}

static int common_option(cli_context *context, const char *name, bool yes)
{
    if (strcmp(name, "json") == 0) {
        context->json = yes;
    } else if (strcmp(name, "quiet") == 0) {
        context->quiet = yes;
    } else if (strcmp(name, "verbose") == 0) {
        context->verbose = yes ? context->verbose + 1 : 0;
    } else {
        printf("polytomy %s\n", pt_version());
        return CLI_DONE;
    }
    return -1;
}

/* An option of the command or a common one: `letter` or, if 0, `name`. -2: there is none. */
static int take_option(cli_context *context, const char *shown, const char *name, char letter,
                       const char *attached, word_list *list)
{
    const cli_option *own = context->command->options;
    const int i = find_option(own, name, letter);
    if (i >= 0 && own[i].value) {
        const char *first = context->values[i];
        const int code = take_value(context, shown, attached, list, &context->values[i]);
        if (code < 0 && first)
            warn_again(context, shown, first, context->values[i]);
        return code;
    }
    const int common = i < 0 ? find_option(cli_common_options, name, letter) : -1;
    if (i < 0 && common < 0)
        return -2;
    if (i < 0 && strcmp(cli_common_options[common].name, "help") == 0)
        return help(context, attached, list);
    const char *value = flag_value(shown, attached, "yes|no", list);
    if (!is_yes_or_no(value))
        return cli_usage(context, "%s: '%.60s' is not allowed; give yes or no", shown, value);
    const bool yes = strcmp(value, "yes") == 0;
    if (i < 0)
        return common_option(context, cli_common_options[common].name, yes);
    context->values[i] = yes ? "yes" : NULL;
    return -1;
}

/* --machine: once, or as often as the command says. What it sets itself is kept apart from the
 * other parameters until all are known. A mistake is told at once. */
static int take_machine(cli_context *context, const char *value)
{
    pt_error err = PT_ERROR_INIT;
    if (context->n_machines > 0 && !context->command->several_machines)
        return cli_usage(context, "--machine is there twice; cv and compare take several");
    if (context->n_machines == CLI_MAX_MACHINES)
        return cli_usage(context, "there are more than %d machines", CLI_MAX_MACHINES);
    context->machines[context->n_machines++] = value;
    pt_params *alone = NULL;
    pt_status status = pt_params_new(&alone, &err);
    if (status == PT_OK)
        status = pt_params_set(alone, "machine", value, &err);
    pt_report *parsed = NULL;
    char prefix[128];
    snprintf(prefix, sizeof prefix, "--machine %.100s: ", value);
    if (alone && pt_params_report(&parsed, alone, NULL) != PT_OK)
        cli_no_memory();
    if (parsed)
        cli_hold_warnings(context, prefix, parsed);
    pt_report_free(parsed);
    pt_params_free(alone);
    return status == PT_OK ? -1 : cli_fail_status(context, &err);
}

/* What the one machine sets itself wins over the options; with several (cli_machines) that is meant
 * to be, with one the option has no other use. */
static int set_one_machine(cli_context *context)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *before = NULL;
    pt_status status = pt_params_copy(&before, context->params, &err);
    if (status == PT_OK)
        status = pt_params_set(context->params, "machine", context->machines[0], &err);
    for (int64_t i = 0; i < cli_param_count() && status == PT_OK; i++) {
        const char *name = cli_param_name(i);
        const char *now = pt_params_get(context->params, name);
        if (pt_params_is_set(before, name) && strcmp(pt_params_get(before, name), now) != 0)
            cli_hold_warning(context, "parameters",
                             "--%s %.80s does not count: --machine sets it to %.80s", name,
                             pt_params_get(before, name), now);
    }
    pt_params_free(before);
    return status == PT_OK ? -1 : cli_fail_status(context, &err);
}

/* Sets a parameter; one that was given before adds up if it is a list. */
static int set_param(cli_context *context, const char *shown, int64_t param, const char *value)
{
    pt_error err = PT_ERROR_INIT;
    const char *name = cli_param_name(param);
    const char *first =
        pt_params_is_set(context->params, name) ? pt_params_get(context->params, name) : NULL;
    char *joined = NULL;
    const bool added = first && strcmp(name, "na") == 0 && (*first == '+' || *value == '+');
    if (added) /* the + of either list: beside the usual words */
        joined = cli_format("+%s,%s", first + (*first == '+'), value + (*value == '+'));
    else if (first && strcmp(cli_param_type(param), "list") == 0)
        joined = cli_format("%s%s%s", first, *first ? "," : "", value);
    else if (first)
        warn_again(context, shown, first, value);
    const pt_status status = pt_params_set(context->params, name, joined ? joined : value, &err);
    free(joined);
    return status == PT_OK ? -1 : cli_fail_status(context, &err);
}

static int take_param(cli_context *context, const char *shown, const char *name,
                      const char *attached, word_list *list)
{
    const int64_t param = find_param(name);
    if (param < 0 || !cli_takes_param(context->command, param))
        return unknown_option(context, name);
    const char *value = attached;
    if (is_flag(param)) {
        value = flag_value(shown, attached, cli_param_allowed(param), list);
    } else {
        const int code = take_value(context, shown, attached, list, &value);
        if (code >= 0)
            return code;
    }
    if (strcmp(name, "machine") == 0)
        return take_machine(context, value);
    return set_param(context, shown, param, value);
}

static int take_long(cli_context *context, const char *word, word_list *list)
{
    char shown[64];
    const size_t length = strcspn(word, "=");
    if (length >= sizeof shown)
        return unknown_option(context, word + 2);
    memcpy(shown, word, length);
    shown[length] = '\0';
    const char *attached = word[length] == '=' ? word + length + 1 : NULL;
    const int code = take_option(context, shown, shown + 2, 0, attached, list);
    return code != -2 ? code : take_param(context, shown, shown + 2, attached, list);
}

/* -wKEY VALUE */
static int take_keyed(cli_context *context, const char *word, word_list *list)
{
    const int i = context->n_keys;
    if (!word[2])
        return cli_usage(context, "-%c needs a label right behind it, as in -%c1 0.5", word[1],
                         word[1]);
    if (i == CLI_MAX_KEYS)
        return cli_usage(context, "-%c is there more than %d times", word[1], CLI_MAX_KEYS);
    context->keys[i] = word + 2;
    context->n_keys++;
    return take_value(context, word, NULL, list, &context->key_values[i]);
}

/* Its letters, or the long option that one dash was left out of. */
static int unknown_letter(const cli_context *context, const char *word)
{
    const cli_command *command = context->command;
    const size_t length = strcspn(word, "=");
    char name[64];
    char letters[80] = "";
    size_t used = 0;
    snprintf(name, sizeof name, "%.*s", length > 1 ? (int)length - 1 : 0, word + 1);
    const int64_t param = find_param(name);
    if ((param >= 0 && cli_takes_param(command, param)) ||
        find_option(command->options, name, 0) >= 0 ||
        find_option(cli_common_options, name, 0) >= 0)
        return cli_usage(context, "there is no option -%s; write --%s", name, name);
    for (int i = 0; command->options[i].name && used + 4 < sizeof letters; i++)
        if (command->options[i].letter)
            used += (size_t)snprintf(letters + used, sizeof letters - used, "-%c ",
                                     command->options[i].letter);
    for (int i = 0; cli_common_options[i].name && used + 4 < sizeof letters; i++)
        if (cli_common_option(command, i).letter)
            used += (size_t)snprintf(letters + used, sizeof letters - used, "-%c ",
                                     cli_common_options[i].letter);
    return cli_usage(context, "%s has no option -%c; its letters are %.*s", command->name, word[1],
                     (int)used - 1, letters);
}

static int take_short(cli_context *context, const char *word, word_list *list)
{
    const char shown[3] = {'-', word[1], '\0'};
    const char *attached = word[2] ? word + 2 : NULL;
    if (context->command->keyed && word[1] == context->command->keyed)
        return take_keyed(context, word, list);
    if (attached && strspn(word + 1, "v") == strlen(word + 1)) { /* -vv */
        context->verbose += (int)strlen(word + 1);
        return -1;
    }
    const int code = take_option(context, shown, NULL, word[1], attached, list);
    return code == -2 ? unknown_letter(context, word) : code;
}

int cli_parse(cli_context *context, int n_words, char **words)
{
    const cli_command *command = context->command;
    word_list list = {words, n_words, 0, NULL};
    bool options = true;
    while (list.next < list.count) {
        const char *word = list.words[list.next++];
        int code = -1;
        if (options && strcmp(word, "--") == 0)
            options = false;
        else if (options && word[0] == '-' && word[1] == '-')
            code = take_long(context, word, &list);
        else if (options && word[0] == '-' && word[1])
            code = take_short(context, word, &list);
        else if (context->n_arguments == command->max_arguments)
            code = cli_usage(context, "'%.200s' is one argument too many", word);
        else
            context->arguments[context->n_arguments++] = word;
        if (code >= 0)
            return code;
    }
    if (context->n_arguments < command->min_arguments && list.flag)
        return cli_usage(context,
                         "%s needs %s; the word behind %s is its value: write ./yes or ./no for a "
                         "file of that name",
                         command->name, command->arguments, list.flag);
    if (context->n_arguments < command->min_arguments)
        return cli_usage(context, "%s needs %s", command->name, command->arguments);
    const int code = context->n_machines == 1 ? set_one_machine(context) : -1;
    if (code < 0)
        cli_tell_held(context);
    return code;
}
