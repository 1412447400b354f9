# `make workloads`: every generated workload beside what is published about the trace it stands for.

.PHONY: workloads

workloads: ## generated workloads against published statistics: results/workloads/index.html
	@scripts/deps figures
	@$(MAKE) --no-print-directory -j$(JOBS) $(SSD)
	@scripts/workloads/calibrate -s $(SSD) -o $(RESULTS)/workloads
