/* Every host layer, one line each: HOST_LAYER(name) means `const struct host_ops host_name` in host/. */
HOST_LAYER(direct)
HOST_LAYER(indirect)
HOST_LAYER(zoned)
