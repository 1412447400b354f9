/* oracleGeneral, the binary format of libCacheSim's traces, little-endian:
 *
 *	time[s] u32, object u64, bytes u32, number of the object's next request i64 (-1: none)
 *
 * In its traces of disks an object is a first sector.  It has no types: all requests are reads. */
#include "traces/format.h"
#include "traces/writer.h"

#include "base/hash.h"

#define OBJECTS_BYTES 24
#define OBJECTS_MOST  (1ull << 40) /* requests */

enum parsed objects_parse(struct scan *s, struct record *r)
{
	const char *at = s->at;
	uint64_t bytes = little_endian(at + 12, 4), next = little_endian(at + 16, 8);

	/* Programs count requests from 0 or from 1. */
	if (next != UINT64_MAX && next != INT64_MAX && (next < s->line || next > OBJECTS_MOST)) {
		scan_describe(s, "next request %" PRIi64 " is not behind this one", (int64_t)next);
		return PARSED_BAD;
	}
	r->time = little_endian(at, 4) * s->unit_ns;
	r->type = REQUEST_READ;
	r->device = 0;
	if (!bytes)
		return PARSED_OTHER;
	return scan_place(s, r, little_endian(at + 4, 8), SECTOR_BYTES, bytes, 1) ? PARSED_RECORD
										  : PARSED_BAD;
}

/* ---- writing ---- */

struct objects_record {
	uint64_t object, next;
	uint32_t time, bytes;
};

/* An object and its last request so far. */
struct objects_object {
	uint64_t object;
	uint32_t hash, link, last;
};

/* All requests: each has the number of the next one for its object. */
struct objects {
	struct objects_record *record;
	struct objects_object *object;
	uint32_t records, records_room, objects, objects_room;
	struct hash index;
};

struct objects *objects_create(void)
{
	struct objects *o = memory_array(1, sizeof *o, "requests");

	o->index = hash_create(0, "requests");
	return o;
}

void objects_free(struct objects *o)
{
	if (!o)
		return;
	memory_free(o->record);
	memory_free(o->object);
	hash_free(&o->index);
	memory_free(o);
}

static uint32_t objects_find(const struct objects *o, uint64_t object, uint32_t hash)
{
	struct hashed known = HASHED(o->object, hash, link);
	uint32_t i = hash_find(&o->index, known, hash);

	while (i != INDEX_NONE && o->object[i].object != object)
		i = hash_find_next(known, i);
	return i;
}

bool objects_add(struct objects *o, const struct request *r, struct fault *fault)
{
	uint64_t seconds = r->arrival / 1000000000, bytes = (uint64_t)r->sectors * SECTOR_BYTES;
	uint32_t hash = (uint32_t)(r->start * 0x9e3779b97f4a7c15u >> 32), i = objects_find(o, r->start, hash);

	if (seconds > UINT32_MAX || bytes > UINT32_MAX || o->records == UINT32_MAX - 1)
		return fault_set(fault,
			"request %" PRIu64 " is too late, too large or one too many for format "
			"oracleGeneral",
			r->line);
	if (i == INDEX_NONE) {
		i = o->objects++;
		o->object =
			memory_grown(o->object, &o->objects_room, o->objects, sizeof *o->object, "requests");
		o->object[i] = (struct objects_object){ .object = r->start, .hash = hash };
		hash_add(&o->index, HASHED(o->object, hash, link), i);
	} else {
		o->record[o->object[i].last].next = o->records;
	}
	o->object[i].last = o->records;
	o->record = memory_grown(o->record, &o->records_room, o->records + 1, sizeof *o->record, "requests");
	o->record[o->records++] = (struct objects_record){
		.object = r->start, .next = UINT64_MAX, .time = (uint32_t)seconds, .bytes = (uint32_t)bytes
	};
	return true;
}

static char *objects_put(char *at, uint64_t value, unsigned bytes)
{
	for (; bytes--; value >>= 8)
		*at++ = (char)value;
	return at;
}

void objects_write(const struct objects *o, FILE *out)
{
	for (uint32_t i = 0; i < o->records; i++) {
		const struct objects_record *record = &o->record[i];
		char bytes[OBJECTS_BYTES], *at = bytes;

		at = objects_put(at, record->time, 4);
		at = objects_put(at, record->object, 8);
		at = objects_put(at, record->bytes, 4);
		objects_put(at, record->next, 8);
		fwrite(bytes, 1, sizeof bytes, out);
	}
}
