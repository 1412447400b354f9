/* Files of state (drive/prepare/state_file.h): what is saved is loaded, and what is damaged is refused. */
#include "drive/prepare/image.h"
#include "drive/prepare/state_file.h"
#include "tests/drive_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

struct number {
	uint64_t value;
};

static const struct state_row number_state[] = {
	STATE_NUMBER(struct number, value),
	{ 0 },
};

enum { CHUNK = 65536 };

/* Less than a chunk; a few chunks and many, each with a partial one. */
struct areas {
	unsigned char small[5], middle[3 * CHUNK + 7], large[163 * CHUNK + 11];
};

static const struct state_row areas_state[] = {
	STATE_NUMBER(struct areas, small),
	STATE_NUMBER(struct areas, middle),
	STATE_NUMBER(struct areas, large),
	STATE_NUMBER(struct areas, small),
	{ 0 },
};

/* Bytes that depend on their place; every third chunk is zero. */
static void fill_area(unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = i / CHUNK % 3 == 1 ? 0 : (unsigned char)(i * 31 + i / CHUNK * 7 + 1);
}

static bool load_areas(struct areas *to, const char *path, struct fault *fault)
{
	struct state_file k = { "magic", "areas", "make one", .rows = areas_state, .owner = to };
	bool done;

	state_file_add(&k, "key", "value");
	done = state_file_load(&k, path, fault);
	state_file_release(&k);
	return done;
}

/* Everything is loaded into its place, whatever was there; a file cut short anywhere is refused. */
static void test_areas_of_every_size(void **state)
{
	struct areas *from = calloc(1, sizeof *from), *to = calloc(1, sizeof *to);
	struct state_file k = { "magic", "areas", "make one", .rows = areas_state, .owner = from };
	char path[] = "/tmp/ssdlab-state-XXXXXX";
	struct fault fault = { "" };
	struct stat status;

	(void)state;
	close(mkstemp(path));
	fill_area(from->small, sizeof from->small);
	fill_area(from->middle, sizeof from->middle);
	fill_area(from->large, sizeof from->large);
	state_file_add(&k, "key", "value");
	assert_true(state_file_save(&k, path, &fault));
	state_file_release(&k);
	for (int before = 0; before < 256; before += 165) {
		memset(to, before, sizeof *to);
		assert_true(load_areas(to, path, &fault));
		assert_memory_equal(to, from, sizeof *to);
	}
	assert_int_equal(stat(path, &status), 0);
	for (off_t length = status.st_size - 1; length > CHUNK; length -= length / 5) {
		assert_int_equal(truncate(path, length), 0);
		assert_false(load_areas(to, path, &fault));
		assert_non_null(strstr(fault.text, "damaged"));
	}
	unlink(path);
	free(from);
	free(to);
}

/* ---- a small saved drive ---- */

#define SMALL                                                                                                \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=8 flash.pages=4 "           \
	"flash.page_bytes=2K flash.over_provisioning=0.5"

/* Its bytes, and a fresh drive of the same settings. */
struct saved {
	struct settings settings;
	struct drive *fresh;
	unsigned char *bytes;
	size_t size;
	char path[TEMPORARY_PATH];
};

static struct drive *small_drive(const struct settings *s)
{
	struct fault fault = { "" };
	struct drive *d = drive_create(s, true, &fault);

	if (!d)
		fail_msg("%s", fault.text);
	return d;
}

static void save_small(struct saved *s)
{
	struct fault fault = { "" };
	struct drive *d;
	struct stat status;
	FILE *file;

	fixture_settings(&s->settings, SMALL);
	d = small_drive(&s->settings);
	for (sector_t at = 0; at < 40; at += 7)
		assert_true(drive_place(d, (struct extent){ at, at + 5 }));
	temporary_path(s->path);
	assert_true(image_save(d, s->path, &fault));
	drive_free(d);
	assert_int_equal(stat(s->path, &status), 0);
	s->size = (size_t)status.st_size;
	s->bytes = memory_array(s->size, 1, "saved drive");
	file = fopen(s->path, "rb");
	assert_int_equal(fread(s->bytes, 1, s->size, file), s->size);
	fclose(file);
	s->fresh = small_drive(&s->settings);
}

static void release_saved(struct saved *s)
{
	unlink(s->path);
	memory_free(s->bytes);
	drive_free(s->fresh);
	settings_release(&s->settings);
}

