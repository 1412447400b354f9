#include "drive/image.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/version.h"
#include "stats/output.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAGIC       "ssdlab drive 4"
#define TOO_SHORT   "end: it is too short"
#define CHUNK_BYTES 65536u

/* ---- which drive it is ---- */

/* Beginnings of the keys of what acts in time only, or in what lies before the drive: its state does not depend on it.
 * What the workload is stands there in a sum of its own. */
static const char *const timeless[] = { "buffer", "dram.", "host.mode", "host.queue_", "host.time_scale",
	"host.link_", "trace.", "workload.", "stats.", "flash.read_", "flash.program_", "flash.erase_",
	"flash.command_", "flash.plane_command_", "flash.bus_", "flash.copyback", "flash.interleave",
	"flash.multiplane", "flash.scheduler", "flash.suspend", "flash.resume_", "flash.forward_",
	"precondition.trace", NULL };

struct identity {
	const struct drive *drive;
	char *text; /* lines "key = value" */
	uint32_t length, room;
};

static void add_line(struct identity *i, const char *key, const char *value)
{
	size_t bytes = strlen(key) + strlen(value) + 5;

	i->text = memory_grown(i->text, &i->room, i->length + (uint32_t)bytes, 1, "identity of the drive");
	i->length += (uint32_t)snprintf(i->text + i->length, bytes, "%s = %s\n", key, value);
}

static void add_setting(void *identity, const char *key, const char *value)
{
	struct identity *i = identity;
	const char *buffer = buffer_group(i->drive->buffer->ops);

	for (const char *const *at = timeless; *at; at++)
		if (!strncmp(key, *at, strlen(*at)))
			return;
	if (strncmp(key, buffer, strlen(buffer)) || key[strlen(buffer)] != '.')
		add_line(i, key, value);
}

static void add_sum(struct identity *i, const char *key, uint64_t sum)
{
	char text[20];

	snprintf(text, sizeof text, "%016" PRIx64, sum);
	add_line(i, key, sum ? text : "any");
}

static struct identity identity_of(const struct drive *d)
{
	struct identity i = { .drive = d };

	add_line(&i, "version", SSD_VERSION);
	add_line(&i, "verification", d->oracle ? "on" : "off");
	settings_echo(d->settings, add_setting, &i);
	add_sum(&i, "workload", d->past.workload);
	add_sum(&i, "precondition.trace", d->past.warm_up);
	return i;
}

char *image_name(const struct drive *d)
{
	struct identity i = identity_of(d);
	size_t bytes = strlen(d->ftl->ops->name) + 24;
	char *name = memory_array(bytes, 1, "file name");

	snprintf(name, bytes, "%s-%016" PRIx64 ".drive", d->ftl->ops->name,
		hash_bytes(HASH_NOTHING, i.text, i.length));
	memory_free(i.text);
	return name;
}

/* ---- the file: everything before the sum at its end is in the sum ---- */

/* Visits the drive's regions with a file: out of them or into them. */
struct image {
	struct regions regions; /* first: the visitor is found through it */
	FILE *file;
	uint64_t sum;
	unsigned char chunk[CHUNK_BYTES];
};

static struct image *image_create(FILE *file, void (*visit)(struct regions *, void *, size_t))
{
	struct image *i = memory_array(1, sizeof *i, "saved drive");

	i->regions.visit = visit;
	i->file = file;
	i->sum = HASH_NOTHING;
	return i;
}

static void put(struct image *i, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, i->file);
	i->sum = hash_bytes(i->sum, bytes, size);
}

/* False: the file is at its end. */
static bool get(struct image *i, void *bytes, size_t size)
{
	if (fread(bytes, 1, size, i->file) != size)
		return false;
	i->sum = hash_bytes(i->sum, bytes, size);
	return true;
}

static bool all_zero(const unsigned char *bytes, size_t size)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, size - 1);
}

/* Chunk by chunk: a byte that says whether anything follows, then the bytes. */
static void write_region(struct regions *regions, void *bytes, size_t size)
{
	struct image *i = (struct image *)regions;
	unsigned char *at = bytes;

	for (size_t part; size; at += part, size -= part) {
		part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
		if (all_zero(at, part)) {
			put(i, "0", 1);
		} else {
			put(i, "1", 1);
			put(i, at, part);
		}
	}
}

/* Chunks of zeros are left untouched: the memory of a fresh drive is zero already. */
static void read_region(struct regions *regions, void *bytes, size_t size)
{
	struct image *i = (struct image *)regions;
	unsigned char *at = bytes;
	char tag;

	for (size_t part; size && !regions->broken; at += part, size -= part) {
		part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
		if (!get(i, &tag, 1) || (tag == '1' && !get(i, i->chunk, part)))
			regions->broken = TOO_SHORT;
		else if (tag == '1')
			memcpy(at, i->chunk, part);
		else if (tag != '0')
			regions->broken = "chunks";
		else if (!all_zero(at, part))
			memset(at, 0, part);
	}
}

static void visit_drive(struct drive *d, struct regions *r)
{
	regions_visit(r, &d->past.footprint_pages, sizeof d->past.footprint_pages);
	regions_visit(r, &d->past.replayed, sizeof d->past.replayed);
	ftl_regions(d->ftl, r);
	host_regions(d->host, r);
	oracle_regions(d->oracle, r);
}

static void write_drive(struct image *i, const struct identity *identity, struct drive *d)
{
	put(i, MAGIC "\n", strlen(MAGIC) + 1);
	put(i, identity->text, identity->length);
	put(i, "\n", 1);
	visit_drive(d, &i->regions);
	BUG_ON(i->regions.broken, "the drive breaks what is declared of its %s", i->regions.broken);
	fwrite(&i->sum, sizeof i->sum, 1, i->file);
}

