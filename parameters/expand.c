#include "parameters/expand.h"

#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (1u << 20)
#define INCLUDE_DEPTH  10
#define FILES_MAX      100 /* a file counts as often as it is included */

/* A file being copied into the expansion. */
struct cursor {
	const char *at;     /* next character; the text ends with a newline and a NUL */
	struct place place; /* of that character */
	int depth;
};

static bool copy_text(struct expansion *, struct cursor *, struct fault *);

/* Every byte of the text comes through here: it keeps `places` one entry per line. */
static void put(struct expansion *expansion, char c, struct place place)
{
	bool first = expansion->used == 0 || expansion->text[expansion->used - 1] == '\n';

	expansion->text =
		memory_grown(expansion->text, &expansion->room, expansion->used + 2, 1, "parameter file");
	expansion->text[expansion->used++] = c;
	expansion->text[expansion->used] = '\0';
	if (!first)
		return;
	expansion->places = memory_grown(expansion->places, &expansion->line_room, expansion->lines + 1,
		sizeof place, "parameter file");
	expansion->places[expansion->lines++] = place;
}

static void copy(struct expansion *expansion, struct cursor *cursor)
{
	put(expansion, *cursor->at, cursor->place);
	if (*cursor->at++ == '\n')
		cursor->place.line++;
}

static void copy_while(struct expansion *expansion, struct cursor *cursor, const char *set)
{
	while (*cursor->at && strchr(set, *cursor->at))
		copy(expansion, cursor);
}

static bool unfinished(struct place start, const char *what, struct fault *fault)
{
	return fault_set(fault, "%.200s:%u: this %s is not finished before the end of the file", start.file,
		start.line, what);
}

static bool copy_string(struct expansion *expansion, struct cursor *cursor, struct fault *fault)
{
	struct place start = cursor->place;

	copy(expansion, cursor);
	while (*cursor->at && *cursor->at != '"') {
		if (*cursor->at == '\\')
			copy(expansion, cursor);
		if (*cursor->at)
			copy(expansion, cursor);
	}
	if (!*cursor->at)
		return unfinished(start, "text", fault);
	copy(expansion, cursor);
	return true;
}

static bool copy_block_comment(struct expansion *expansion, struct cursor *cursor, struct fault *fault)
{
	struct place start = cursor->place;

	copy(expansion, cursor);
	copy(expansion, cursor);
	while (*cursor->at && strncmp(cursor->at, "*/", 2) != 0)
		copy(expansion, cursor);
	if (!*cursor->at)
		return unfinished(start, "comment", fault);
	copy(expansion, cursor);
	copy(expansion, cursor);
	return true;
}

static void copy_line_comment(struct expansion *expansion, struct cursor *cursor)
{
	while (*cursor->at != '\n')
		copy(expansion, cursor);
}

static bool number_fits(const char *start, int base)
{
	errno = 0;
	strtoll(start, NULL, base);
	return errno != ERANGE;
}

/* Copies a number, without its sign, and gives it the suffix L when it is a whole one that has none.  What is
 * no well-formed number is copied as it is: libconfig will say so. */
static bool copy_number(struct expansion *expansion, struct cursor *cursor, struct fault *fault)
{
	const char *start = cursor->at;
	struct place place = cursor->place;
	bool hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');

	copy_while(expansion, cursor, hex ? "0123456789abcdefABCDEFxX" : "0123456789");
	if (*cursor->at == '.' || *cursor->at == 'e' || *cursor->at == 'E') {
		copy_while(expansion, cursor, "0123456789.eE+-");
		return true;
	}
	if (!number_fits(start, hex ? 16 : 10))
		return fault_set(fault, "%.200s:%u: the number %.*s is too large; the largest is %lld",
			place.file, place.line, (int)(cursor->at - start < 40 ? cursor->at - start : 40),
			start, (long long)INT64_MAX);
	if (!isalnum((unsigned char)*cursor->at))
		put(expansion, 'L', place);
	copy_while(expansion, cursor, "L");
	return true;
}

static bool starts_number(const char *at)
{
	return isdigit((unsigned char)at[*at == '.']);
}

/* The whole of a file, ended by a newline.  NULL and the reason if that cannot be had. */
static char *read_whole(const char *path, struct fault *reason)
{
	FILE *stream = fopen(path, "rb");
	char *text;
	size_t bytes;
	int error;

	if (!stream) {
		fault_set(reason, "%s", strerror(errno));
		return NULL;
	}
	text = memory_array(FILE_BYTES_MAX + 2, 1, "parameter file");
	errno = 0;
	bytes = fread(text, 1, FILE_BYTES_MAX + 1, stream);
	error = ferror(stream) ? errno : 0;
	fclose(stream);
	if (error)
		fault_set(reason, "%s", strerror(error));
	else if (memchr(text, '\0', bytes))
		fault_set(reason, "it holds binary data, not text");
	else if (bytes > FILE_BYTES_MAX)
		fault_set(reason, "it is larger than any parameter file (%u bytes)", FILE_BYTES_MAX);
	else {
		text[bytes] = '\n';
		return text;
	}
	memory_free(text);
	return NULL;
}

/* Keeps a copy of the name for as long as the expansion lives. */
static const char *keep_name(struct expansion *expansion, const char *name)
{
	expansion->files = memory_resize(
		expansion->files, expansion->file_count + 1, sizeof *expansion->files, "file names");
	expansion->files[expansion->file_count] = memory_string(name, "file names");
	return expansion->files[expansion->file_count++];
}

