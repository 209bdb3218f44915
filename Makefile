# The commands of Rex. `make help` lists them; each installs first what is missing (scripts/bootstrap).

SWIFT ?= swift
BIN = .build/release
# The programs carry Swift's own libraries: they run where Swift is not installed, and faster.
RELEASE = -c release $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)

# How long each fuzz target runs.
FUZZ_SECONDS = 60
# What the tests of the programs start.
PROGRAMS = rex-server rex-client PollServer embedding-example rex-examples websocket-echo rex-allocations

# Every file of ours of a kind, without what a build made.
files = $(shell find . \( -name .build -o -name .git \) -prune -o -type f -name '$(1)' -print)
shell_files = $(shell grep -lE '^\#!.*(/|env )(ba)?sh$$' .ci/* scripts/*)

ADDRESS_TEST = REX_SANITIZER=address ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --disable-xctest \
	--sanitize address --scratch-path .build/address

.PHONY: help run build test test-long test-soak test-crash test-asan test-tsan fuzz bench format lint \
	bootstrap bootstrap-tests

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

run: bootstrap ## build both programs and start the server with its defaults; Ctrl-C ends it
	$(SWIFT) build $(RELEASE) --product rex-server
	$(SWIFT) build $(RELEASE) --product rex-client
	@exec $(BIN)/rex-server

build: bootstrap ## build both programs into .build/release
	$(SWIFT) build $(RELEASE)

test: bootstrap-tests ## every test; the last line is the runner's closing line
	$(SWIFT) test --disable-xctest

test-long: bootstrap-tests ## the long tests, random ones a million times, then all under the address sanitizer
	REX_LONG_TESTS=1 $(SWIFT) test --disable-xctest
	REX_LONG_TESTS=1 $(SWIFT) test --disable-xctest -c release -Xswiftc -enable-testing \
		--scratch-path .build/long --filter '(ModelTests|StateDiffPropertyTests)/'
	$(MAKE) test-asan

test-soak: bootstrap-tests ## slow readers, comings and goings, a million effects, in full size; prints what it took
	REX_LONG_TESTS=1 $(SWIFT) test --disable-xctest --no-parallel \
		--filter '(SoakTests|SlowListenerTests)/'

test-crash: bootstrap-tests ## the server killed 200 times in the middle of its work, and at every call that writes
	REX_CRASH_ROUNDS=200 $(SWIFT) test --disable-xctest --filter '(CrashTests|KillTests)/'

# What one of these builds is a program that is slower and larger: tests that measure that are skipped,
# by name.
# Tests that count for minutes would keep those that wait from every thread, past their deadlines, so
# what runs in the tests' own process goes one after another.
test-asan: bootstrap-tests ## every test, tests and programs built with the address sanitizer
	$(ADDRESS_TEST) --no-parallel --skip '^ProcessTests'
	$(ADDRESS_TEST) --filter '^ProcessTests'

# The programs only: Swift's own test library is not built with the sanitizer, and would be reported.
test-tsan: bootstrap-tests ## the tests of the programs, which are built with the thread sanitizer
	mkdir -p .build/thread
	clang -O1 -Wall -Wextra -Werror -c scripts/thread-sanitizer.c -o .build/thread/mutex.o
	for program in $(PROGRAMS); do $(SWIFT) build --product $$program --sanitize thread \
		--scratch-path .build/thread -Xlinker $(CURDIR)/.build/thread/mutex.o || exit; done
	rm -f .build/thread/report.*
	REX_SANITIZER=thread REX_PROGRAMS=$(CURDIR)/.build/thread/debug \
		TSAN_OPTIONS="exitcode=66 log_path=$(CURDIR)/.build/thread/report" \
		$(SWIFT) test --disable-xctest --filter '^ProcessTests'
	@if cat .build/thread/report.* 2>/dev/null; then exit 1; fi

fuzz: bootstrap ## every fuzz target for FUZZ_SECONDS (60) each; what fails becomes a test
	REX_FUZZ=1 $(SWIFT) build -c release --product rex-fuzz -Xswiftc -enable-testing \
		-Xswiftc -sanitize=fuzzer,address --scratch-path .build/fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

# The servers are put on core 0, so what measures them runs on core 1 where there is one.
bench: build ## throughput and latency: the store in process, the server over its socket
	@if [ "$$(nproc)" -gt 1 ]; then exec taskset -c 1 $(BIN)/rex-bench; else exec $(BIN)/rex-bench; fi

format: ## lay out every Swift file as .swift-format says
	$(SWIFT) format --in-place --parallel $(call files,*.swift)

lint: ## what can be said without building: layout, shell, Python
	@echo swift format lint --strict; $(SWIFT) format lint --strict --parallel $(call files,*.swift)
	@if command -v shellcheck >/dev/null; then echo shellcheck $(shell_files); \
		shellcheck $(shell_files); else echo "no shellcheck here: shell scripts not linted"; fi
	@python3 -c 'import sys; [compile(open(f).read(), f, "exec") for f in sys.argv[1:]]' \
		$(call files,*.py)

bootstrap:
	@scripts/bootstrap

bootstrap-tests:
	@scripts/bootstrap --tests
