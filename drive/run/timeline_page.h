/* The page around a timeline: drive/run/timeline.html, as the build makes it C (scripts/as-c). */
#ifndef RUN_TIMELINE_PAGE_H
#define RUN_TIMELINE_PAGE_H

extern const char timeline_page[];

#endif
