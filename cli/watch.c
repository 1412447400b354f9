/* `ssd watch`: a drive seen at work, request by request. */
#include "cli/cli.h"
#include "watch/terminal.h"
#include "watch/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_PLAIN   16u
#define PLANES_PLAIN 8u

bool cli_range(const char *text, uint64_t *from, uint64_t *to)
{
	char *end;

	*from = *to = strtoull(text, &end, 10);
	if (end != text && !strncmp(end, "..", 2) && end[2] >= '0' && end[2] <= '9')
		*to = strtoull(end + 2, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *from <= *to;
}

static int watch_with(const struct options *o, const struct settings *s, struct fault *fault)
{
	struct player p = { .settings = s };
	uint64_t from = 0, to = UINT64_MAX;
	struct picture_shape shape = { o->columns ? (uint32_t)o->columns : 80,
		o->rows ? (uint32_t)o->rows : ROWS_PLAIN, PLANES_PLAIN };
	bool done = (!o->at || cli_range(o->at, &from, &to) ||
			    fault_set(fault, "watch: --at %s: should be the number of a request, or FROM..TO",
				    o->at)) &&
		    player_open(&p, s, o->operand.text[1], o->verify, fault);

	if (done && (o->plain || !terminal_there()))
		done = watch_print(&p, from, to, shape, stdout, fault);
	else if (done)
		done = watch_live(&p, from, fault);
	player_close(&p);
	return cli_status(done);
}

int cli_watch(const struct options *o, struct fault *fault)
{
	struct settings settings;
	int status = STATUS_USER;

	if (settings_init(&settings, fault) &&
		settings_read(&settings, o->operand.text[0], o->setting.text, o->setting.count, fault)) {
		settings.trace.list = o->trace.list;
		status = watch_with(o, &settings, fault);
	}
	settings_release(&settings);
	return status;
}