/* `name` as seen from the folder of `includer`. */
static char *beside(const char *includer, const char *name)
{
	const char *slash = strrchr(includer, '/');
	size_t folder = slash && *name != '/' ? (size_t)(slash - includer) + 1 : 0;
	size_t room = folder + strlen(name) + 1;
	char *path = memory_array(room, 1, "file names");

	snprintf(path, room, "%.*s%s", (int)folder, includer, name);
	return path;
}

static bool copy_file(
	struct expansion *expansion, const char *path, struct place from, int depth, struct fault *fault)
{
	struct fault reason;
	char *text = read_whole(path, &reason);
	struct cursor cursor = { .at = text, .depth = depth };
	bool good;

	if (!text && from.file)
		return fault_set(fault, "%.200s:%u: cannot include \"%.200s\": %s", from.file, from.line,
			path, reason.text);
	if (!text)
		return fault_set(fault, "cannot read the parameter file \"%.200s\": %s", path, reason.text);
	cursor.place = (struct place){ keep_name(expansion, path), 1 };
	good = copy_text(expansion, &cursor, fault);
	memory_free(text);
	return good;
}

/* The name between the quotes of an include line, or NULL when the line is none. */
static char *include_name(const char *at, const char **rest)
{
	const char *start, *end;
	char *name;

	at += strspn(at, " \t");
	if (strncmp(at, "@include", 8) != 0)
		return NULL;
	start = at + 8 + strspn(at + 8, " \t");
	if (start == at + 8 || *start != '"')
		return NULL;
	end = start + 1 + strcspn(start + 1, "\"\n");
	if (*end != '"')
		return NULL;
	name = memory_array((size_t)(end - start), 1, "file names");
	memcpy(name, start + 1, (size_t)(end - start - 1));
	*rest = end + 1;
	return name;
}

/* Puts the included file in place of the `@include "name"` the cursor stands at.  It begins
 * and ends on lines of its own, so that every line belongs to one file. */
static bool copy_include(
	struct expansion *expansion, struct cursor *cursor, const char *name, struct fault *fault)
{
	struct place here = cursor->place;
	char *path;
	bool good;

	if (expansion->in_memory)
		return fault_set(fault, "%.200s:%u: @include needs a parameter file to be beside of",
			here.file, here.line);
	if (cursor->depth == INCLUDE_DEPTH)
		return fault_set(fault, "%.200s:%u: included files are nested deeper than %d", here.file,
			here.line, INCLUDE_DEPTH);
	if (expansion->file_count == FILES_MAX)
		return fault_set(fault,
			"%.200s:%u: the parameters are spread over more than %d files, each as often as "
			"it is included",
			here.file, here.line, FILES_MAX);
	path = beside(here.file, name);
	good = copy_file(expansion, path, here, cursor->depth + 1, fault);
	memory_free(path);
	return good;
}

static bool copy_token(struct expansion *expansion, struct cursor *cursor, struct fault *fault)
{
	const char *at = cursor->at;

	if (*at == '"')
		return copy_string(expansion, cursor, fault);
	if (strncmp(at, "/*", 2) == 0)
		return copy_block_comment(expansion, cursor, fault);
	if (starts_number(at))
		return copy_number(expansion, cursor, fault);
	if (*at == '#' || strncmp(at, "//", 2) == 0)
		copy_line_comment(expansion, cursor);
	else if (isalpha((unsigned char)*at) || *at == '*')
		while (isalnum((unsigned char)*cursor->at) || (*cursor->at && strchr("-_*", *cursor->at)))
			copy(expansion, cursor);
	else
		copy(expansion, cursor);
	return true;
}

static bool copy_text(struct expansion *expansion, struct cursor *cursor, struct fault *fault)
{
	bool good = true;

	while (good && *cursor->at) {
		bool first = expansion->used == 0 || expansion->text[expansion->used - 1] == '\n';
		char *name = first ? include_name(cursor->at, &cursor->at) : NULL;

		if (name)
			good = copy_include(expansion, cursor, name, fault);
		else
			good = copy_token(expansion, cursor, fault);
		memory_free(name);
	}
	return good;
}

bool expand_file(struct expansion *expansion, const char *path, struct fault *fault)
{
	*expansion = (struct expansion){ 0 };
	if (copy_file(expansion, path, (struct place){ 0 }, 0, fault))
		return true;
	expansion_release(expansion);
	return false;
}

bool expand_text(struct expansion *expansion, const char *text, const char *name, struct fault *fault)
{
	size_t bytes = strlen(text);
	char *ended = memory_array(bytes + 2, 1, "parameter text");
	struct cursor cursor = { .at = ended };
	bool good;

	memcpy(ended, text, bytes);
	ended[bytes] = '\n';
	*expansion = (struct expansion){ .in_memory = true };
	cursor.place = (struct place){ keep_name(expansion, name), 1 };
	good = copy_text(expansion, &cursor, fault);
	memory_free(ended);
	if (!good)
		expansion_release(expansion);
	return good;
}

void expansion_release(struct expansion *expansion)
{
	for (size_t i = 0; i < expansion->file_count; i++)
		memory_free(expansion->files[i]);
	memory_free(expansion->files);
	memory_free(expansion->places);
	memory_free(expansion->text);
	*expansion = (struct expansion){ 0 };
}

struct place expansion_place(const struct expansion *expansion, unsigned line)
{
	size_t last = expansion->lines;

	return expansion->places[(line < 1 ? 1 : line > last ? last : line) - 1];
}
