#include "drive/journal.h"

#include "base/memory.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

enum { OF_DATA, OF_MAP, OF_COLLECTION, PURPOSES };
static const enum op_kind kinds[] = { OP_READ, OP_PROGRAM, OP_ERASE };
#define KINDS 3

struct journal_row {
	uint64_t number;
	struct request request;
	tick_t entered;
	struct account account;
	uint64_t ops[KINDS][PURPOSES];
};

struct journal {
	struct drive_observer observer;
	const struct drive *drive;
	FILE *out;
	struct archive *packer;  /* NULL: plain */
	struct journal_row *row; /* of requests in the drive, by ticket */
	uint32_t rows, room;
	bool tenants, tells_fua; /* there are such columns */
	bool failed;
	uint64_t requests;
	uint64_t before[OP_KINDS][CAUSES]; /* counts of the medium when the last request entered */
	size_t used;
	char text[1 << 16];
};

#define LINE_MOST   1024
#define DIGITS_MOST 20 /* of 64 bits */

void journal_flush(struct journal *l)
{
	if (l->packer)
		l->failed |= archive_write_data(l->packer, l->text, l->used) < 0;
	else
		fwrite(l->text, 1, l->used, l->out);
	l->used = 0;
}

static char *journal_put_text(char *to, const char *text, char behind)
{
	while (*text)
		*to++ = *text++;
	*to++ = behind;
	return to;
}

/* Two digits at a time, the last first.  Several dozen numbers for each request: printf() would take longer
 * than the simulation. */
static char *journal_put_number(char *to, uint64_t number, char behind)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char digits[2 * DIGITS_MOST], *end = digits + DIGITS_MOST, *from = end;

	if (number < 10) { /* mostly 0 */
		to[0] = (char)('0' + number);
		to[1] = behind;
		return to + 2;
	}
	do
		memcpy(from -= 2, pairs + number % 100 * 2, 2);
	while (number /= 100);
	from += *from == '0';
	memcpy(to, from, DIGITS_MOST); /* a constant size: inlined */
	to += end - from;
	*to = behind;
	return to + 1;
}

/* ---- the file ---- */

static la_ssize_t journal_write_packed(struct archive *a, void *out, const void *bytes, size_t size)
{
	(void)a;
	return fwrite(bytes, 1, size, out) == size ? (la_ssize_t)size : -1;
}

static bool journal_start_packer(struct journal *l)
{
	struct archive_entry *entry = archive_entry_new();
	bool done;

	l->packer = archive_write_new();
	archive_entry_set_filetype(entry, AE_IFREG);
	done = archive_write_set_format_raw(l->packer) == ARCHIVE_OK &&
	       archive_write_add_filter_zstd(l->packer) == ARCHIVE_OK &&
	       archive_write_set_bytes_per_block(l->packer, 0) == ARCHIVE_OK &&
	       archive_write_open(l->packer, l->out, NULL, journal_write_packed, NULL) == ARCHIVE_OK &&
	       archive_write_header(l->packer, entry) == ARCHIVE_OK;
	archive_entry_free(entry);
	return done;
}

static const char header[] = "number,arrival_ns,entered_ns,completed_ns,type,sector,sectors,class,latency_ns,"
			     "door_ns,controller_ns,map_ns,die_ns,collection_ns,bus_ns,cells_ns,link_ns,"
			     "reads,map_reads,gc_reads,programs,map_programs,gc_programs,"
			     "erases,map_erases,gc_erases";

struct journal *journal_create(FILE *out, bool packed, bool tenants, struct fault *fault)
{
	struct journal *l = memory_array(1, sizeof *l, "journal");

	l->out = out;
	l->tenants = tenants;
	if (packed && !journal_start_packer(l)) {
		fault_set(fault, "cannot pack by zstd: %s", archive_error_string(l->packer));
		journal_free(l);
		return NULL;
	}
	l->used = (size_t)(journal_put_text(l->text, header, tenants ? ',' : '\n') - l->text);
	if (tenants)
		l->used = (size_t)(journal_put_text(l->text + l->used, "tenant", '\n') - l->text);
	return l;
}

void journal_tell_fua(struct journal *l)
{
	l->tells_fua = true;
	l->used = (size_t)(journal_put_text(l->text, header, ',') - l->text);
	l->used = (size_t)(journal_put_text(l->text + l->used, l->tenants ? "fua,tenant" : "fua", '\n') -
			   l->text);
}

/* Errors of the stream show when the caller closes it. */
bool journal_finish(struct journal *l, struct fault *fault)
{
	const char *reason;

	journal_flush(l);
	if (l->packer)
		l->failed |= archive_write_close(l->packer) != ARCHIVE_OK;
	if (!l->failed || ferror(l->out))
		return true;
	reason = archive_error_string(l->packer);
	return fault_set(fault, "cannot pack the log by zstd: %s", reason ? reason : "out of memory");
}

bool journal_copy(FILE *from, FILE *to, bool packed, struct fault *fault)
{
	struct journal *l = journal_create(to, packed, false, fault);
	bool done;

	if (!l)
		return false;
	rewind(from);
	while ((l->used = fread(l->text, 1, sizeof l->text, from)))
		journal_flush(l);
	done = journal_finish(l, fault);
	journal_free(l);
	if (!done)
		return false;
	return !ferror(from) || fault_set(fault, "--log: cannot read back the rows written so far");
}

void journal_free(struct journal *l)
{
	if (!l)
		return;
	archive_write_free(l->packer);
	memory_free(l->row);
	memory_free(l);
}

/* ---- a request ---- */

static struct journal_row *journal_row_of(struct journal *l, uint32_t ticket)
{
	if (ticket >= l->rows) {
		l->rows = ticket + 1;
		l->row = memory_grown(l->row, &l->room, l->rows, sizeof *l->row, "journal");
	}
	return &l->row[ticket];
}

