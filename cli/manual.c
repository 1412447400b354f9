/* The manual: a page in roff's man macros for each command, from the texts that --help shows. */
#include "base/memory.h"
#include "base/version.h"
#include "cli/options.h"
#include "stats/output.h"

#include <ctype.h>
#include <string.h>

/* As it stands there; roff takes these characters for something else. */
static void put_character(FILE *out, char c)
{
	static const char special[] = "\\-`'^~";
	static const char *const name[] = { "\\e", "\\-", "\\(ga", "\\(aq", "\\(ha", "\\(ti" };
	const char *at = strchr(special, c);

	if (at)
		fputs(name[at - special], out);
	else
		putc(c, out);
}

/* `length` characters as one line; of blanks and line ends in it one is left, unless it is `kept` as it is. */
static void put_line(FILE *out, const char *text, size_t length, bool kept)
{
	if (*text == '.')
		fputs("\\&", out);
	for (size_t i = 0; i < length; i++)
		if (kept || !isspace((unsigned char)text[i]))
			put_character(out, text[i]);
		else if (i + 1 < length && !isspace((unsigned char)text[i + 1]))
			putc(' ', out);
	putc('\n', out);
}

static void put_words(FILE *out, const char *text)
{
	text += strspn(text, "\n");
	put_line(out, text, strlen(text), false);
}

/* Paragraphs; indented lines are an example. */
static void put_paragraphs(FILE *out, const char *text)
{
	bool example = false;

	for (size_t length; *text; text += length + (text[length] == '\n')) {
		bool indented = *text == ' ';

		length = strcspn(text, "\n");
		if (indented != example)
			fputs(indented ? ".EX\n" : ".EE\n", out);
		example = indented;
		if (length)
			put_line(out, text, length, example);
		else
			fputs(".PP\n", out);
	}
	if (example)
		fputs(".EE\n", out);
}

static void put_option(FILE *out, const struct option *row)
{
	char values[256] = "";

	if (!row->name && !row->letter) {
		fputs(".PP\n", out);
		put_words(out, row->help);
		return;
	}
	fputs(".TP\n\\fB", out);
	if (row->letter)
		fprintf(out, "\\-%c%s", row->letter, row->name ? "\\fR, \\fB" : "");
	if (row->name) {
		fputs("\\-\\-", out);
		for (const char *c = row->name; *c; c++)
			put_character(out, *c);
	}
	fprintf(out, "\\fR%s%s%s\n", row->value ? " \\fI" : "", row->value ? row->value : "",
		row->value ? "\\fR" : "");
	if (row->values)
		row->values(values, sizeof values);
	put_words(out, *row->help ? row->help : values);
	if (*row->help && *values)
		put_words(out, values);
}

/* "ssd-trace-stat" */
static const char *page_name(const struct command *c, char *name, size_t bytes)
{
	snprintf(name, bytes, "ssd%s%s", *c->name ? "-" : "", c->name);
	for (char *blank; (blank = strchr(name, ' '));)
		*blank = '-';
	return name;
}

static void put_heading(FILE *out, const struct command *c)
{
	char text[160];

	fputs(".TH ", out);
	for (const char *at = page_name(c, text, sizeof text); *at; at++)
		putc(toupper((unsigned char)*at), out);
	fprintf(out, " 1 \"%s\" \"ssdlab %s\" \"ssdlab\"\n.SH NAME\n", SSD_VERSION_DATE, SSD_VERSION);
	put_words(out, text);
	fputs("\\- ", out);
	put_words(out, c->brief ? c->brief : "a simulator of flash drives");
	fputs(".SH SYNOPSIS\n.B ", out);
	put_words(out, options_synopsis(c, text, sizeof text));
	fputs(".SH DESCRIPTION\n", out);
	put_paragraphs(out, c->about);
}

static void put_see_also(FILE *out, const struct command *c, const struct command *all)
{
	char name[160];
	const char *comma = "";

	fputs(".SH SEE ALSO\n", out);
	for (const struct command *other = all;; other++) {
		if (other != c) {
			fprintf(out, "%s.BR %s (1)", comma, page_name(other, name, sizeof name));
			comma = ",\n";
		}
		if (!*other->name)
			break;
	}
	putc('\n', out);
}

static void put_page(FILE *out, const struct command *c, const struct command *all)
{
	const struct command *member = NULL;
	const struct option *row = NULL;

	put_heading(out, c);
	fputs(".SH OPTIONS\n", out);
	while ((row = options_next(c, row)))
		put_option(out, row);
	if ((member = options_next_of_group(c, all, NULL)))
		fputs(".SH COMMANDS\n", out);
	for (; member; member = options_next_of_group(c, all, member)) {
		fputs(".TP\n.B ", out);
		put_words(out, member->name);
		put_words(out, member->brief);
	}
	if (c->examples) {
		fputs(".SH EXAMPLES\n", out);
		put_paragraphs(out, c->examples);
	}
	put_see_also(out, c, all);
}

static bool write_page(
	const char *folder, const struct command *c, const struct command *all, struct fault *fault)
{
	char name[160];
	size_t bytes = strlen(folder) + strlen(page_name(c, name, sizeof name)) + sizeof "/.1";
	char *path = memory_array(bytes, 1, "path");
	struct output out;
	bool done;

	snprintf(path, bytes, "%s/%s.1", folder, name);
	done = output_open(&out, path, fault);
	if (done) {
		put_page(out.stream, c, all);
		done = output_commit(&out, fault);
	}
	memory_free(path);
	return done;
}

bool manual_write(const char *folder, const struct command *all, struct fault *fault)
{
	const struct command *c = all;

	if (!cli_make_folder(folder, fault))
		return false;
	while (write_page(folder, c, all, fault))
		if (!*c++->name)
			return true;
	return false;
}
