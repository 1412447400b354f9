#include "parameters/expand.h"

#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (1u << 20) /* of a file, and of all together */
#define INCLUDE_DEPTH  10
#define FILES_MAX      100  /* a file counts as often as it is included */
#define SETTINGS_MAX   5000 /* libconfig compares each name with all others */

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* A text being expanded: the next character, and where it stands. */
struct cursor {
	const char *at;
	struct place place;
	int depth; /* of includes */
};

static bool expand(struct expansion *, struct cursor *, struct fault *);

static bool at_line_start(const struct expansion *e)
{
	return !e->used || e->text[e->used - 1] == '\n';
}

/* Appends characters that stand at the place, and keeps `places` one entry per line. */
static void expand_put(struct expansion *e, const char *text, size_t length, struct place *place)
{
	e->text = memory_grown(e->text, &e->room, e->used + (uint32_t)length + 1, 1, "parameter file");
	for (size_t i = 0; i < length; i++) {
		if (at_line_start(e)) {
			e->places = memory_grown(
				e->places, &e->line_room, e->lines + 1, sizeof *place, "parameter file");
			e->places[e->lines++] = *place;
		}
		e->text[e->used++] = text[i];
		place->line += text[i] == '\n';
	}
	e->text[e->used] = '\0';
}

/* Copies the next `length` characters. */
static void expand_copy(struct expansion *e, struct cursor *c, size_t length)
{
	expand_put(e, c->at, length, &c->place);
	c->at += length;
}

/* ---- numbers ---- */

static bool is_number(const char *at)
{
	return isdigit((unsigned char)at[*at == '.']);
}

/* Copies a number, without its sign, and gives it the suffix L if it is a whole one that has none.  A
 * malformed number is copied as it is: libconfig reports it. */
static bool expand_number(struct expansion *e, struct cursor *c, struct fault *fault)
{
	const char *start = c->at;
	bool hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
	size_t length = strspn(start, hex ? DIGITS "abcdefABCDEFxX" : DIGITS);

	if (start[length] && strchr(".eE", start[length])) {
		expand_copy(e, c, length + strspn(start + length, DIGITS ".eE+-"));
		return true;
	}
	errno = 0;
	strtoll(start, NULL, hex ? 16 : 10);
	if (errno == ERANGE)
		return fault_set(fault, "%.200s:%u: the number %.*s is too large; the largest is %lld",
			c->place.file, c->place.line, (int)(length < 40 ? length : 40), start,
			(long long)INT64_MAX);
	expand_copy(e, c, length);
	if (!isalnum((unsigned char)*c->at))
		expand_put(e, "L", 1, &c->place);
	expand_copy(e, c, strspn(c->at, "L"));
	return true;
}

/* ---- included files ---- */

/* Reads a whole file.  NULL and the reason if that fails. */
static char *read_whole(const char *path, bool included, struct fault *reason)
{
	FILE *stream = (included ? file_open : file_open_given)(path, reason);
	char *text;
	size_t bytes;
	int error;

	if (!stream)
		return NULL;
	text = memory_array(FILE_BYTES_MAX + 2, 1, "parameter file");
	errno = 0;
	bytes = fread(text, 1, FILE_BYTES_MAX + 1, stream);
	error = ferror(stream) ? errno : 0;
	fclose(stream);
	if (!error && bytes <= FILE_BYTES_MAX && !memchr(text, '\0', bytes))
		return text;
	if (error)
		fault_set(reason, "%s", strerror(error));
	else if (memchr(text, '\0', bytes))
		fault_set(reason, "it holds binary data, not text");
	else
		fault_set(reason, "it is larger than any parameter file (%u bytes)", FILE_BYTES_MAX);
	memory_free(text);
	return NULL;
}

/* The same, if it is not too much together with the files before. */
static char *expand_read(struct expansion *e, const char *path, bool included, struct fault *reason)
{
	char *text = read_whole(path, included, reason);

	if (!text || (e->bytes += (uint32_t)strlen(text)) <= FILE_BYTES_MAX)
		return text;
	fault_set(reason, "the parameters would be more than %u bytes in all", FILE_BYTES_MAX);
	memory_free(text);
	return NULL;
}

/* Keeps a copy of the name for as long as the expansion lives. */
static const char *keep_name(struct expansion *e, const char *name)
{
	e->files = memory_grown(e->files, &e->file_room, e->file_count + 1, sizeof *e->files, "file names");
	return e->files[e->file_count++] = memory_string(name, "file names");
}

/* Expands the file; `from`: the line that includes it, without a name if there is none. */
static bool expand_whole(
	struct expansion *e, const char *path, struct place from, int depth, struct fault *fault)
{
	struct fault reason;
	char *text = expand_read(e, path, from.file != NULL, &reason);
	bool good;

	if (!text && from.file)
		return fault_set(fault, "%.200s:%u: cannot include \"%.200s\": %s", from.file, from.line,
			path, reason.text);
	if (!text)
		return fault_set(fault, "cannot read the parameter file \"%.200s\": %s", path, reason.text);
	good = expand(e, &(struct cursor){ text, { keep_name(e, path), 1 }, depth }, fault);
	memory_free(text);
	return good;
}