static void journal_entered(void *journal, uint32_t ticket, const struct request *r)
{
	struct journal *l = journal;
	struct journal_row *row = journal_row_of(l, ticket);

	row->number = ++l->requests;
	row->request = *r;
	row->entered = l->drive->pending[ticket].entered;
	memset(row->ops, 0, sizeof row->ops);
	memcpy(l->before, l->drive->flash->count, sizeof l->before);
}

/* Notes the operations that it has caused. */
static void journal_issued(void *journal, uint32_t ticket, const struct request *r)
{
	const struct journal *l = journal;
	uint64_t(*ops)[PURPOSES] = l->row[ticket].ops;

	for (int kind = 0; kind < KINDS && request_is_awaited(r->type); kind++)
		for (int cause = 0; cause < CAUSES; cause++) {
			int of = cause_is_background((enum cause)cause) ? OF_COLLECTION
				 : cause == CAUSE_MAP                   ? OF_MAP
									: OF_DATA;

			ops[kind][of] +=
				l->drive->flash->count[kinds[kind]][cause] - l->before[kinds[kind]][cause];
		}
}

static void journal_served(void *journal, uint32_t ticket, const struct account *account)
{
	((struct journal *)journal)->row[ticket].account = *account;
}

static void journal_goes_on(void *journal, uint32_t ticket, uint32_t next)
{
	struct journal *l = journal;
	struct journal_row row = l->row[ticket];

	*journal_row_of(l, next) = row;
}

/* Aborts unless the parts add up to the latency. */
static char *journal_put_parts(char *to, const struct journal_row *row, tick_t when)
{
	uint64_t door = row->entered - row->request.arrival, link = when - row->account.until;
	uint64_t latency = when - row->request.arrival, sum = door + link;

	to = journal_put_number(to, latency, ',');
	to = journal_put_number(to, door, ',');
	for (int part = 0; part < PARTS; part++) {
		to = journal_put_number(to, row->account.ns[part], ',');
		sum += row->account.ns[part];
	}
	BUG_ON(sum != latency, "request %llu: the parts of its latency are %llu ns of %llu",
		(unsigned long long)row->number, (unsigned long long)sum, (unsigned long long)latency);
	return journal_put_number(to, link, ',');
}

static char *journal_put_row(
	const struct journal *l, char *to, const struct journal_row *row, const char *of_class, tick_t when)
{
	static const char *const types[] = { "read", "write", "trim", [REQUEST_FLUSH] = "flush" };

	to = journal_put_number(to, row->number, ',');
	to = journal_put_number(to, row->request.arrival, ',');
	to = journal_put_number(to, row->entered, ',');
	to = journal_put_number(to, when, ',');
	to = journal_put_text(to, types[row->request.type], ',');
	to = journal_put_number(to, row->request.start, ',');
	to = journal_put_number(to, row->request.sectors, ',');
	to = journal_put_text(to, of_class, ',');
	to = journal_put_parts(to, row, when);
	for (int kind = 0; kind < KINDS; kind++)
		for (int of = 0; of < PURPOSES; of++)
			to = journal_put_number(to, row->ops[kind][of], ',');
	if (l->tells_fua)
		to = journal_put_number(
			to, row->request.type == REQUEST_WRITE && row->request.flags & REQUEST_FUA, ',');
	if (l->tenants)
		to = journal_put_number(to, row->request.device, ',');
	to[-1] = '\n';
	return to;
}

/* Only requests that the statistics count have rows. */
static void journal_completed(void *journal, uint32_t ticket, const struct pending *p, tick_t when)
{
	struct journal *l = journal;
	const char *of_class = p->type == REQUEST_FLUSH ? "none" : class_name(p->kind);

	if (p->uncounted || l->drive->warming)
		return;
	l->used = (size_t)(journal_put_row(l, l->text + l->used, &l->row[ticket], of_class, when) - l->text);
	if (l->used > sizeof l->text - LINE_MOST)
		journal_flush(l);
}

void journal_observe(struct journal *l, struct drive *d)
{
	l->drive = d;
	l->observer = (struct drive_observer){ .context = l,
		.entered = journal_entered,
		.issued = journal_issued,
		.served = journal_served,
		.goes_on = journal_goes_on,
		.completed = journal_completed };
	drive_observe(d, &l->observer);
}

/* Finished rows were flushed before the run was saved. */
static void journal_restored(void *journal)
{
	((struct journal *)journal)->used = 0;
}

static const struct state_row request_state[] = {
	STATE_NUMBER(struct request, arrival),
	STATE_NUMBER(struct request, start),
	STATE_NUMBER(struct request, line),
	STATE_NUMBER(struct request, sectors),
	STATE_NUMBER(struct request, device),
	STATE_NUMBER(struct request, type),
	STATE_NUMBER(struct request, hint),
	STATE_NUMBER(struct request, flags),
	{ 0 },
};

static const struct state_row journal_row_state[] = {
	STATE_NUMBER(struct journal_row, number),
	STATE_STRUCT(struct journal_row, request, request_state),
	STATE_NUMBER(struct journal_row, entered),
	STATE_NUMBER(struct journal_row, account),
	STATE_NUMBER(struct journal_row, ops),
	{ 0 },
};

const struct state_row journal_state[] = {
	STATE_FIXED(observer, drive, out, packer, tenants, tells_fua, failed),
	STATE_SCRATCH(before, used, text),
	STATE_GROWN(struct journal, row, rows, room, journal_row_state),
	STATE_NUMBER(struct journal, requests),
	STATE_RESTORED(journal_restored),
	{ 0 },
};
