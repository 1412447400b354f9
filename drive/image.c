#include "drive/image.h"

#include "base/memory.h"
#include "stats/output.h"

#include <errno.h>
#include <string.h>

#define MAGIC       "ssdlab drive 2\n"
#define CHUNK_BYTES 65536u

/* Visits the drive's regions with a file: out of them or into them. */
struct image {
	struct regions regions; /* first: the visitor is found through it */
	FILE *file;
	uint64_t checksum;
	const char *trouble; /* what stopped the loading, NULL so far */
	unsigned char chunk[CHUNK_BYTES];
};

/* Every setting that the saved state depends on, as text: compared before anything is loaded. */
static void describe(const struct drive *d, char *text, size_t size)
{
	const struct geometry *g = &d->geometry;
	const struct ftl_settings *s = &d->settings->ftl;
	char own[120] = "";

	if (d->ftl->ops->describe)
		d->ftl->ops->describe(d->ftl, own, sizeof own);
	snprintf(text, size,
		"ftl %s%s, %u channels, %u chips, %u dies, %u planes, %u blocks, %u pages of %u bytes, %u "
		"logical pages, gc %s%s, wear.dynamic %d, verification %s\n",
		d->ftl->ops->name, own, g->channels, g->chips_per_channel, g->dies_per_chip,
		g->planes_per_die, g->blocks_per_plane, g->pages_per_block, g->page_bytes, g->logical_pages,
		gc_policies[s->gc.policy]->name, s->gc.separate ? " separate" : "", s->wear.dynamic,
		d->oracle ? "on" : "off");
}

/* FNV-1a over 8-byte words; the length of a region is part of what is summed. */
static void sum(struct image *i, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;
	uint64_t word;

	i->checksum = (i->checksum ^ size) * 0x100000001b3u;
	for (; size >= sizeof word; p += sizeof word, size -= sizeof word) {
		memcpy(&word, p, sizeof word);
		i->checksum = (i->checksum ^ word) * 0x100000001b3u;
		i->checksum ^= i->checksum >> 29;
	}
	for (; size; size--)
		i->checksum = (i->checksum ^ *p++) * 0x100000001b3u;
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

	while (size) {
		size_t part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
		bool zero = all_zero(at, part);

		fputc(zero ? '0' : '1', i->file);
		if (!zero)
			fwrite(at, 1, part, i->file);
		sum(i, at, zero ? 0 : part);
		at += part;
		size -= part;
	}
}

/* Chunks of zeros are left untouched: the memory of a fresh drive is zero already. */
static void read_region(struct regions *regions, void *bytes, size_t size)
{
	struct image *i = (struct image *)regions;
	unsigned char *at = bytes;

	while (size && !i->trouble) {
		size_t part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
		int tag = fgetc(i->file);

		if (tag == '1' && fread(i->chunk, 1, part, i->file) == part) {
			sum(i, i->chunk, part);
			memcpy(at, i->chunk, part);
		} else if (tag == '0') {
			sum(i, at, 0);
			if (!all_zero(at, part))
				memset(at, 0, part);
		} else {
			i->trouble = tag == EOF || tag == '1' ? "it ends too early" : "it is damaged";
		}
		at += part;
		size -= part;
	}
}

static void visit_drive(struct drive *d, struct regions *r)
{
	ftl_regions(d->ftl, r);
	host_regions(d->host, r);
	oracle_regions(d->oracle, r);
}

bool image_save(struct drive *d, const char *path, struct fault *fault)
{
	struct image *i = memory_array(1, sizeof *i, "saved drive");
	struct output out;
	char text[512];
	bool done = output_open(&out, path, fault);

	if (done) {
		describe(d, text, sizeof text);
		i->regions.visit = write_region;
		i->file = out.stream;
		fputs(MAGIC, out.stream);
		fputs(text, out.stream);
		visit_drive(d, &i->regions);
		fwrite(&i->checksum, sizeof i->checksum, 1, out.stream);
		done = output_commit(&out, fault);
	}
	memory_free(i);
	return done;
}

static bool check_head(FILE *file, const struct drive *d, const char *path, struct fault *fault)
{
	char magic[sizeof MAGIC], saved[512], wanted[512];

	if (!fgets(magic, sizeof magic, file) || strcmp(magic, MAGIC))
		return fault_set(
			fault, "%s: not a saved drive (make one with ssd run --save-drive FILE)", path);
	describe(d, wanted, sizeof wanted);
	if (!fgets(saved, sizeof saved, file))
		return fault_set(fault, "%s: damaged: it ends too early", path);
	saved[strcspn(saved, "\n")] = wanted[strcspn(wanted, "\n")] = 0;
	if (strcmp(saved, wanted))
		return fault_set(fault, "%s: another drive was saved: %.170s; this one is: %.170s", path,
			saved, wanted);
	return true;
}

static bool load_regions(struct drive *d, FILE *file, const char *path, struct fault *fault)
{
	struct image *i = memory_array(1, sizeof *i, "saved drive");
	uint64_t checksum = 0;
	bool done;

	i->regions.visit = read_region;
	i->file = file;
	visit_drive(d, &i->regions);
	if (!i->trouble && fread(&checksum, sizeof checksum, 1, file) != 1)
		i->trouble = "it ends too early";
	if (!i->trouble && checksum != i->checksum)
		i->trouble = "its checksum is wrong";
	if (!i->trouble && fgetc(file) != EOF)
		i->trouble = "something follows its end";
	if (i->trouble)
		fault_set(fault, "%s: damaged: %s; save it again", path, i->trouble);
	done = !i->trouble;
	memory_free(i);
	return done;
}

bool image_load(struct drive *d, const char *path, struct fault *fault)
{
	FILE *file = fopen(path, "rb");
	bool done;

	if (!file)
		return fault_set(fault, "%s: cannot be read: %s", path, strerror(errno));
	done = check_head(file, d, path, fault) && load_regions(d, file, path, fault);
	fclose(file);
	return done;
}
