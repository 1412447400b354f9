/* `ssd legacy`: the results of SSDsim 2.1. */
#include "base/utf8.h"
#include "cli/cli.h"
#include "legacy/import.h"
#include "legacy/legacy.h"
#include "legacy/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define STATUS_DIFFERENT 1 /* as of diff(1) */

static int legacy_list_quirks(void)
{
	cli_listing();
	for (enum quirk q = 1; q < QUIRKS; q++) {
		const struct quirk_row *row = quirk_row(q);
		const char *what = row->kind == QUIRK_KEPT ? "--fix"
				   : row->repairable       ? "here, --fix"
							   : "here";

		printf("%-3s  %s  %s; %s: %s\n", row->name, row->kind == QUIRK_KEPT ? "kept    " : "survived",
			row->text, what, row->instead);
	}
	return STATUS_DONE;
}

/* Notes everything the run ignored, each once. */
static void legacy_tell_notes(const struct legacy_result *r)
{
	if (r->unknown_keys)
		cli_note("note: %u unknown parameters ignored, the first is '%s'", r->unknown_keys,
			r->unknown_key);
	if (r->blank_lines)
		cli_note("note: %" PRIu64
			 " blank lines of the trace skipped; SSDsim would repeat the line before",
			r->blank_lines);
	if (r->disordered_lines)
		cli_note("note: %" PRIu64
			 " lines are earlier than the line before; SSDsim's clock goes back with them",
			r->disordered_lines);
	if (r->trims)
		cli_note("note: %" PRIu64 " trims of the trace ignored; SSDsim has none", r->trims);
	for (enum quirk q = 1; q < QUIRKS; q++)
		if (r->noted[q])
			cli_note("note: %s: %s; here: %s (%" PRIu64 " times)", quirk_row(q)->name,
				quirk_row(q)->text, quirk_row(q)->instead, r->noted[q]);
}

int cli_legacy(const struct options *options, struct fault *fault)
{
	struct legacy_options o = { .directory = options->folder ? options->folder : "." };
	struct legacy_result result;
	enum legacy_end end;

	if (options->list_quirks)
		return legacy_list_quirks();
	if (options->fix && !quirk_set_parse(&o.repaired, options->fix, fault))
		return STATUS_USER;
	if (!cli_make_folder(o.directory, fault))
		return STATUS_USER;
	o.parameters = options->operand.text[0];
	o.trace = options->operand.text[1];
	o.list = options->trace.list;
	end = legacy_run(&o, &result, fault);
	if (end == LEGACY_REFUSED)
		return STATUS_USER;
	legacy_tell_notes(&result);
	if (end == LEGACY_DONE)
		return STATUS_DONE;
	cli_note("%s; %" PRIu64 " requests were finished", fault->text, result.requests);
	return STATUS_DRIVE_FAILED;
}

int cli_legacy_import(const struct options *o, struct fault *fault)
{
	struct legacy_parameters parameters;
	bool done;

	cli_listing();
	if (!legacy_parameters_read(&parameters, o->operand.text[0], fault))
		return STATUS_USER;
	done = legacy_import(&parameters, o->operand.text[0], stdout, fault);
	legacy_parameters_free(&parameters);
	return cli_status(done);
}

/* Prints a line if they differ as written; `b` NULL: it is missing. */
static bool legacy_print_difference(const struct statistics_row *a, const struct statistics_row *b)
{
	if (b && !strcmp(a->text, b->text))
		return false;
	printf("%-56.56s %16s %16s", a->label, a->text, b ? b->text : "-");
	if (b && a->value != 0)
		printf(" %+9.2f %%", 100 * (b->value - a->value) / fabs(a->value));
	putchar('\n');
	return true;
}

/* Returns how many differ; *values: how many there are in either file. */
static size_t legacy_print_differences(const struct statistics *a, const struct statistics *b, size_t *values)
{
	size_t differences = 0;

	*values = a->rows;
	for (size_t i = 0; i < a->rows; i++)
		differences +=
			legacy_print_difference(&a->row[i], legacy_statistics_find(b, a->row[i].label));
	for (size_t i = 0; i < b->rows; i++)
		if (!legacy_statistics_find(a, b->row[i].label)) {
			printf("%-56.56s %16s %16s\n", b->row[i].label, "-", b->row[i].text);
			differences++;
			++*values;
		}
	return differences;
}

int cli_legacy_diff(const struct options *o, struct fault *fault)
{
	char **path = o->operand.text;
	struct statistics a, b;
	size_t differences, values;

	cli_listing();
	if (!legacy_statistics_read(&a, path[0], fault))
		return STATUS_USER;
	if (!legacy_statistics_read(&b, path[1], fault)) {
		legacy_statistics_free(&a);
		return STATUS_USER;
	}
	if (a.early_end || b.early_end) {
		fputs("(the run of ", stdout);
		utf8_print(stdout, path[!a.early_end]);
		puts(" ended early)");
	}
	differences = legacy_print_differences(&a, &b, &values);
	printf("%zu of %zu values differ\n", differences, values);
	legacy_statistics_free(&a);
	legacy_statistics_free(&b);
	return differences ? STATUS_DIFFERENT : STATUS_DONE;
}
