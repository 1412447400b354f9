#include "legacy/parameters.h"

#include "base/file.h"
#include "base/memory.h"
#include "legacy/quirks.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 199       /* the rest of a longer line is read as the next line */
#define FILE_BYTES (1 << 20) /* a parameter file beyond 1 MiB is no parameter file */

/* A number of the file: an int32_t, or a float where `real` says so, and the range in which a run makes
 * sense. */
struct key {
	const char *name;
	size_t offset;
	int32_t min, max;
	bool real;
};

#define FIELD(name)          offsetof(struct legacy_parameters, name)
#define INT(field, min, max) FIELD(field), min, max
#define ANY(field)           FIELD(field), INT_MIN, INT_MAX
#define REAL(field)          FIELD(field), 0, 0, true

static const struct key keys[] = {
	{ "channel number", INT(channels, 1, LEGACY_CHANNELS) },
	{ "chip number", INT(chip_number, 1, INT_MAX) },
	{ "chip number[0]", INT(chips[0], 1, 1 << 16) },
	{ "die number", INT(dies, 1, 1 << 16) },
	{ "plane number", INT(planes, 1, 1 << 16) },
	{ "block number", INT(blocks, 1, 1 << 24) },
	{ "page number", INT(pages, 1, 1 << 16) },
	{ "subpage page", INT(sectors_per_page, 1, 32) },
	{ "subpage capacity", INT(sector_bytes, 0, INT_MAX) },
	{ "dram capacity", INT(dram_bytes, 0, INT_MAX) },
	{ "t_PROG", INT(t_prog, 0, INT_MAX) },
	{ "t_DBSY", INT(t_dbsy, 0, INT_MAX) },
	{ "t_BERS", INT(t_bers, 0, INT_MAX) },
	{ "t_WC", INT(t_wc, 0, INT_MAX) },
	{ "t_R", INT(t_r, 0, INT_MAX) },
	{ "t_WB", INT(t_wb, 0, INT_MAX) },
	{ "t_RC", INT(t_rc, 0, INT_MAX) },
	{ "allocation", INT(allocation, 0, 1) },
	{ "queue_length", INT(queue_length, 0, INT_MAX) },
	{ "static_allocation", ANY(static_allocation) },
	{ "dynamic_allocation", ANY(dynamic_allocation) },
	{ "advanced command", ANY(advanced_command) },
	{ "advanced command priority2", ANY(advanced_command_priority2) },
	{ "greed CB command", ANY(greed_copy_back) },
	{ "greed MPW command", ANY(greed_multi_plane) },
	{ "aged", ANY(aged) },
	{ "active write", ANY(active_write) },
	{ "overprovide", REAL(overprovide) },
	{ "gc hard threshold", REAL(gc_hard_threshold) },
	{ "aged ratio", REAL(aged_ratio) },
};

#define KEYS (sizeof keys / sizeof *keys)

/* Accepted and unused. */
static const char *const unused_keys[] = { "cpu sdram", "page capacity", "erase limit", "address mapping",
	"wear leveling", "gc", "clean in background", "buffer management", "scheduling algorithm",
	"related mapping", "striping", "interleaving", "pipelining", "time_step", "small large write",
	"active write threshold", "advanced command priority", "gc threshold", "quick table radio",
	"threshold value", "flash operating current", "flash supply voltage", "dram active current",
	"dram standby current", "dram refresh current", "dram voltage", "t_CLS", "t_CLH", "t_CS", "t_CH",
	"t_WP", "t_ALS", "t_ALH", "t_DS", "t_DH", "t_WH", "t_ADL", "t_AR", "t_CLR", "t_RR", "t_RP", "t_REA",
	"t_CEA", "t_RHZ", "t_CHZ", "t_RHOH", "t_RLOH", "t_COH", "t_REH", "t_IR", "t_RHW", "t_WHR", "t_RST" };

const char *const legacy_striping[6] = { "WDPC", "CWDP", "CPWD", "CDWP", "CPDW", "CDPW" };

/* A decimal integer stored in 32 bits; without one the old value stays. */
static void scan_int(const char *text, int32_t *value)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end != text)
		*value = (int32_t)number;
}

static void scan_float(const char *text, float *value)
{
	char *end;
	float number = strtof(text, &end);

	if (end != text)
		*value = number;
}

static bool is_unused(const char *name)
{
	for (size_t i = 0; i < sizeof unused_keys / sizeof *unused_keys; i++)
		if (!strcmp(name, unused_keys[i]))
			return true;
	return false;
}

static void set_key(struct legacy_parameters *p, const char *name, const char *value)
{
	for (const struct key *k = keys; k < keys + KEYS; k++) {
		void *field = (char *)p + k->offset;

		if (strcmp(name, k->name))
			continue;
		if (k->real)
			scan_float(value, field);
		else
			scan_int(value, field);
		return;
	}
	if (!is_unused(name) && !p->unknown_keys++)
		snprintf(p->unknown_key, sizeof p->unknown_key, "%.60s", name);
}

/* `chip number[3] = 2`: any key that begins like the total, with its index at a fixed place. */
static bool set_chips(struct legacy_parameters *p, const char *key, const char *value, const char *name,
	struct fault *fault)
{
	int32_t index = -1;

	scan_int(strlen(key) > 12 ? key + 12 : "", &index);
	if (index < 0 || index >= LEGACY_CHANNELS)
		return fault_set(
			fault, "%s: '%s': the channel must be 0 to %d", name, key, LEGACY_CHANNELS - 1);
	scan_int(value, &p->chips[index]);
	return true;
}

