/* Table 2 of ICPP'23: the figures of its six traces, which the profiles lun1 to lun6 stand for. */
#ifndef TESTS_TABLE_2_H
#define TESTS_TABLE_2_H

#include <stdint.h>

static const struct table_2 {
	const char *name;
	uint64_t requests;
	double write_share, write_kb, across;
} table_2[] = {
	{ "lun1", 749806, .615, 8.9, .247 },
	{ "lun2", 867967, .528, 11.3, .164 },
	{ "lun3", 672580, .506, 8.6, .234 },
	{ "lun4", 824068, .454, 11.2, .187 },
	{ "lun5", 639558, .411, 9.2, .235 },
	{ "lun6", 633234, .347, 7.6, .275 },
};

#define LUNS (sizeof table_2 / sizeof *table_2)

#endif
