/* The page around a timeline: watch/timeline.html, as the build makes it C (scripts/as-c). */
#ifndef WATCH_PAGE_H
#define WATCH_PAGE_H

extern const char timeline_page[];

#endif
