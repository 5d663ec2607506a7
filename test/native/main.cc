// Runs every registered native test; any failed check fails the program.
#include "check.h"

static int failures = 0;

std::vector<NativeTest>& NativeTests() {
  static std::vector<NativeTest> tests;
  return tests;
}

void ReportFailure(const char* file, int line, const char* what) {
  failures++;
  std::fprintf(stderr, "  %s:%d: not true: %s\n", file, line, what);
}

int main() {
  int passed = 0;
  int failed = 0;
  for (const NativeTest& test : NativeTests()) {
    const int before = failures;
    test.body();
    const bool ok = failures == before;
    (ok ? passed : failed)++;
    if (!ok) std::fprintf(stderr, "FAILED: %s\n", test.name);
  }
  std::printf("native: %d passed, %d failed\n", passed, failed);
  // A run that found no test has tested nothing.
  return failed == 0 && passed > 0 ? 0 : 1;
}
