/* Every buffer policy, one line each: BUFFER(name) means `const struct buffer_ops buffer_name` in buffer/, and
 * BUFFER_CALLED(name, "text") the same where the user's word for it is another. */
#ifndef BUFFER_CALLED
#define BUFFER_CALLED(name, text) BUFFER(name)
#endif
BUFFER(none)
BUFFER(lru)
#undef BUFFER_CALLED
