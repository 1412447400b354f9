/* Every buffer policy, one line each: BUFFER(name) means `const struct buffer_ops buffer_name` in buffer/. */
BUFFER(none)
BUFFER(lru)
