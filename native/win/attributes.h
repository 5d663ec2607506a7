// The attributes of a creation (PROC_THREAD_ATTRIBUTE_*), for as long as CreateProcessW needs them.
#pragma once

#include <windows.h>

#include <cstdint>
#include <vector>

namespace argv_spawn {

class AttributeList {
 public:
  AttributeList() = default;
  AttributeList(const AttributeList&) = delete;
  AttributeList& operator=(const AttributeList&) = delete;
  ~AttributeList() {
    if (opened_) DeleteProcThreadAttributeList(get());
  }

  bool Open(DWORD count) {
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, count, 0, &size);
    memory_.resize(size);
    opened_ = InitializeProcThreadAttributeList(get(), count, 0, &size) != 0;
    return opened_;
  }
  // `value` must live as long as the list.
  bool Set(DWORD_PTR attribute, void* value, SIZE_T size) {
    return UpdateProcThreadAttribute(get(), 0, attribute, value, size, nullptr, nullptr) != 0;
  }
  LPPROC_THREAD_ATTRIBUTE_LIST get() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data()); }

 private:
  std::vector<uint8_t> memory_;
  bool opened_ = false;
};

}  // namespace argv_spawn
