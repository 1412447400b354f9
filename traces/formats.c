#include "traces/format.h"

#include <string.h>

#define FORMAT(name) extern const struct format format_##name;
#include "traces/list.h"
#undef FORMAT

const struct format *const trace_formats[] = {
#define FORMAT(name) &format_##name,
#include "traces/list.h"
#undef FORMAT
	NULL,
};

const struct format *trace_format_named(const char *name)
{
	for (size_t i = 0; trace_formats[i]; i++)
		if (!strcmp(trace_formats[i]->name, name))
			return trace_formats[i];
	return NULL;
}
