# `make legacy-study`: what each quirk of SSDsim does to its results (docs/legacy.md).

RESULTS ?= results
SSD     ?= ./ssd

.PHONY: legacy-study

legacy-study: $(SSD) ## what each defect of SSDsim 2.1 does to its results (docs/legacy.md)
	@scripts/legacy/study $(SSD) $(RESULTS)/legacy
