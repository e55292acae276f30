/* Completions for bash, zsh and fish, from the tables of commands and parameters. */
#include <string.h>

#include "cli.h"

/* "a|b|c" as "a b c" */
static void put_spaced(FILE *file, const char *choices)
{
    for (; *choices; choices++)
        putc(*choices == '|' ? ' ' : *choices, file);
}

static bool takes_value(int64_t param)
{
    return strcmp(cli_param_type(param), "flag") != 0;
}

static bool has_choices(int64_t param)
{
    return strcmp(cli_param_type(param), "choice") == 0;
}

/* Options that take a file. */
static bool takes_file(const cli_option *option)
{
    return option->value && cli_in_list("FILE|MODEL", '|', option->value);
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void bash_options(FILE *file, const cli_command *command)
{
    const cli_option *lists[] = {command->options, cli_common_options};
    for (int l = 0; l < 2; l++)
        for (int i = 0; lists[l][i].name; i++)
            fprintf(file, " --%s", lists[l][i].name);
    for (int64_t i = 0; i < cli_param_count(); i++)
        if (cli_takes_param(command, i))
            fprintf(file, " --%s", cli_param_name(i));
}

static void bash(FILE *file)
{
    fputs("# polytomy completions for bash: source <(polytomy help --completion bash)\n"
          "_polytomy()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local options=\"\"\n    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        mapfile -t COMPREPLY < <(compgen -W \"",
          file);
    for (int i = 0; cli_commands[i]; i++)
        fprintf(file, "%s%s", i ? " " : "", cli_commands[i]->name);
    fputs("\" -- \"$current\")\n        return\n    fi\n    case $previous in\n", file);
    for (int64_t i = 0; i < cli_param_count(); i++) {
        if (!has_choices(i))
            continue;
        fprintf(file, "    --%s)\n        mapfile -t COMPREPLY < <(compgen -W \"",
                cli_param_name(i));
        put_spaced(file, cli_param_allowed(i));
        fputs("\" -- \"$current\")\n        return ;;\n", file);
    }
    const char *separator = "    ";
    for (int64_t i = 0; i < cli_param_count(); i++)
        if (!takes_value(i)) {
            fprintf(file, "%s--%s", separator, cli_param_name(i));
            separator = "|";
        }
    fputs(")\n        if [[ $current != -* ]]; then\n"
          "            mapfile -t COMPREPLY < <(compgen -f -W \"yes no\" -- \"$current\")\n"
          "            return\n        fi ;;\n",
          file);
    fputs("    --completion)\n        mapfile -t COMPREPLY < <(compgen -W \"bash zsh fish\" -- "
          "\"$current\")\n        return ;;\n"
          "    esac\n    case $current in\n    -*) ;;\n    *) return ;;\n    esac\n"
          "    case ${COMP_WORDS[1]} in\n",
          file);
    for (int i = 0; cli_commands[i]; i++) {
        fprintf(file, "    %s) options=\"", cli_commands[i]->name);
        bash_options(file, cli_commands[i]);
        fputs("\" ;;\n", file);
    }
    fputs("    esac\n    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n}\n"
          "complete -o default -F _polytomy polytomy\n",
          file);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Inside '...[help]...': brackets, colons and quotes have a meaning. */
static void zsh_text(FILE *file, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", file);
        else if (strchr("[]:\\", *text))
            fprintf(file, "\\%c", *text);
        else
            putc(*text, file);
}

static void zsh_option(FILE *file, const cli_option *option)
{
    if (option->letter)
        fprintf(file, "            '-%c[", option->letter);
    for (int pass = option->letter ? 0 : 1; pass < 2; pass++) {
        if (pass == 1)
            fprintf(file, "            '--%s%s[", option->name, option->value ? "=" : "");
        zsh_text(file, option->help);
        fprintf(file, "]%s%s%s'\n", option->value ? ":" : "", option->value ? option->value : "",
                takes_file(option) ? ":_files"
                : option->value    ? ":"
                                   : "");
    }
}

static void zsh_param(FILE *file, int64_t param)
{
    fprintf(file, "            '--%s%s[", cli_param_name(param), takes_value(param) ? "=" : "");
    zsh_text(file, cli_param_help(param));
    putc(']', file);
    if (has_choices(param)) {
        fputs(":value:(", file);
        put_spaced(file, cli_param_allowed(param));
        putc(')', file);
    } else {
        fputs(takes_value(param) ? ":value:" : "::value:(yes no)", file);
    }
    fputs("'\n", file);
}

static void zsh(FILE *file)
{
    fputs("#compdef polytomy\n"
          "# polytomy completions for zsh: put this into a file _polytomy in a folder of $fpath\n"
          "_polytomy()\n{\n    local -a commands options\n    commands=(\n",
          file);
    for (int i = 0; cli_commands[i]; i++) {
        fprintf(file, "        '%s:", cli_commands[i]->name);
        zsh_text(file, cli_commands[i]->summary);
        fputs("'\n", file);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
          "        return\n    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- "
          "))\n"
          "    case $command in\n",
          file);
    for (int i = 0; cli_commands[i]; i++) {
        fprintf(file, "    %s)\n        options=(\n", cli_commands[i]->name);
        for (int o = 0; cli_commands[i]->options[o].name; o++)
            zsh_option(file, &cli_commands[i]->options[o]);
        for (int o = 0; cli_common_options[o].name; o++) {
            const cli_option option = cli_common_option(cli_commands[i], o);
            zsh_option(file, &option);
        }
        for (int64_t p = 0; p < cli_param_count(); p++)
            if (cli_takes_param(cli_commands[i], p))
                zsh_param(file, p);
        fputs("        ) ;;\n", file);
    }
    fputs("    esac\n    _arguments $options '*:file:_files'\n}\n"
          "if [ \"$funcstack[1]\" = _polytomy ]; then\n    _polytomy \"$@\"\nelse\n"
          "    compdef _polytomy polytomy\nfi\n",
          file);
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void fish_text(FILE *file, const char *text)
{
    putc('\'', file);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putc('\\', file);
        putc(*text, file);
    }
    putc('\'', file);
}

static void fish_option(FILE *file, const cli_option *option, const char *command)
{
    fprintf(file, "complete -c polytomy");
    if (command)
        fprintf(file, " -n '__fish_seen_subcommand_from %s'", command);
    fprintf(file, " -l %s", option->name);
    if (option->letter)
        fprintf(file, " -s %c", option->letter);
    if (option->value)
        fprintf(file, takes_file(option) ? " -r -F" : " -x");
    fprintf(file, " -d ");
    fish_text(file, option->help);
    putc('\n', file);
}

static void fish_param(FILE *file, int64_t param)
{
    fprintf(file, "complete -c polytomy -n '__fish_seen_subcommand_from");
    for (int i = 0; cli_commands[i]; i++)
        if (cli_takes_param(cli_commands[i], param))
            fprintf(file, " %s", cli_commands[i]->name);
    fprintf(file, "' -l %s", cli_param_name(param));
    if (has_choices(param)) {
        fputs(" -x -a '", file);
        put_spaced(file, cli_param_allowed(param));
        putc('\'', file);
    } else {
        fputs(takes_value(param) ? " -x" : " -a 'yes no'", file);
    }
    fputs(" -d ", file);
    fish_text(file, cli_param_help(param));
    putc('\n', file);
}

static void fish(FILE *file)
{
    fputs("# polytomy completions for fish: polytomy help --completion fish | source\n", file);
    for (int i = 0; cli_commands[i]; i++) {
        fprintf(file, "complete -c polytomy -f -n __fish_use_subcommand -a %s -d ",
                cli_commands[i]->name);
        fish_text(file, cli_commands[i]->summary);
        putc('\n', file);
    }
    for (int i = 0; cli_commands[i]; i++)
        for (int o = 0; cli_commands[i]->options[o].name; o++)
            fish_option(file, &cli_commands[i]->options[o], cli_commands[i]->name);
    for (int o = 0; cli_common_options[o].name; o++)
        fish_option(file, &cli_common_options[o], NULL);
    for (int64_t i = 0; i < cli_param_count(); i++)
        fish_param(file, i);
}

int cli_help_completion(const cli_context *context, FILE *file, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        bash(file);
    else if (strcmp(shell, "zsh") == 0)
        zsh(file);
    else if (strcmp(shell, "fish") == 0)
        fish(file);
    else
        return cli_usage(context, "--completion: '%.60s' is not allowed; choose bash, zsh or fish",
                         shell);
    return CLI_DONE;
}
