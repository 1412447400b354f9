/* `ssd list` and `ssd params`: what can be chosen and set. */
#include "base/built_in.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "buffer/buffer.h"
#include "cli/cli.h"
#include "drive/run/report.h"
#include "parameters/params.h"
#include "traces/format.h"
#include "traces/generate.h"

#include <string.h>

#define NAME_COLUMNS 14

/* A profile may be a file of somebody else's. */
static void list_print_row(void *context, const char *name, const char *brief)
{
	(void)context;
	fputs("  ", stdout);
	utf8_print(stdout, name);
	printf("%*s", strlen(name) < NAME_COLUMNS ? (int)(NAME_COLUMNS - strlen(name)) : 0, "");
	utf8_print(stdout, brief);
	putchar('\n');
}

/* Rows of a NULL-ended table of plug-ins. */
#define PRINTER(function, plug_ins)                                                                          \
	static void function(void)                                                                           \
	{                                                                                                    \
		for (size_t i = 0; (plug_ins)[i]; i++)                                                       \
			list_print_row(NULL, (plug_ins)[i]->name, (plug_ins)[i]->brief);                     \
	}

PRINTER(list_print_ftls, ftls)
PRINTER(list_print_buffers, buffers)
PRINTER(list_print_host_layers, host_layers)
PRINTER(list_print_gc_policies, gc_policies)

static void list_print_trace_formats(void)
{
	for (const struct format *f = trace_formats; f->name; f++)
		list_print_row(NULL, f->name, f->brief);
}

static void list_print_profiles(void)
{
	generator_list(list_print_row, NULL);
}

/* The first line of the file says what drive it is. */
static void list_print_drives(void)
{
	for (const struct built_in *d = built_in_drives; d->name; d++) {
		char brief[128];

		snprintf(brief, sizeof brief, "%.*s", (int)strcspn(d->text, "\n"), d->text);
		list_print_row(NULL, d->name, brief + strspn(brief, "# "));
	}
}

static void list_print_statistics(void)
{
	run_report_names(stdout);
}

/* What can be listed: the operand, the heading after it, the rows.  A new listing is a new row here. */
static const struct listing {
	const char *name, *heading;
	void (*print)(void);
	bool long_one; /* printed only if it is named */
} listings[] = {
	{ "drives", "drives (in place of a parameter file)", list_print_drives },
	{ "ftls", "FTLs (-s ftl=NAME)", list_print_ftls },
	{ "buffers", "write buffers (-s buffer=NAME)", list_print_buffers },
	{ "layers", "host layers in front of both (-s host.layer=NAME)", list_print_host_layers },
	{ "gc", "garbage collection policies (-s gc.policy=NAME)", list_print_gc_policies },
	{ "formats", "trace formats (found from the content; -s trace.format=NAME)",
		list_print_trace_formats },
	{ "profiles", "generator profiles (in place of a trace; ssd trace generate NAME)",
		list_print_profiles },
	{ "statistics", "every number that a run reports (ssd list statistics)", list_print_statistics,
		true },
};

void cli_visit_listings(void (*visit)(void *context, const char *name, const char *heading), void *context)
{
	for (size_t i = 0; i < sizeof listings / sizeof *listings; i++)
		visit(context, listings[i].name, listings[i].heading);
}

int cli_list(const struct options *o, struct fault *fault)
{
	struct suggestion nearest = { .word = o->operand.count ? o->operand.text[0] : NULL };
	bool first = true;

	cli_listing();
	for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
		if (nearest.word && strcmp(nearest.word, listings[i].name) != 0) {
			suggestion_offer(&nearest, listings[i].name);
			continue;
		}
		printf("%s%s: %s\n", first ? "" : "\n", listings[i].name, listings[i].heading);
		if (nearest.word || !listings[i].long_one)
			listings[i].print();
		first = false;
	}
	if (!first)
		return STATUS_DONE;
	fault_set(fault, "list: there is no \"%s\"; %s%s%s", nearest.word,
		nearest.nearest ? "did you mean \"" : "`ssd list` shows all",
		nearest.nearest ? nearest.nearest : "", nearest.nearest ? "\"?" : "");
	return STATUS_USER;
}

int cli_params(const struct options *o, struct fault *fault)
{
	struct settings settings;
	bool done;

	cli_listing();
	done = settings_init(&settings, fault) &&
	       params_print(stdout, o->operand.count ? o->operand.text[0] : NULL, settings.group,
		       settings.groups, fault);
	settings_release(&settings);
	return cli_status(done);
}
