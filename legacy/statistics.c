#include "legacy/statistics.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 512

static void add_row(struct statistics *s, const char *label, const char *text, double value)
{
	s->row = memory_resize(s->row, s->rows + 1, sizeof *s->row, "statistics");
	s->row[s->rows++] = (struct statistics_row){ memory_string(label, "statistics"), value,
		memory_string(text, "statistics") };
}

/* "label: number ..." or "... plane has : number erase operations"; other lines are no statistics. */
static void read_row(struct statistics *s, char *line)
{
	char *colon = strrchr(line, ':'), *end, *number;
	double value;

	if (!colon || colon == line)
		return;
	number = colon + 1 + strspn(colon + 1, " ");
	value = strtod(number, &end);
	if (end == number)
		return;
	*end = '\0';
	while (colon > line && colon[-1] == ' ')
		colon--;
	*colon = '\0';
	add_row(s, line, number, value);
}

/* Rows of requests have no colon and are skipped; the text before the results repeats the parameters. */
static bool read_lines(struct statistics *s, FILE *file)
{
	char line[LINE_BYTES];
	bool results = false;

	while (fgets(line, sizeof line, file)) {
		if (strstr(line, "--simulation output--"))
			results = true;
		else if (results && !strncmp(line, "***", 3) && strstr(line, "ENDED EARLY"))
			s->early_end = true;
		else if (results && strncmp(line, "chip:", 5))
			read_row(s, line);
	}
	return results && legacy_statistics_find(s, "program count");
}

bool legacy_statistics_read(struct statistics *s, const char *path, struct fault *fault)
{
	FILE *file = fopen(path, "rb");
	bool complete;

	*s = (struct statistics){ 0 };
	if (!file)
		return fault_set(fault, "%s: %s; wanted: a statistic10.dat or ex.out of SSDsim", path,
			strerror(errno));
	complete = read_lines(s, file);
	fclose(file);
	if (complete)
		return true;
	legacy_statistics_free(s);
	return fault_set(fault, "%s: no statistics of SSDsim; a run that crashes leaves none", path);
}

void legacy_statistics_free(struct statistics *s)
{
	for (size_t i = 0; i < s->rows; i++) {
		memory_free(s->row[i].label);
		memory_free(s->row[i].text);
	}
	memory_free(s->row);
	*s = (struct statistics){ 0 };
}

const struct statistics_row *legacy_statistics_find(const struct statistics *s, const char *label)
{
	for (size_t i = 0; i < s->rows; i++)
		if (!strcmp(s->row[i].label, label))
			return &s->row[i];
	return NULL;
}
