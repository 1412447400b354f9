#include "base/suggest.h"

#include <ctype.h>
#include <string.h>

#define WORD_MAX 64

static size_t suggest_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool suggest_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance.  Row i of the table compares the first i letters of `a` with every
 * prefix of `b`; a swap looks two rows back, so three rows are kept. */
static size_t suggest_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][WORD_MAX + 1];

	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = suggest_least(row[j - 1], above[j]) + 1;
			row[j] = suggest_least(row[j], above[j - 1] + !suggest_same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && suggest_same(a[i - 1], b[j - 2]) &&
				suggest_same(a[i - 2], b[j - 1]))
				row[j] = suggest_least(row[j], rows[(i - 2) % 3][j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

/* Near: at most one letter in three differs; in a word of two or three letters, one. */
bool suggestion_offer(struct suggestion *s, const char *name)
{
	size_t word_length = strlen(s->word), name_length = strlen(name);
	size_t shorter = suggest_least(word_length, name_length);
	size_t limit = shorter < 3 ? shorter / 2 : (word_length + name_length - shorter) / 3;
	size_t distance;

	if (word_length > WORD_MAX || name_length > WORD_MAX)
		return false;
	distance = suggest_distance(s->word, word_length, name, name_length);
	if (distance > limit || (s->nearest && distance >= s->distance))
		return false;
	s->nearest = name;
	s->distance = distance;
	return true;
}

const char *suggest(const char *word, const char *const *names)
{
	struct suggestion s = { .word = word };

	for (; *names; names++)
		suggestion_offer(&s, *names);
	return s.nearest;
}
