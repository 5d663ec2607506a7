// The compiler may turn a copy or an initialisation into a call of these, whatever the flags.
#include <stddef.h>

extern "C" {

void* memcpy(void* into, const void* from, size_t size) {
  auto* to = static_cast<unsigned char*>(into);
  const auto* source = static_cast<const unsigned char*>(from);
  for (size_t i = 0; i < size; i++) to[i] = source[i];
  return into;
}

void* memset(void* into, int value, size_t size) {
  auto* to = static_cast<unsigned char*>(into);
  for (size_t i = 0; i < size; i++) to[i] = static_cast<unsigned char>(value);
  return into;
}
}
