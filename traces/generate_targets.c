#include "traces/generate_targets.h"

#include "traces/generate_math.h"

#include <math.h>

enum { TARGETS = 5, STEPS = 200 };

/* The search minimises log(sum of weight x e^(tilt . excess)), a convex function of `tilt`.  Where its slope
 * is 0, every mean excess is 0. */
struct search {
	double wanted[TARGETS], tilt[TARGETS];
	double slope[TARGETS], bend[TARGETS][TARGETS], value;
	uint64_t grid;
};

/* The probability that a request of this size is across-page if it may start on any sector. */
static double targets_chance_across(uint64_t sectors, uint64_t page)
{
	return sectors <= page ? (double)(sectors - 1) / (double)page : 0;
}

/* By how much a size exceeds a target; 0 for targets that are not set. */
static double targets_excess(const struct search *s, unsigned target, uint64_t sectors)
{
	const double of[TARGETS] = {
		(double)sectors,
		targets_chance_across(sectors, 16),
		targets_chance_across(sectors, 32),
		sectors<s->grid, sectors> s->grid && sectors % s->grid,
	};

	/* The mean is taken relative to its target, so that all excesses are of similar magnitude. */
	if (s->wanted[target] <= 0)
		return 0;
	return target ? of[target] - s->wanted[target] : of[0] / s->wanted[0] - 1;
}

static double targets_tilted(const struct search *s, const struct mix_part *part)
{
	double exponent = 0;

	for (unsigned i = 0; i < TARGETS; i++)
		exponent += s->tilt[i] * targets_excess(s, i, part->value);
	return part->weight * portable_exp(exponent < -600 ? -600 : exponent > 600 ? 600 : exponent);
}

/* Computes value, slope and second derivatives at the current `tilt`. */
static void targets_look(struct search *s, const struct mix *mix)
{
	double sum = 0, mean[TARGETS] = { 0 }, square[TARGETS][TARGETS] = { { 0 } };

	for (size_t k = 0; k < mix->count; k++) {
		double weight = targets_tilted(s, &mix->part[k]);

		sum += weight;
		for (unsigned i = 0; i < TARGETS; i++) {
			double x = targets_excess(s, i, mix->part[k].value);

			mean[i] += weight * x;
			for (unsigned j = 0; j < TARGETS; j++)
				square[i][j] += weight * x * targets_excess(s, j, mix->part[k].value);
		}
	}
	s->value = portable_log(sum);
	for (unsigned i = 0; i < TARGETS; i++) {
		s->slope[i] = mean[i] / sum;
		for (unsigned j = 0; j < TARGETS; j++)
			s->bend[i][j] = square[i][j] / sum - s->slope[i] * mean[j] / sum;
	}
}

/* Newton's step: solves bend x step = -slope by elimination.  A small term is added to the diagonal, which
 * may contain zeros. */
static void targets_newton(const struct search *s, double step[TARGETS])
{
	double a[TARGETS][TARGETS + 1];

	for (unsigned i = 0; i < TARGETS; i++) {
		for (unsigned j = 0; j < TARGETS; j++)
			a[i][j] = s->bend[i][j] + (i == j ? 1e-12 : 0);
		a[i][TARGETS] = -s->slope[i];
	}
	for (unsigned i = 0; i < TARGETS; i++)
		for (unsigned row = 0; row < TARGETS; row++) {
			double factor = a[row][i] / a[i][i];

			for (unsigned j = i; row != i && j <= TARGETS; j++)
				a[row][j] -= factor * a[i][j];
		}
	for (unsigned i = 0; i < TARGETS; i++)
		step[i] = a[i][TARGETS] / a[i][i];
}

static bool targets_are_met(const struct search *s)
{
	double most = 0;

	for (unsigned i = 0; i < TARGETS; i++)
		most = fmax(most, fabs(s->slope[i]));
	return most < 1e-9;
}

/* Takes one step, halved until the value decreases. */
static void targets_descend(struct search *s, const struct mix *mix)
{
	struct search from = *s;
	double step[TARGETS], part = 1;

	targets_newton(s, step);
	do {
		for (unsigned i = 0; i < TARGETS; i++)
			s->tilt[i] = from.tilt[i] + part * step[i];
		targets_look(s, mix);
		part /= 2;
	} while (s->value > from.value && part > 1e-6);
}

bool targets_apply(struct mix *mix, const struct size_targets *t, uint64_t grid_sectors, const char *where,
	struct fault *fault)
{
	struct search s = { .wanted = { t->mean, t->across, t->across_16k, t->small, t->odd },
		.grid = grid_sectors };

	targets_look(&s, mix);
	for (unsigned step = 0; step < STEPS && !targets_are_met(&s); step++)
		targets_descend(&s, mix);
	if (!targets_are_met(&s))
		return fault_set(fault,
			"%s: no weights of these sizes have mean = %g, across = %g, across_16k = %g, small = "
			"%g, odd = %g (0: any)",
			where, t->mean * 512, t->across, t->across_16k, t->small, t->odd);
	for (size_t i = 0; i < mix->count; i++)
		mix->part[i].weight = targets_tilted(&s, &mix->part[i]);
	mix_reweigh(mix);
	return true;
}
