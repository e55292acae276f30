/* Callbacks that a program brings: checked, copied. The program may have been
 * compiled against a header of another version: its struct may be longer or shorter than ours. */
#include "params/callbacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "params/params_table.h"

enum { NAME_LENGTH = 40 };

/* Up to the last member of version 0.1. Members that come later do not change it. */
enum { FIRST_SIZE = offsetof(pt_learner_callbacks, load) + sizeof((pt_learner_callbacks){0}.load) };

const char *const pt_callbacks_losses = "hinge|exp|square|logistic|sigmoid";

pt_status pt_callbacks_read(const char *what, void *own, size_t own_size, const void *given,
                            size_t size, size_t first_size, pt_error *err)
{
    const unsigned char *bytes = given;
    if (size < first_size)
        return pt_fail(err, PT_EINVAL,
                       "a %s's size is %lld bytes, not sizeof(pt_%s_callbacks), %lld", what,
                       (long long)size, what, (long long)own_size);
    for (size_t i = own_size; i < size; i++)
        if (bytes[i] != 0)
            return pt_fail(err, PT_ENOSUPPORT, "a %s has callbacks that version %s does not know",
                           what, pt_version());
    memset(own, 0, own_size);
    memcpy(own, given, size < own_size ? size : own_size);
    return PT_OK;
}

static bool valid_name(const char *name)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_.";
    const size_t length = name ? strlen(name) : 0;
    return length > 0 && length <= NAME_LENGTH && strspn(name, ALLOWED) == length;
}

pt_status pt_callbacks_check_name(const char *what, const char *name, const char *known,
                                  pt_error *err)
{
    if (!valid_name(name))
        return pt_fail(err, PT_EINVAL, "a %s's name has 1 to %d letters, digits, '-', '_' and '.'",
                       what, NAME_LENGTH);
    if (pt_word_listed(known, '|', name, strlen(name)))
        return pt_fail(err, PT_EINVAL, "%s '%s': the library has one of that name", what, name);
    return PT_OK;
}

bool pt_callbacks_is_status(pt_status status)
{
    return strcmp(pt_status_name(status), "PT_UNKNOWN") != 0;
}

/* ---- learners -------------------------------------------------------------------------------- */

static pt_status check_loss(const pt_learner_callbacks *learner, pt_error *err)
{
    const char *loss = learner->loss;
    if (!loss || pt_word_listed(pt_callbacks_losses, '|', loss, strlen(loss)))
        return PT_OK;
    return pt_fail(err, PT_EINVAL, "learner '%s': there is no loss '" PT_SHOWN "'; losses: %s",
                   learner->name, loss, pt_callbacks_losses);
}

pt_status pt_callbacks_check(pt_learner_callbacks *own, const pt_learner_callbacks *learner,
                             const char *known, pt_error *err)
{
    if (!learner)
        return pt_fail(err, PT_EINVAL, "there is no learner");
    PT_TRY(pt_callbacks_read("learner", own, sizeof *own, learner, learner->size, FIRST_SIZE, err));
    PT_TRY(pt_callbacks_check_name("learner", own->name, known, err));
    if (!own->fit || !own->outputs || !own->free_state)
        return pt_fail(err, PT_EINVAL, "learner '%s' lacks fit, outputs or free_state", own->name);
    if (!own->save != !own->load)
        return pt_fail(err, PT_EINVAL, "learner '%s' has only one of save and load", own->name);
    return check_loss(own, err);
}

pt_status pt_callbacks_copy(pt_learner_callbacks **out, const pt_learner_callbacks *learner,
                            pt_error *err)
{
    pt_learner_callbacks *copy = pt_alloc_zero(1, sizeof *copy, "a learner", err);
    char *name = pt_alloc_text(learner->name, err);
    char *loss = learner->loss ? pt_alloc_text(learner->loss, err) : NULL;
    if (!copy || !name || (learner->loss && !loss)) {
        pt_free(loss);
        pt_free(name);
        pt_free(copy);
        return PT_ENOMEM;
    }
    *copy = *learner;
    copy->size = sizeof *copy;
    copy->name = name;
    copy->loss = loss;
    *out = copy;
    return PT_OK;
}

void pt_callbacks_free(pt_learner_callbacks *learner)
{
    if (!learner)
        return;
    pt_free((char *)learner->loss);
    pt_free((char *)learner->name);
    pt_free(learner);
}
