/*
 * Random writes to a full drive, four in flight: how much more is programmed than was written?
 *
 *	cc first.c $(pkg-config --cflags --libs ssdlab) && ./a.out
 */
#include <ssdlab.h>
#include <stdio.h>

static int failed(ssdlab_drive *drive, enum ssdlab_status status)
{
	if (status != SSDLAB_OK)
		fprintf(stderr, "%s\n", ssdlab_error(drive));
	return status != SSDLAB_OK;
}

int main(void)
{
	const char *settings[] = { "host.mode=closed", "host.queue_depth=4", "precondition.mode=fill",
		"precondition.premap=none" };
	struct ssdlab_options options = {
		.size = sizeof options, .parameters = "class", .settings = settings, .setting_count = 4
	};
	ssdlab_drive *drive;
	enum ssdlab_status opened = ssdlab_open(&drive, &options);
	uint64_t random = 1;
	double waf;
	int wrong = failed(drive, opened);

	for (uint64_t i = 0; i < 20000 && !wrong; i++) {
		struct ssdlab_request write = { .tag = i, .sectors = 16, .kind = SSDLAB_WRITE };

		random = random * 6364136223846793005u + 1442695040888963407u;
		write.sector = (random >> 33) % (ssdlab_sectors(drive) / 16) * 16;
		wrong = failed(drive, ssdlab_submit(drive, &write, 1, NULL));
	}
	if (!wrong && !failed(drive, ssdlab_drain(drive)) &&
		!failed(drive, ssdlab_statistic(drive, "waf", &waf)))
		printf("write amplification %.2f after %.1f simulated seconds\n", waf,
			(double)ssdlab_now(drive) / 1e9);
	ssdlab_close(drive);
	return wrong;
}
