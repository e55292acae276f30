/* The callbacks of a learner that a program brings: checked, copied. The program may have been
 * compiled against a header of another version: its struct may be longer or shorter than ours. */
#include "params/learner_callbacks.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "params/params_table.h"

enum { NAME_LENGTH = 40 };

/* Members that this version does not know must be 0. */
static pt_status check_size(const pt_learner_callbacks *learner, pt_error *err)
{
    const unsigned char *bytes = (const unsigned char *)learner;
    if (learner->size < sizeof *learner)
        return pt_fail(err, PT_EINVAL,
                       "a learner's size is %lld bytes, not sizeof(pt_learner_callbacks), %lld",
                       (long long)learner->size, (long long)sizeof *learner);
    for (size_t i = sizeof *learner; i < learner->size; i++)
        if (bytes[i] != 0)
            return pt_fail(err, PT_ENOSUPPORT,
                           "a learner has callbacks that version %s does not know", pt_version());
    return PT_OK;
}

static bool valid_name(const char *name)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_.";
    const size_t length = name ? strlen(name) : 0;
    return length > 0 && length <= NAME_LENGTH && strspn(name, ALLOWED) == length;
}

pt_status pt_callbacks_check(const pt_learner_callbacks *learner, const char *known, pt_error *err)
{
    if (!learner)
        return pt_fail(err, PT_EINVAL, "there is no learner");
    pt_status status = check_size(learner, err);
    if (status != PT_OK)
        return status;
    if (!valid_name(learner->name))
        return pt_fail(err, PT_EINVAL,
                       "a learner's name has 1 to %d letters, digits, '-', '_' and '.'",
                       NAME_LENGTH);
    if (pt_word_listed(known, '|', learner->name, strlen(learner->name)))
        return pt_fail(err, PT_EINVAL, "learner '%s': the library has one of that name",
                       learner->name);
    if (!learner->fit || !learner->outputs || !learner->free_state)
        return pt_fail(err, PT_EINVAL, "learner '%s' lacks fit, outputs or free_state",
                       learner->name);
    if (!learner->save != !learner->load)
        return pt_fail(err, PT_EINVAL, "learner '%s' has only one of save and load", learner->name);
    return PT_OK;
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
