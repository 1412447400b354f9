/* The manual: a page in roff's man macros for each command, from the texts that --help shows. */
#include "base/memory.h"
#include "base/version.h"
#include "cli/options.h"
#include "stats/output.h"

#include <ctype.h>
#include <string.h>

/* Writes `length` characters literally: escapes those that are special to roff. */
static void manual_put(FILE *out, const char *text, size_t length)
{
	static const char special[] = "\\-`'^~";
	static const char *const name[] = { "\\e", "\\-", "\\(ga", "\\(aq", "\\(ha", "\\(ti" };

	if (*text == '.')
		fputs("\\&", out);
	for (; length--; text++)
		if (strchr(special, *text))
			fputs(name[strchr(special, *text) - special], out);
		else
			putc(*text, out);
}

static void manual_put_line(FILE *out, const char *text)
{
	manual_put(out, text, strlen(text));
	putc('\n', out);
}

/* Paragraphs; indented lines are an example. */
static void manual_put_paragraphs(FILE *out, const char *text)
{
	bool example = false;

	for (size_t length; *text; text += length + (text[length] == '\n')) {
		bool indented = *text == ' ';

		length = strcspn(text, "\n");
		if (indented != example)
			fputs(indented ? ".EX\n" : ".EE\n", out);
		example = indented;
		if (length)
			manual_put(out, text, length);
		fputs(length ? "\n" : ".PP\n", out);
	}
	if (example)
		fputs(".EE\n", out);
}

static void manual_put_option(FILE *out, const struct option *row)
{
	char about[ABOUT_BYTES];

	if (!row->name && !row->letter)
		fputs(".PP\n", out);
	else
		fputs(".TP\n\\fB", out);
	if (row->letter)
		fprintf(out, "\\-%c%s", row->letter, row->name ? "\\fR, \\fB" : "");
	if (row->name) {
		manual_put(out, "--", 2);
		manual_put(out, row->name, strlen(row->name));
	}
	if (row->value)
		fprintf(out, "\\fR \\fI%s", row->value);
	if (row->name || row->letter)
		fputs("\\fR\n", out);
	manual_put_line(out, options_about(row, about, sizeof about));
}

/* "ssd-trace-stat" */
static const char *manual_name(const struct command *c, char *name, size_t bytes)
{
	snprintf(name, bytes, "ssd%s%s", *c->name ? "-" : "", c->name);
	for (char *blank; (blank = strchr(name, ' '));)
		*blank = '-';
	return name;
}

static void manual_put_heading(FILE *out, const struct command *c)
{
	char text[160];

	fputs(".TH ", out);
	for (const char *at = manual_name(c, text, sizeof text); *at; at++)
		putc(toupper((unsigned char)*at), out);
	fprintf(out, " 1 \"%s\" \"ssdlab %s\" \"ssdlab\"\n.SH NAME\n", SSD_VERSION_DATE, SSD_VERSION);
	manual_put_line(out, text);
	fputs("\\- ", out);
	manual_put_line(out, c->brief ? c->brief : "a simulator of flash drives");
	fputs(".SH SYNOPSIS\n.B ", out);
	manual_put_line(out, options_synopsis(c, text, sizeof text));
	fputs(".SH DESCRIPTION\n", out);
	manual_put_paragraphs(out, c->about);
}

static void manual_put_others(FILE *out, const struct command *c, const struct command *all)
{
	char name[160];
	const char *comma = "";

	fputs(".SH SEE ALSO\n", out);
	for (const struct command *other = all;; other++) {
		if (other != c) {
			fprintf(out, "%s.BR %s (1)", comma, manual_name(other, name, sizeof name));
			comma = ",\n";
		}
		if (!*other->name)
			break;
	}
	putc('\n', out);
}

static void manual_put_page(FILE *out, const struct command *c, const struct command *all)
{
	const char *heading = ".SH COMMANDS\n";

	manual_put_heading(out, c);
	fputs(".SH OPTIONS\n", out);
	for (const struct option *row = NULL; (row = options_next(c, row));)
		manual_put_option(out, row);
	for (const struct command *m = NULL; (m = options_next_of_group(c, all, m)); heading = "") {
		fprintf(out, "%s.TP\n.B ", heading);
		manual_put_line(out, m->name);
		manual_put_line(out, m->brief);
	}
	if (c->examples) {
		fputs(".SH EXAMPLES\n", out);
		manual_put_paragraphs(out, c->examples);
	}
	manual_put_others(out, c, all);
}

static bool manual_write_page(
	const char *folder, const struct command *c, const struct command *all, struct fault *fault)
{
	char name[160], *stem = cli_joined(folder, "/", manual_name(c, name, sizeof name)),
			*path = cli_joined(stem, ".", "1");
	struct output out;
	bool done = output_open(&out, path, fault);

	if (done) {
		manual_put_page(out.stream, c, all);
		done = output_commit(&out, fault);
	}
	memory_free(stem);
	memory_free(path);
	return done;
}

bool manual_write(const char *folder, const struct command *all, struct fault *fault)
{
	const struct command *c = all;

	if (!cli_make_folder(folder, fault))
		return false;
	while (manual_write_page(folder, c, all, fault))
		if (!*c++->name)
			return true;
	return false;
}