/* Length of a line `@include "name"` up to its second quote, and where the name is; 0: no such line. */
static size_t include_at(const char *at, const char **name, size_t *length)
{
	const char *word = at + strspn(at, " \t"), *quote;

	if (strncmp(word, "@include", 8))
		return 0;
	quote = word + 8 + strspn(word + 8, " \t");
	if (quote == word + 8 || *quote != '"')
		return 0;
	*name = quote + 1;
	*length = strcspn(*name, "\"\n");
	return (*name)[*length] == '"' ? (size_t)(*name + *length + 1 - at) : 0;
}

/* Replaces an include line by its file, named relative to the folder of the including file.  The file
 * begins and ends on lines of its own, so that every line belongs to one file. */
static bool expand_include(
	struct expansion *e, const struct cursor *c, const char *name, size_t length, struct fault *fault)
{
	const char *includer = c->place.file, *slash = strrchr(includer, '/');
	size_t folder = slash && *name != '/' ? (size_t)(slash - includer) + 1 : 0;
	char *path;
	bool good;

	if (e->in_memory)
		return fault_set(fault, "%.200s:%u: @include needs a parameter file to be beside of",
			includer, c->place.line);
	if (c->depth == INCLUDE_DEPTH)
		return fault_set(fault, "%.200s:%u: included files are nested deeper than %d", includer,
			c->place.line, INCLUDE_DEPTH);
	if (e->file_count == FILES_MAX)
		return fault_set(fault,
			"%.200s:%u: the parameters are spread over more than %d files, each as often as it "
			"is included",
			includer, c->place.line, FILES_MAX);
	path = memory_array(folder + length + 1, 1, "file names");
	memcpy(path, includer, folder);
	memcpy(path + folder, name, length);
	good = expand_whole(e, path, c->place, c->depth + 1, fault);
	memory_free(path);
	return good;
}

/* ---- the text ---- */

/* Length of what is copied as it stands: a string, a comment, a name, or any other character.  0: it has
 * no end. */
static size_t token_length(const char *at)
{
	const char *end = at + 1;

	if (!strncmp(at, "/*", 2)) {
		end = strstr(at + 2, "*/");
		return end ? (size_t)(end + 2 - at) : 0;
	}
	if (*at == '#' || !strncmp(at, "//", 2))
		return strcspn(at, "\n");
	if (isalpha((unsigned char)*at) || *at == '*')
		return strspn(at, LETTERS DIGITS "-_*");
	if (*at == '"') {
		while (*end && *end != '"')
			end += 1 + (*end == '\\' && end[1]);
		return *end ? (size_t)(end + 1 - at) : 0;
	}
	return 1;
}

/* Counts a name followed by = or :. */
static bool expand_setting(struct expansion *e, const struct cursor *c, struct fault *fault)
{
	return e->settings++ < SETTINGS_MAX ||
	       fault_set(fault,
		       "%.200s:%u: there are more than %d settings, which no drive and no profile has",
		       c->place.file, c->place.line, SETTINGS_MAX);
}

/* Ends with a newline. */
static bool expand(struct expansion *e, struct cursor *c, struct fault *fault)
{
	const char *name;
	size_t length, name_length;

	while (*c->at)
		if (at_line_start(e) && (length = include_at(c->at, &name, &name_length))) {
			if (!expand_include(e, c, name, name_length, fault))
				return false;
			c->at += length;
		} else if (is_number(c->at)) {
			if (!expand_number(e, c, fault))
				return false;
		} else if ((length = token_length(c->at))) {
			if ((*c->at == '=' || *c->at == ':') && !expand_setting(e, c, fault))
				return false;
			expand_copy(e, c, length);
		} else {
			return fault_set(fault,
				"%.200s:%u: this %s is not finished before the end of the file",
				c->place.file, c->place.line, *c->at == '"' ? "text" : "comment");
		}
	if (!e->used || !at_line_start(e))
		expand_put(e, "\n", 1, &c->place);
	return true;
}

bool expand_file(struct expansion *e, const char *path, struct fault *fault)
{
	*e = (struct expansion){ .in_memory = false };
	return expand_whole(e, path, (struct place){ NULL, 0 }, 0, fault);
}

bool expand_text(struct expansion *e, const char *text, const char *name, struct fault *fault)
{
	*e = (struct expansion){ .in_memory = true };
	return expand(e, &(struct cursor){ text, { keep_name(e, name), 1 }, 0 }, fault);
}

void expansion_release(struct expansion *e)
{
	for (size_t i = 0; i < e->file_count; i++)
		memory_free(e->files[i]);
	memory_free(e->files);
	memory_free(e->places);
	memory_free(e->text);
}

struct place expansion_place(const struct expansion *e, unsigned line)
{
	return e->places[(line < 1 ? 1 : line > e->lines ? e->lines : line) - 1];
}
