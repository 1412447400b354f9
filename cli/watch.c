/* `ssd watch`: a drive seen at work, request by request. */
#include "cli/cli.h"
#include "cli/watch/terminal.h"
#include "cli/watch/watch.h"

#define ROWS_PLAIN   16u
#define PLANES_PLAIN 8u

int cli_watch(const struct options *o, struct fault *fault)
{
	struct settings settings;
	struct player p = { .settings = &settings };
	uint64_t from = 0, to = UINT64_MAX;
	struct picture_shape shape = { o->columns ? (uint32_t)o->columns : terminal_text_columns(),
		o->rows ? (uint32_t)o->rows : ROWS_PLAIN, PLANES_PLAIN };
	bool done = cli_settings(&settings, o, fault);

	if (done && o->at && !cli_range(o->at, &from, &to))
		done = fault_set(
			fault, "watch: --at %s: should be the number of a request, or FROM..TO", o->at);
	done = done && cli_have_traces(&settings, o, fault) &&
	       player_open(&p, &settings, o->operand.text + 1, o->operand.count - 1, o->verify, fault);
	if (o->plain || !terminal_there()) {
		cli_listing();
		done = done && watch_print(&p, from, to, shape, stdout, fault);
	} else {
		done = done && watch_live(&p, from, fault);
	}
	player_close(&p);
	settings_release(&settings);
	return cli_status(done);
}