/* Nothing is allocated, and so can fail, while the file is half written. */
bool image_save(struct drive *d, const char *path, struct fault *fault)
{
	struct identity identity = identity_of(d);
	struct image *i = image_create(NULL, write_region);
	struct output out;
	bool done = output_open(&out, path, fault);

	if (done) {
		i->file = out.stream;
		write_drive(i, &identity, d);
		done = output_commit(&out, fault);
	}
	memory_free(i);
	memory_free(identity.text);
	return done;
}

/* ---- loading: nothing of the file is believed ---- */

static bool damaged(const char *path, const char *where, struct fault *fault)
{
	return fault_set(fault, "%s: damaged in its %s; save it again", path, where);
}

/* The next line without its end, cut off where it is long.  False: it has no end. */
static bool get_line(struct image *i, char *line, size_t room)
{
	size_t length = 0;
	char c = 0;

	while (get(i, &c, 1) && c != '\n')
		if (length + 1 < room)
			line[length++] = isprint((unsigned char)c) ? c : '?';
	line[length] = 0;
	return c == '\n';
}

/* The value of a line "key = value" if it has this key, else NULL. */
static const char *value_in(const char *line, const char *key, size_t length)
{
	return !strncmp(line, key, length) && !strncmp(line + length, " = ", 3) ? line + length + 3 : NULL;
}

/* The first line that is another one names the key and both values. */
static bool same_line(const char *kept, const char *wanted, const char *path, struct fault *fault)
{
	size_t key = strcspn(wanted, " "), length = strcspn(wanted, "\n");
	const char *value = value_in(kept, wanted, key);

	if (strlen(kept) == length && !strncmp(kept, wanted, length))
		return true;
	if (!value)
		return fault_set(fault, "%s: kept by another version of ssd, or damaged: it has no %.*s",
			path, (int)key, wanted);
	if (!strncmp(wanted, "workload ", 9))
		return fault_set(fault,
			"%s: prepared for another workload, which reads other pages; make one for this workload, or "
			"for any, with precondition.mode = \"fill\" or precondition.premap = \"none\"",
			path);
	return fault_set(fault, "%s: another drive was saved: its %.*s is %.100s, here it is %.*s", path,
		(int)key, wanted, value, (int)(length - key - 3), wanted + key + 3);
}

static bool check_head(struct image *i, const struct drive *d, const char *path, struct fault *fault)
{
	struct identity identity = identity_of(d);
	char line[1024];
	bool same = (get_line(i, line, sizeof line) && !strcmp(line, MAGIC)) ||
		    fault_set(fault,
			    "%s: not a saved drive of this version (make one with ssd run --save-drive FILE)",
			    path);

	for (const char *at = identity.text; same && *at; at += strcspn(at, "\n") + 1)
		same = get_line(i, line, sizeof line) ? same_line(line, at, path, fault)
						      : damaged(path, TOO_SHORT, fault);
	memory_free(identity.text);
	return same && ((get_line(i, line, sizeof line) && !*line) || damaged(path, "head", fault));
}

static bool load_regions(struct image *i, struct drive *d, const char *path, struct fault *fault)
{
	struct regions *r = &i->regions;
	uint64_t sum = 0;

	visit_drive(d, r);
	regions_require(r, fread(&sum, sizeof sum, 1, i->file) == 1, TOO_SHORT);
	regions_require(r, sum == i->sum, "checksum");
	regions_require(r, fgetc(i->file) == EOF, "end: something follows it");
	return !r->broken || damaged(path, r->broken, fault);
}

/* What the other side of the pipe says, up to a length. */
static void read_words(int from, char *words, size_t room)
{
	size_t length = 0;
	ssize_t n;

	while (length + 1 < room && (n = read(from, words + length, room - 1 - length)) > 0)
		length += (size_t)n;
	words[length] = 0;
}

/* The words of "ssd: BUG in FILE:LINE: words". */
static const char *words_of_bug(char *line)
{
	char *at = strstr(line, ": BUG in ");

	line[strcspn(line, "\n")] = 0;
	at = at ? strstr(at + 2, ": ") : NULL;
	return at ? at + 2 : "structure";
}

static _Noreturn void check_and_exit(struct drive *d, int words)
{
	static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };

	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		signal(fatal[i], SIG_DFL);
	dup2(words, STDERR_FILENO);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	stat_list_start(&d->statistics);
	drive_check_loaded(d);
	_exit(0);
}

/*
 * The drive's own check ends the process at the first thing that is wrong, as it should where that is a bug of ours.
 * Here the file is to blame: the check runs in a process of its own, on a copy of the drive, and its last words are
 * what is reported.
 */
static bool check_apart(struct drive *d, const char *path, struct fault *fault)
{
	char words[256];
	int ends[2], status = 0;
	pid_t child = -1;

	if (!pipe(ends) && !(child = fork()))
		check_and_exit(d, ends[1]);
	if (child < 0)
		return fault_set(fault, "%s: cannot be checked: %s", path, strerror(errno));
	close(ends[1]);
	read_words(ends[0], words, sizeof words);
	close(ends[0]);
	waitpid(child, &status, 0);
	return !status || damaged(path, words_of_bug(words), fault);
}

bool image_load(struct drive *d, const char *path, struct fault *fault)
{
	FILE *file = fopen(path, "rb");
	struct image *i;
	bool done;

	if (!file)
		return fault_set(fault, "%s: cannot be read: %s", path, strerror(errno));
	i = image_create(file, read_region);
	done = check_head(i, d, path, fault) && load_regions(i, d, path, fault) &&
	       check_apart(d, path, fault);
	memory_free(i);
	fclose(file);
	return done;
}