/* In one line that names the file. */
static void assert_refused(const struct saved *s, const char *what, size_t at)
{
	struct fault fault = { "" };

	if (image_load(s->fresh, s->path, &fault))
		fail_msg("%s %zu of %zu: loaded", what, at, s->size);
	if (strncmp(fault.text, s->path, strlen(s->path)) || strchr(fault.text, '\n'))
		fail_msg("%s %zu of %zu: refused with \"%s\"", what, at, s->size, fault.text);
}

static void put_byte(int file, size_t at, int byte)
{
	unsigned char value = (unsigned char)byte;

	assert_int_equal(pwrite(file, &value, 1, (off_t)at), 1);
}

/* One bit in every byte of the file.  What is refused has not touched the drive: the file as it was is then
 * loaded, and every sector read. */
static void test_every_damaged_byte_is_found(void **state)
{
	struct fault fault = { "" };
	struct saved s;
	int file;

	(void)state;
	save_small(&s);
	file = open(s.path, O_WRONLY);
	for (size_t at = 0; at < s.size; at++) {
		put_byte(file, at, s.bytes[at] ^ 1 << at % 8);
		assert_refused(&s, "flipped bit in byte", at);
		put_byte(file, at, s.bytes[at]);
	}
	close(file);
	if (!image_load(s.fresh, s.path, &fault))
		fail_msg("%s", fault.text);
	stat_list_start(&s.fresh->statistics);
	drive_check_sectors(s.fresh);
	release_saved(&s);
}

static void test_a_file_of_another_length_is_refused(void **state)
{
	struct saved s;

	(void)state;
	save_small(&s);
	assert_int_equal(truncate(s.path, (off_t)s.size + 1), 0);
	assert_refused(&s, "longer than", s.size);
	for (size_t length = s.size; length--;) {
		assert_int_equal(truncate(s.path, (off_t)length), 0);
		assert_refused(&s, "cut to", length);
	}
	release_saved(&s);
}

/* Saved by a program whose rows differ. */
static void test_another_layout_is_refused(void **state)
{
	static const struct state_row other[] = { STATE_OP(struct number, value), { 0 } };
	struct number n = { 12 };
	struct state_file k = { "magic", "number", "make one", .rows = number_state, .owner = &n };
	struct fault fault = { "" };
	char path[TEMPORARY_PATH], expected[TEMPORARY_PATH + 64];

	(void)state;
	temporary_path(path);
	state_file_add_layout(&k);
	assert_true(state_file_save(&k, path, &fault));
	n.value = 0;
	assert_true(state_file_load(&k, path, &fault));
	assert_int_equal(n.value, 12);
	k.length = 0;
	k.rows = other;
	state_file_add_layout(&k);
	assert_false(state_file_load(&k, path, &fault));
	snprintf(expected, sizeof expected, "%s: saved by another version of ssd; make one", path);
	assert_string_equal(fault.text, expected);
	state_file_release(&k);
	unlink(path);
}

/* A device may never end, a pipe never begin, and a file may have no line at all. */
static void test_what_does_not_end_is_refused(void **state)
{
	char folder[] = "/tmp/ssdlab-state-XXXXXX", name[64];
	struct state_file k = { "magic", "number", "make one", .rows = number_state };
	struct fault fault = { "" };
	int hole;

	(void)state;
	assert_false(state_file_load(&k, "/dev/zero", &fault));
	assert_string_equal(fault.text, "/dev/zero: should be a file, as a number is saved in one");
	snprintf(name, sizeof name, "%s/file", mkdtemp(folder));
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_false(state_file_load(&k, name, &fault));
	assert_non_null(strstr(fault.text, "should be a file"));
	unlink(name);
	hole = open(name, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(ftruncate(hole, (off_t)1 << 40), 0);
	close(hole);
	assert_false(state_file_load(&k, name, &fault));
	assert_non_null(strstr(fault.text, "not a saved number of this version"));
	unlink(name);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_areas_of_every_size),
		cmocka_unit_test(test_every_damaged_byte_is_found),
		cmocka_unit_test(test_a_file_of_another_length_is_refused),
		cmocka_unit_test(test_another_layout_is_refused),
		cmocka_unit_test(test_what_does_not_end_is_refused),
	};

	return cmocka_run_group_tests_name("files of state", tests, NULL, NULL);
}
