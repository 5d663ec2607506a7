// For builds that have the C++ library inside them (scripts/prebuild): its reporter of uncaught exceptions would bring
// a whole reader of C++ names along, a third of the addon's size. Nothing here throws, and a report with the name as
// the compiler wrote it says as much.
#include <cstddef>

extern "C" char* __cxa_demangle(const char*, char*, size_t*, int* status) {
  constexpr int kInvalidName = -2;  // of the Itanium C++ ABI, section 3.4
  if (status != nullptr) *status = kInvalidName;
  return nullptr;
}
