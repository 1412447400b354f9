# Fig. 10: flash pages written and read, copies of the collection included.
variant = ""
load scripts."pages.gp"
