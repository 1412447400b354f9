#include "traces/picture.h"

#include "base/memory.h"

#include <string.h>

struct picture *picture_create(void)
{
	struct picture *p = memory_array(1, sizeof *p, "trace picture");

	p->time_step = 1;
	p->address_step = SECTOR_BYTES;
	return p;
}

/* Adds neighbours in pairs; the second half becomes 0. */
static void picture_fold(uint32_t *cells, size_t n)
{
	for (size_t i = 0; i < n / 2; i++)
		cells[i] = cells[2 * i] + cells[2 * i + 1];
	memset(cells + n / 2, 0, (n - n / 2) * sizeof *cells);
}

static void picture_double_time(struct picture *p)
{
	picture_fold(p->reads, PICTURE_TIMES);
	picture_fold(p->writes, PICTURE_TIMES);
	for (size_t i = 0; i < PICTURE_TIMES / 2; i++)
		for (size_t j = 0; j < PICTURE_ADDRESSES; j++)
			p->heat[i][j] = p->heat[2 * i][j] + p->heat[2 * i + 1][j];
	memset(p->heat[PICTURE_TIMES / 2], 0, sizeof p->heat / 2);
	p->times = (p->times + 1) / 2;
	p->time_step *= 2;
}

static void picture_double_address(struct picture *p)
{
	for (size_t i = 0; i < p->times; i++)
		picture_fold(p->heat[i], PICTURE_ADDRESSES);
	p->addresses = (p->addresses + 1) / 2;
	p->address_step *= 2;
}

void picture_add(struct picture *p, tick_t time, uint64_t address, enum request_type type)
{
	uint64_t column, row;

	if (type == REQUEST_TRIM)
		return;
	while ((column = time / p->time_step) >= PICTURE_TIMES)
		picture_double_time(p);
	while ((row = address / p->address_step) >= PICTURE_ADDRESSES)
		picture_double_address(p);
	if (type == REQUEST_READ)
		p->reads[column]++;
	else
		p->writes[column]++;
	p->heat[column][row]++;
	if (column >= p->times)
		p->times = (uint32_t)column + 1;
	if (row >= p->addresses)
		p->addresses = (uint32_t)row + 1;
}
