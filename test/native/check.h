// The smallest test frame: named tests that register themselves, and checks that count and print.
#pragma once

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

struct NativeTest {
  const char* name;
  void (*body)();
};

std::vector<NativeTest>& NativeTests();
void ReportFailure(const char* file, int line, const char* what);

struct RegisterTest {
  RegisterTest(const char* name, void (*body)()) { NativeTests().push_back({name, body}); }
};

#define TEST(identifier, promise)                                       \
  static void identifier();                                             \
  static const RegisterTest register_##identifier(promise, identifier); \
  static void identifier()

#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) ReportFailure(__FILE__, __LINE__, #condition); \
  } while (false)
