#include "base/wrap.h"

#include <string.h>

void wrap_print(FILE *out, const char *text, const char *indent, size_t width)
{
	size_t used = 0;

	for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
		size_t length = strcspn(text, " \n");

		if (used && used + 1 + length > width) {
			fprintf(out, "\n%s", indent);
			used = 0;
		}
		used += (size_t)fprintf(out, "%s%.*s", used ? " " : "", (int)length, text);
		text += length;
	}
	fputc('\n', out);
}
