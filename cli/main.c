/* polytomy: finds the command and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli.h"

const cli_command *const cli_commands[] = {
    &cli_train,     &cli_predict,     &cli_eval,  &cli_importance,
    &cli_cv,        &cli_compare,     &cli_split, &cli_convert,
    &cli_export,    &cli_import,      &cli_code,  &cli_code_design,
    &cli_svm_train, &cli_svm_predict, &cli_synth, &cli_info,
    &cli_help,      &cli_version,     NULL};

const cli_command *cli_command_find(const char *name)
{
    for (int i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

/* A closed descriptor 0, 1 or 2 would be given to the next file that is opened, and our output
 * would go into it. In its place comes one where reading finds nothing and writing fails. */
static void keep_standard_descriptors(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", O_RDONLY) != descriptor)
            exit(CLI_FAILED);
}

/* Large blocks that are freed go back to the system at once. Of its own accord glibc would keep
 * blocks of up to 32 MB for later, a third of the memory in a table of names that grows by copies,
 * and --memory would not hold. */
static void give_back_what_is_freed(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

static int unknown_command(const cli_context *context, const char *word)
{
    const char *names[32];
    int n = 0;
    while (cli_commands[n]) {
        names[n] = cli_commands[n]->name;
        n++;
    }
    names[n] = NULL;
    const char *near = cli_nearest(word, names);
    if (near)
        return cli_usage(context, "there is no command '%.60s'; did you mean '%s'?", word, near);
    return cli_usage(context, "there is no command '%.60s'; 'polytomy help' lists them", word);
}

/* -h may stand in place of a command. */
static const char *command_word(const char *word)
{
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
        return "help";
    return word;
}

static int prepare_context(cli_context *context)
{
    pt_error err = PT_ERROR_INIT;
    if (pt_params_new(&context->params, &err) != PT_OK ||
        pt_task_new(&context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    context->warnings = json_array();
    context->warning_kinds = json_array();
    context->held = json_array();
    return CLI_DONE;
}

/* Errors in JSON are wanted even where the words make no sense. */
static bool asks_json(int n_words, char **words)
{
    bool asked = false;
    for (int i = 0; i < n_words && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--json") == 0)
            asked = i + 1 == n_words || strcmp(words[i + 1], "no") != 0;
        else if (strncmp(words[i], "--json=", 7) == 0)
            asked = strcmp(words[i], "--json=no") != 0;
    return asked;
}

/* 'code design' is a command of its own. */
static int command_words(int argc, char **argv)
{
    return argc > 2 && strcmp(argv[1], cli_code.name) == 0 && strcmp(argv[2], "design") == 0 ? 2
                                                                                             : 1;
}

static int run(cli_context *context, int argc, char **argv)
{
    if (argc < 2) {
        cli_help_overview(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("polytomy %s\n", pt_version());
        return CLI_DONE;
    }
    context->json = asks_json(argc - 1, argv + 1);
    const int words = command_words(argc, argv);
    context->command = words == 2 ? &cli_code_design : cli_command_find(command_word(argv[1]));
    if (!context->command)
        return unknown_command(context, argv[1]);
    int code = prepare_context(context);
    if (code != CLI_DONE)
        return code;
    code = cli_parse(context, argc - 1 - words, argv + 1 + words);
    if (code >= 0)
        return code;
    pt_task_set_params(context->task, context->params);
    cli_progress_start(context);
    code = context->command->run(context);
    cli_progress_clear();
    if (code == CLI_DONE && context->unsaved) {
        fprintf(stderr, "polytomy: --resume: the checkpoint is not written\n");
        return CLI_FAILED;
    }
    return code;
}

int main(int argc, char **argv)
{
    cli_context context = {.seconds_read = -1, .seconds_train = -1, .seconds_predict = -1};
    keep_standard_descriptors();
    give_back_what_is_freed();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write */
    signal(SIGXFSZ, SIG_IGN); /* so is a file beyond the limit (ulimit -f), which is told */
    json_set_alloc_funcs(cli_json_alloc, free);
    context.started = cli_seconds();
    int code = run(&context, argc, argv);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE)
        code = cli_fail_output(&context, errno);
    cli_progress_start(NULL);
    json_decref(context.warnings);
    json_decref(context.warning_kinds);
    json_decref(context.held);
    pt_task_free(context.task);
    pt_params_free(context.params);
    cli_catalogue_free();
    return code;
}
