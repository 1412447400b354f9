#include "traces/generate_draw.h"

#include "base/memory.h"
#include "traces/generate_math.h"
#include "types.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- mix ---- */

#define MIX_EXAMPLE "write VALUE:WEIGHT pairs, e.g. \"4K:58 8K:5\""

/* Parses a positive number with an optional K or M and sets *end behind it.  Negative if there is none. */
static double mix_scan_number(const char *text, char **end)
{
	double value;

	*end = (char *)text;
	if (!isdigit((unsigned char)*text) && *text != '.')
		return -1;
	value = strtod(text, end);
	if (**end == 'K')
		value *= 1024, ++*end;
	else if (**end == 'M')
		value *= 1024 * 1024, ++*end;
	return value;
}

static bool mix_scan_value(const char *text, char **end, enum mix_unit unit, uint64_t *value)
{
	double number = mix_scan_number(text, end);

	if (unit == MIX_NS ? !(number >= 0 && number <= 1e12)
			   : !(number > 0 && number <= 64 * 1024 * 1024 && fmod(number, SECTOR_BYTES) == 0))
		return false;
	*value = (uint64_t)(unit == MIX_NS ? number * 1000 + 0.5 : number / SECTOR_BYTES);
	return true;
}

static bool mix_scan_pair(struct mix *mix, const char **text, enum mix_unit unit)
{
	char *end;
	uint64_t value;
	double weight = 1;

	if (!mix_scan_value(*text, &end, unit, &value))
		return false;
	if (*end == ':')
		weight = mix_scan_number(end + 1, &end);
	if (!(weight >= 0 && weight <= 1e12) || (*end && !isspace((unsigned char)*end)))
		return false;
	mix->part = memory_grown(mix->part, &mix->room, mix->count + 1, sizeof *mix->part, "size mix");
	mix->part[mix->count++] = (struct mix_part){ .value = value, .weight = weight };
	*text = end;
	return true;
}

/* Builds the alias table (Vose): columns above the average fill up those below it. */
static void mix_build_alias(struct mix *mix)
{
	uint32_t n = mix->count, small = 0, large = n;
	uint32_t *order = memory_array(n, sizeof *order, "size mix");
	struct mix_part *part = mix->part;

	for (uint32_t i = 0; i < n; i++) {
		part[i].threshold = part[i].weight * (double)n;
		part[i].alias = i;
		order[part[i].threshold < 1 ? small++ : --large] = i;
	}
	while (small > 0 && large < n) {
		uint32_t low = order[small - 1], high = order[large];

		part[low].alias = high;
		part[high].threshold -= 1 - part[low].threshold;
		small--;
		if (part[high].threshold < 1) {
			large++;
			order[small++] = high;
		}
	}
	/* Columns that remain because of rounding errors are full. */
	while (small > 0)
		part[order[--small]].threshold = 1;
	memory_free(order);
}

bool mix_reweigh(struct mix *mix)
{
	double sum = 0;

	for (size_t i = 0; i < mix->count; i++)
		sum += mix->part[i].weight;
	if (!(sum > 0))
		return false;
	for (size_t i = 0; i < mix->count; i++)
		mix->part[i].weight /= sum;
	mix_build_alias(mix);
	return true;
}

bool mix_parse(struct mix *mix, const char *text, enum mix_unit unit, const char *key, struct fault *fault)
{
	const char *rest = text;

	*mix = (struct mix){ 0 };
	for (;;) {
		rest += strspn(rest, " \t\r\n");
		if (!*rest)
			break;
		if (!mix_scan_pair(mix, &rest, unit)) {
			int length = (int)strcspn(rest, " \t\r\n");

			mix_release(mix);
			return fault_set(fault, "%s: \"%.*s\" is not a %s with a weight; " MIX_EXAMPLE, key,
				length, rest,
				unit == MIX_NS ? "time in us" : "size (a multiple of 512, at most 64M)");
		}
	}
	if (!mix->count || !mix_reweigh(mix)) {
		mix_release(mix);
		return fault_set(fault, "%s: no value has a weight; " MIX_EXAMPLE, key);
	}
	return true;
}

void mix_release(struct mix *mix)
{
	memory_free(mix->part);
	*mix = (struct mix){ 0 };
}

uint64_t mix_value(const struct mix *mix, double u)
{
	double scaled = u * (double)mix->count;
	size_t column = (size_t)scaled;
	const struct mix_part *part = &mix->part[column];

	return scaled - (double)column < part->threshold ? part->value : mix->part[part->alias].value;
}

uint64_t mix_quantile(const struct mix *mix, double u)
{
	size_t i = 0;

	while (i + 1 < mix->count && (u -= mix->part[i].weight) >= 0)
		i++;
	return mix->part[i].value;
}

uint64_t mix_largest(const struct mix *mix)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < mix->count; i++)
		if (mix->part[i].weight > 0 && mix->part[i].value > largest)
			largest = mix->part[i].value;
	return largest;
}

double mix_mean(const struct mix *mix)
{
	double mean = 0;

	for (size_t i = 0; i < mix->count; i++)
		mean += mix->part[i].weight * (double)mix->part[i].value;
	return mean;
}

/* ---- zipf ---- */

/* The density x^-exponent, its integral and the integral's inverse. */
static double zipf_density(const struct zipf *z, double x)
{
	return portable_exp(-z->exponent * portable_log(x));
}

static double zipf_area(const struct zipf *z, double x)
{
	double e = 1 - z->exponent;

	return fabs(e) < 1e-9 ? portable_log(x) : portable_expm1(e * portable_log(x)) / e;
}

static double zipf_area_inverse(const struct zipf *z, double y)
{
	double e = 1 - z->exponent;

	return portable_exp(fabs(e) < 1e-9 ? y : portable_log1p(e * y) / e);
}

void zipf_init(struct zipf *z, uint64_t count, double exponent, double shift)
{
	*z = (struct zipf){ .count = count, .exponent = exponent, .shift = shift };
	z->area_first = zipf_area(z, shift + 1.5) - zipf_density(z, shift + 1);
	z->area_last = zipf_area(z, shift + (double)count + 0.5);
	z->shortcut =
		shift + 2 - zipf_area_inverse(z, zipf_area(z, shift + 2.5) - zipf_density(z, shift + 2));
}

uint64_t zipf_draw(const struct zipf *z, struct random *random)
{
	if (z->exponent == 0)
		return random_below(random, z->count);
	for (;;) {
		double y = z->area_last + random_unit(random) * (z->area_first - z->area_last);
		double x = zipf_area_inverse(z, y);
		double v = (double)(int64_t)(x + 0.5); /* x > 0 */

		if (v < z->shift + 1)
			v = z->shift + 1;
		if (v > z->shift + (double)z->count)
			v = z->shift + (double)z->count;
		if (v - x <= z->shortcut || y >= zipf_area(z, v + 0.5) - zipf_density(z, v))
			return (uint64_t)(v - z->shift) - 1;
	}
}
