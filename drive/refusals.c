#include "drive/refusals.h"

#include "ftl/store.h"

#include <string.h>

static bool refusals_collects_nothing(const struct ftl *f)
{
	return !f->store || f->ops->collects_untimed;
}

static bool refusals_idle(const struct settings *s, const struct ftl *f)
{
	return s->upkeep.idle_ns && refusals_collects_nothing(f);
}

static bool refusals_rate(const struct settings *s, const struct ftl *f)
{
	return s->ftl.gc.copies_per_write > 0 && refusals_collects_nothing(f);
}

const struct refusal refusals[] = {
	{ "upkeep.idle_ns", "ftl", refusals_idle, "has no collections that could be made ahead" },
	{ "gc.copies_per_write", "ftl", refusals_rate, "has no collections that could be made ahead" },
	{ 0 },
};

/* The value of a setting, without quotes. */
struct refusals_wanted {
	const char *key;
	char value[64];
};

static void refusals_look(void *wanted, const struct param_echo *setting)
{
	struct refusals_wanted *w = wanted;

	size_t quote = *setting->value == '"', length = strlen(setting->value) - 2 * quote;

	if (!strcmp(setting->key, w->key))
		snprintf(w->value, sizeof w->value, "%.*s", (int)length, setting->value + quote);
}

bool refusals_pass(const struct settings *s, const struct ftl *f, struct fault *fault)
{
	for (const struct refusal *r = refusals; r->key; r++) {
		struct refusals_wanted key = { r->key, "" }, with = { r->with, "" };

		if (!r->applies(s, f))
			continue;
		settings_echo(s, refusals_look, &key);
		settings_echo(s, refusals_look, &with);
		return fault_set(
			fault, "%s = %s: %s = %s %s", r->key, key.value, r->with, with.value, r->why);
	}
	return true;
}
