#include "base/utf8.h"

/* Overlong forms, surrogates and code points above U+10FFFF are excluded by the second byte's range. */
size_t utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned low = 0x80, high = 0xbf;
	size_t length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

bool utf8_is_control(const char *s)
{
	unsigned char first = (unsigned char)s[0], second = first ? (unsigned char)s[1] : 0;

	return first < 0x20 || first == 0x7f || (first >= 0x80 && first < 0xa0) ||
	       (first == 0xc2 && second >= 0x80 && second < 0xa0);
}

/* Length of the character, or 1 for a byte that is none. */
static size_t utf8_step(const char *s)
{
	size_t length = utf8_length(s);

	return length ? length : 1;
}

bool utf8_has_control(const char *text)
{
	while (*text && !utf8_is_control(text))
		text += utf8_step(text);
	return *text;
}

void utf8_print(FILE *stream, const char *text)
{
	while (*text) {
		size_t length = utf8_step(text);

		if (!utf8_is_control(text))
			fwrite(text, 1, length, stream);
		else
			for (size_t i = 0; i < length; i++)
				fprintf(stream, "\\x%02x", (unsigned char)text[i]);
		text += length;
	}
}
