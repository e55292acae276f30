/* All commands, parameters and tables as one JSON object, for programs. */
#include "cli.h"

static json_t *json_options(const cli_option *options)
{
    json_t *list = json_array();
    for (int i = 0; options[i].name; i++) {
        json_t *object = json_object();
        const char letter[] = {options[i].letter, '\0'};
        json_object_set_new(object, "name", json_string(options[i].name));
        json_object_set_new(object, "letter", *letter ? json_string(letter) : json_null());
        json_object_set_new(object, "value", cli_json_text(options[i].value));
        json_object_set_new(object, "help", json_string(options[i].help));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_commands(void)
{
    json_t *list = json_array();
    for (int i = 0; cli_commands[i]; i++) {
        const cli_command *command = cli_commands[i];
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(command->name));
        json_object_set_new(object, "arguments", json_string(command->arguments));
        json_object_set_new(object, "summary", json_string(command->summary));
        json_object_set_new(object, "groups", json_string(command->groups));
        json_object_set_new(object, "parameters",
                            json_string(command->parameters ? command->parameters : ""));
        json_object_set_new(object, "options", json_options(command->options));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_parameters(void)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < cli_param_count(); i++) {
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(cli_param_name(i)));
        json_object_set_new(object, "type", json_string(cli_param_type(i)));
        json_object_set_new(object, "kind", json_string(cli_param_kind(i)));
        json_object_set_new(object, "unit", json_string(cli_param_unit(i)));
        json_object_set_new(object, "default", json_string(cli_param_default(i)));
        json_object_set_new(object, "allowed", json_string(cli_param_allowed(i)));
        json_object_set_new(object, "group", json_string(cli_param_group(i)));
        json_object_set_new(object, "help", json_string(cli_param_help(i)));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_registry(const char *registry)
{
    static const char *const FIELDS[] = {"summary",      "labels", "input",
                                         "capabilities", "cv",     "parameters"};
    json_t *list = json_array();
    for (int64_t i = 0; i < cli_registry_count(registry); i++) {
        json_t *object = json_object();
        json_object_set_new(object, "name", cli_json_text(cli_registry_name(registry, i)));
        for (size_t f = 0; f < sizeof FIELDS / sizeof *FIELDS; f++) {
            const char *value = cli_registry_field(registry, i, FIELDS[f]);
            if (value)
                json_object_set_new(object, FIELDS[f], cli_json_text(value));
        }
        json_array_append_new(list, object);
    }
    return list;
}

int cli_help_json(const cli_context *context)
{
    json_t *object = cli_json_object(context, NULL, NULL);
    json_t *registries = json_object();
    for (int i = 0; cli_registries[i]; i++)
        json_object_set_new(registries, cli_registries[i], json_registry(cli_registries[i]));
    json_object_set_new(object, "commands", json_commands());
    json_object_set_new(object, "common_options", json_options(cli_common_options));
    json_object_set_new(object, "parameters", json_parameters());
    json_object_set_new(object, "registries", registries);
    return cli_json_print(context, object);
}
