# `make legacy-study`: what each quirk of SSDsim does to its results (docs/legacy.md).  TRACES=FOLDER adds the
# real traces of a folder.

.PHONY: legacy-study

legacy-study: ## what each defect of SSDsim 2.1 does to its results (docs/legacy.md)
	@scripts/deps figures
	@$(MAKE) --no-print-directory -j$(JOBS) $(SSD)
	@scripts/legacy/study $(SSD) $(RESULTS)/legacy $(TRACES)
