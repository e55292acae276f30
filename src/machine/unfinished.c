#include "machine/unfinished.h"

pt_status pt_warn_gap(pt_texts *warnings, const char *machine, double reached, double gap,
                      pt_type type, pt_error *err)
{
    return pt_texts_add(warnings, err,
                        "%s: a relative gap of %.2g was reached, not the %g of --gap; use %sa "
                        "larger --gap or a smaller --C",
                        machine, reached, gap, type == PT_F32 ? "--precision double, " : "");
}