static bool parse_line(struct legacy_parameters *p, char *line, const char *name, struct fault *fault)
{
	char *equals = strchr(line, '=');
	char *end = equals;

	if (*line == '#' || *line == ' ' || !equals)
		return true;
	while (end > line && end[-1] == ' ')
		end--;
	*end = '\0';
	if (!strncmp(line, "chip number", 11) && line[11])
		return set_chips(p, line, equals + 1, name, fault);
	set_key(p, line, equals + 1);
	return true;
}

bool legacy_parameters_parse(
	struct legacy_parameters *p, const char *text, size_t bytes, const char *name, struct fault *fault)
{
	char line[LINE_BYTES + 1];

	*p = (struct legacy_parameters){ .queue_length = 5 };
	for (size_t at = 0; at < bytes;) {
		size_t left = bytes - at < LINE_BYTES ? bytes - at : LINE_BYTES;
		const char *newline = memchr(text + at, '\n', left);
		size_t length = newline ? (size_t)(newline - text) - at + 1 : left;

		memcpy(line, text + at, length);
		line[length] = '\0';
		if (!parse_line(p, line, name, fault))
			return false;
		at += length;
	}
	p->text = memory_array(bytes + 1, 1, "text of the parameter file");
	memcpy(p->text, text, bytes);
	p->text_bytes = bytes;
	return true;
}

bool legacy_parameters_read(struct legacy_parameters *p, const char *path, struct fault *fault)
{
	struct fault reason;
	FILE *file = file_open_given(path, &reason);
	char *text;
	size_t bytes;
	bool ok;

	if (!file)
		return fault_set(
			fault, "%.200s: %.200s; wanted: an SSDsim parameter file", path, reason.text);
	text = memory_array(FILE_BYTES, 1, "text of the parameter file");
	bytes = fread(text, 1, FILE_BYTES, file);
	if (ferror(file))
		ok = fault_set(fault, "%s: %s", path, strerror(errno));
	else if (bytes == FILE_BYTES)
		ok = fault_set(fault, "%s: more than 1 MiB; wanted: an SSDsim parameter file", path);
	else
		ok = legacy_parameters_parse(p, text, bytes, path, fault);
	memory_free(text);
	fclose(file);
	return ok;
}

static bool check_ranges(const struct legacy_parameters *p, const char *name, struct fault *fault)
{
	for (const struct key *k = keys; k < keys + KEYS; k++) {
		int32_t value;

		memcpy(&value, (const char *)p + k->offset, sizeof value);
		if (!k->real && (value < k->min || value > k->max))
			return fault_set(fault, "%s: '%s' is %d; it must be %d to %d", name, k->name, value,
				k->min, k->max);
	}
	return true;
}

/* Page and sector numbers have 32 bits; the product is checked step by step. */
static bool parameters_check_size(
	const struct legacy_parameters *p, uint64_t chips, const char *name, struct fault *fault)
{
	const int32_t factors[] = { p->dies, p->planes, p->blocks, p->pages, p->sectors_per_page };
	uint64_t sectors = chips;

	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
		sectors *= (uint64_t)factors[i];
		if (sectors >> 32)
			return fault_set(fault,
				"%s: the drive has 2^32 sectors or more, where SSDsim's capacity "
				"overflows (Q28); use fewer chips, blocks or pages",
				name);
	}
	return true;
}

bool legacy_parameters_check(const struct legacy_parameters *p, const char *name, struct fault *fault)
{
	if (!check_ranges(p, name, fault))
		return false;
	for (int32_t c = 1; c < p->channels; c++)
		if (p->chips[c] != p->chips[0])
			return fault_set(fault,
				"%s: channel %d has %d chips, channel 0 has %d; SSDsim corrupts its "
				"memory unless all are equal (Q18)",
				name, c, p->chips[c], p->chips[0]);
	if (!parameters_check_size(p, (uint64_t)p->chip_number, name, fault) ||
		!parameters_check_size(p, (uint64_t)p->channels * (uint64_t)p->chips[0], name, fault))
		return false;
	if (p->allocation == 0 && (p->dynamic_allocation < 0 || p->dynamic_allocation > 1))
		return fault_set(fault,
			"%s: dynamic_allocation %d: SSDsim gives writes no place with 2 and 3, which are "
			"unfinished, and prints results all the same; should be 0 (everything dynamic) or 1 "
			"(channel by address)",
			name, p->dynamic_allocation);
	if (p->allocation == 1 && (p->static_allocation < 0 || p->static_allocation > 5))
		return fault_set(fault, "%s: static_allocation %d does not exist in SSDsim (Q24); 0 to 5 do",
			name, p->static_allocation);
	if (!(p->overprovide >= 0 && p->overprovide < 1))
		return fault_set(fault, "%s: 'overprovide' is %g; it must be 0 or more and less than 1", name,
			(double)p->overprovide);
	if (!isfinite(p->gc_hard_threshold) || (p->aged == 1 && !(p->aged_ratio >= 0)))
		return fault_set(
			fault, "%s: 'gc hard threshold' and 'aged ratio' must be numbers from 0 to 1", name);
	if (p->aged == 1 && (float)p->pages < (float)p->pages * p->aged_ratio + 1)
		return fault_set(fault,
			"%s: 'aged ratio' %g is above %d/%d, where SSDsim writes past the end of a "
			"block (Q21)",
			name, (double)p->aged_ratio, p->pages - 1, p->pages);
	return true;
}

void legacy_parameters_free(struct legacy_parameters *p)
{
	memory_free(p->text);
	p->text = NULL;
}
