#include "stats/warnings.h"

#include "base/memory.h"

#include <string.h>

bool warnings_add(struct warnings *w, const char *text, bool told)
{
	for (uint32_t i = 0; i < w->used; i++)
		if (!strcmp(w->list[i].text, text))
			return false;
	w->list = memory_grown(w->list, &w->room, w->used + 1, sizeof *w->list, "warnings");
	w->list[w->used++] = (struct warning){ memory_string(text, "warnings"), told };
	return true;
}

void warnings_release(struct warnings *w)
{
	for (uint32_t i = 0; i < w->used; i++)
		memory_free(w->list[i].text);
	memory_free(w->list);
	*w = (struct warnings){ 0 };
}
