/* Choices of parameters: "a|b|c" of the table as lists. */
#include "about/parameters.h"

#include <string.h>

#include "base/alloc.h"
#include "params/params_table.h"

static bool has_choices(int id)
{
    return pt_param_table[id].kind == PT_PARAM_KIND_CHOICE;
}

/* The next word of "a|b|c" at *at, which moves behind it; NULL: no other. */
static const char *next_word(const char **at, size_t *length)
{
    const char *word = *at;
    *length = strcspn(word, "|");
    *at += *length + (word[*length] == '|');
    return *word ? word : NULL;
}

static int64_t count_words(int id)
{
    int64_t count = 0;
    size_t length = 0;
    for (const char *at = pt_param_table[id].allowed; has_choices(id) && next_word(&at, &length);)
        count++;
    return count;
}

/* Appends the choices of a parameter to the texts; *n grows by how many these are. */
static pt_status take_words(pt_choices *choices, int id, const pt_machine_ops *ops,
                            const pt_params *params, int64_t *n, pt_error *err)
{
    size_t length = 0;
    const char *word = NULL;
    for (const char *at = pt_param_table[id].allowed; (word = next_word(&at, &length));) {
        PT_TRY(pt_texts_add(&choices->texts, err, "%.*s", (int)length, word));
        const char *choice = choices->texts.items[choices->texts.count - 1];
        if (!ops || pt_machine_takes(ops, params, (pt_param_id)id, choice))
            choices->word[id * choices->most + (*n)++] = choice;
    }
    return PT_OK;
}

pt_status pt_choices_init(pt_choices *choices, const pt_machine_ops *ops, const pt_params *params,
                          pt_error *err)
{
    for (int id = 0; id < PT_N_PARAMS; id++)
        choices->most = count_words(id) > choices->most ? count_words(id) : choices->most;
    PT_TRY(PT_NEW_ZERO(choices->word, PT_N_PARAMS * choices->most, "choices", err));
    for (int id = 0; id < PT_N_PARAMS; id++) {
        int64_t n = 0;
        if (has_choices(id))
            PT_TRY(take_words(choices, id, ops, params, &n, err));
    }
    return PT_OK;
}

void pt_choices_free(pt_choices *choices)
{
    pt_texts_free(&choices->texts);
    pt_free(choices->word);
}

pt_status pt_choices_add(pt_report *report, const pt_choices *choices, pt_error *err)
{
    return pt_report_copy(
        report,
        PT_TABLE("choices", PT_TEXT, "name", PT_N_PARAMS, "choice", choices->most, choices->word),
        err);
}
