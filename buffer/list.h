/* Every buffer policy, one line each: BUFFER(name) means `const struct buffer_ops buffer_name` in buffer/,
 * and BUFFER_CALLED(name, "text") the same for a policy that users know as "text". */
#ifndef BUFFER_CALLED
#define BUFFER_CALLED(name, text) BUFFER(name)
#endif
BUFFER(none)
BUFFER(lru)
BUFFER(whole)
BUFFER(bplru)
BUFFER_CALLED(twoqwclock, "2qw-clock")
BUFFER(msac)
BUFFER(cflru)
BUFFER(fab)
BUFFER(lfu)
#undef BUFFER_CALLED
BUFFER(coop)
