/* FIU (homes, mail, web servers; Koller and Rangaswami, "I/O deduplication"): nanoseconds, process,
 * 512-byte sectors, type, device as major and minor number, and a hash of the content. */
#include "traces/format.h"

/* A process may have blanks in its name: it ends where the first number begins. */
static bool parse_process(struct scan *s)
{
	const char *word;
	size_t bytes;

	do {
		if (!scan_word(s, "process", &word, &bytes))
			return false;
		scan_blanks(s);
		if (s->at == s->end)
			return scan_problem(s, "first sector is missing");
	} while (!scan_is_digit(*s->at) && *s->at != '-');
	return true;
}

static bool parse_device(struct scan *s, struct record *r)
{
	const char *begin;
	uint64_t number;

	scan_blanks(s);
	begin = s->at;
	if (!scan_number(s, "major device number", &number) || !scan_blanks(s) ||
		!scan_number(s, "minor device number", &number))
		return false;
	r->device = names_number(s->names, begin, (size_t)(s->at - begin));
	return true;
}

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t pid, sector, sectors;

	if (!scan_blanks(s) || !scan_time(s, "time", &r->time) || !scan_blanks(s) ||
		!scan_number(s, "process number", &pid) || !scan_blanks(s) || !parse_process(s) ||
		!scan_number(s, "first sector", &sector) || !scan_blanks(s) ||
		!scan_number(s, "size", &sectors) || !scan_blanks(s) || !scan_type(s, "R", "W", &r->type) ||
		!parse_device(s, r))
		return PARSED_BAD;
	return scan_place(s, r, sector, sectors, SECTOR_BYTES) ? PARSED_RECORD : PARSED_BAD;
}

const struct format format_fiu = {
	.name = "fiu",
	.brief = "FIU home directories, mail and web servers",
	.layout = "time[ns] pid process first-sector sectors R|W major minor hash",
	.time_unit_ns = 1,
	.parse = parse,
};
