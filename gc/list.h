/* Every victim policy, one line each: GC_POLICY(name) means `const struct gc_policy_ops gc_name` in gc/. */
GC_POLICY(greedy)
GC_POLICY(cost_benefit)
GC_POLICY(fifo)
GC_POLICY(random)
GC_POLICY(d_choices)
GC_POLICY(patient)
