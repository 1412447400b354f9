# Packages, the reference and the lab page: included by the Makefile.

dist: ## the last commit as an archive: build/ssdlab-VERSION.tar.gz
	@mkdir -p $(BUILD)
	@git archive --prefix=ssdlab-$(VERSION)/ HEAD | gzip -9n >$(BUILD)/ssdlab-$(VERSION).tar.gz
	@echo "$(BUILD)/ssdlab-$(VERSION).tar.gz"

deb: $(SSD) ## a package for Debian and Ubuntu, for this machine: build/ssdlab_VERSION-1_ARCHITECTURE.deb
	@scripts/deps deb
	@scripts/deb $(VERSION) $(BUILD)

deb-test: deb ## lintian has nothing against it, and the program in it runs
	@tests/deb.sh $(BUILD)/ssdlab_$(VERSION)-1_$$(dpkg --print-architecture).deb

dist-test: dist ## the archive builds outside git, in any folder, to the same program
	@tests/dist.sh $(BUILD)/ssdlab-$(VERSION).tar.gz

reference: ## the reference of the library, from its header: build/reference/html/index.html
	@scripts/deps reference
	@mkdir -p build/reference && doxygen library/Doxyfile
	@echo build/reference/html/index.html

wheel: ## the Python package for any Linux of this machine's age and newer: build/wheels
	@scripts/deps wheel
	@scripts/wheel build/wheels

python-test: ## the Python package in an environment of its own, with numpy and pandas (from PyPI)
	@scripts/deps wheel
	@tests/python.sh

# Not part of `check`: a compiler and a browser of a gigabyte, and a full build, are too much for every
# change.
lab-page: ## the simulator in a browser, without a network: one file, lab-page.html
	@scripts/deps lab-page
	@JOBS=$(JOBS) cli/lab-page/build build/lab-page lab-page.html

check-lab-page: lab-page $(SSD) ## its numbers are the native ones, under node and in a headless browser
	@node cli/lab-page/compare.js build/lab-page/lab.js $(SSD)
	@tests/lab_page.py $(SSD)
