/* Texts in JSON. Names of classes, columns and levels are bytes, JSON strings are UTF-8: a text
 * that is not UTF-8 is kept as {"bytes": "hexadecimal"}, so that every text comes back as it was.
 */
#ifndef PT_BASE_JSON_H
#define PT_BASE_JSON_H

#include <jansson.h>

#include "base/text.h"

/* A new JSON value, or NULL with PT_ENOMEM in err. */
json_t *pt_json_text(const char *text, pt_error *err);
json_t *pt_json_texts(const pt_texts *texts, pt_error *err); /* an array */

/* object[key] <- value, which is taken. false: there is no memory, for it or for the value (NULL).
 */
static inline bool pt_json_put(json_t *object, const char *key, json_t *value)
{
    return value && json_object_set_new(object, key, value) == 0;
}

/* To text (pt_free it) and back. Where the bytes are no JSON, PT_EFORMAT with the reason in `where`
 * and nothing in err: the caller knows what they should have been. */
pt_status pt_json_dump(const json_t *value, size_t flags, char **out, pt_error *err);
pt_status pt_json_parse(json_t **out, const char *bytes, size_t size, json_error_t *where,
                        pt_error *err);

/* Back, checked: PT_EFORMAT where it is not such a value. `what` is for the error text. */
pt_status pt_json_get_text(const json_t *value, const char *what, char **out, pt_error *err);
pt_status pt_json_get_texts(const json_t *array, const char *what, pt_texts *out, pt_error *err);

#endif
