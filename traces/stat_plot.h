/*
 * A trace on one page: arrivals over time, sizes, addresses over time, alignment.  Drawn by gnuplot, which
 * must be installed.
 */
#ifndef TRACES_STAT_PLOT_H
#define TRACES_STAT_PLOT_H

#include "base/fault.h"
#include "traces/stat.h"

/* Writes the plot as SVG, or as PNG if the path ends in ".png"; whole or not at all.  False and a fault if it
 * cannot be written. */
bool trace_stat_plot(const struct trace_stat *, const char *title, const char *path, struct fault *);

#endif
