/* polytomy version: the version and what this build can do. */
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {NULL, 0, NULL, NULL},
};

/* "name: value" lines as members. */
static json_t *build_object(const char *lines)
{
    json_t *object = json_object();
    while (*lines) {
        char name[64];
        char value[256];
        const size_t length = strcspn(lines, "\n");
        const size_t colon = strcspn(lines, ":\n");
        if (colon < length) {
            const char *text = lines + colon + 1 + strspn(lines + colon + 1, " ");
            snprintf(name, sizeof name, "%.*s", (int)colon, lines);
            snprintf(value, sizeof value, "%.*s", (int)(lines + length - text), text);
            json_object_set_new(object, name, cli_json_text(value));
        }
        lines += length + (lines[length] == '\n');
    }
    return object;
}

static int run(cli_context *context)
{
    if (context->json) {
        json_t *object = cli_json_object(context, NULL, NULL);
        json_object_set_new(object, "build", build_object(pt_build_info()));
        return cli_json_print(context, object);
    }
    printf("polytomy %s\n", pt_version());
    if (!context->quiet)
        fputs(pt_build_info(), stdout);
    return CLI_DONE;
}

const cli_command cli_version = {
    .name = "version",
    .arguments = "",
    .summary = "show the version and what this build can do",
    .description = "The first line is the version; the others name the compiler, the libraries and "
                   "the instruction set in use. -q prints only the first line.",
    .examples = "polytomy version\n",
    .groups = "",
    .options = OPTIONS,
    .min_arguments = 0,
    .max_arguments = 0,
    .run = run,
};
