/* `ssd list` and `ssd params`: what there is to choose from. */
#include "buffer/buffer.h"
#include "cli/cli.h"
#include "drive/settings.h"
#include "parameters/params.h"
#include "traces/format.h"
#include "traces/generate.h"

#include <stdio.h>
#include <string.h>

static void print_row(void *context, const char *name, const char *brief)
{
	(void)context;
	printf("  %-14s%s\n", name, brief);
}

int cli_list(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--help") && strcmp(argv[1], "-h"))
		return cli_mistake("list takes no argument (\"%s\")", argv[1]);
	printf("FTLs (-s ftl=NAME)\n");
	for (size_t i = 0; ftls[i]; i++)
		print_row(NULL, ftls[i]->name, ftls[i]->brief);
	printf("\nwrite buffers (-s buffer=NAME)\n");
	for (size_t i = 0; buffers[i]; i++)
		print_row(NULL, buffers[i]->name, buffers[i]->brief);
	printf("\ngarbage collection policies (-s gc.policy=NAME)\n");
	for (size_t i = 0; gc_policies[i]; i++)
		print_row(NULL, gc_policies[i]->name, gc_policies[i]->brief);
	printf("\ntrace formats (found from the content; -s trace.format=NAME)\n");
	for (size_t i = 0; trace_formats[i]; i++)
		print_row(NULL, trace_formats[i]->name, trace_formats[i]->brief);
	printf("\ngenerator profiles (in place of a trace; ssd trace generate NAME)\n");
	generator_list(print_row, NULL);
	return STATUS_DONE;
}

int cli_params(int argc, char **argv)
{
	struct settings settings;
	struct fault fault = { "" };
	bool done;

	if (argc > 2)
		return cli_mistake("params takes one group or key at most: ssd params [GROUP|KEY]");
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		printf("usage: ssd params [GROUP|KEY]\n\nDescribes every parameter, those of a group (ssd "
		       "params gc) or one (ssd params gc.threshold):\ntype, unit, range, default, meaning.  "
		       "Set them in the parameter file, as in\n"
		       "    gc: { threshold = 0.05; };\nor on the command line: ssd run -s "
		       "gc.threshold=0.05 ...\n");
		return STATUS_DONE;
	}
	done = settings_init(&settings, &fault) &&
	       params_print(stdout, argc == 2 ? argv[1] : NULL, settings.group, settings.groups, &fault);
	settings_release(&settings);
	return done ? STATUS_DONE : cli_mistake("%s", fault.text);
}
