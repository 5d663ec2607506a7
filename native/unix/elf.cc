// Field offsets are those of the System V ABI, chapter 4 (ELF header and program header), so that no <elf.h> is needed
// where the host is not an ELF system.
#include "unix/elf.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "unix/fd.h"

namespace argv_spawn {

namespace {

constexpr uint32_t kPtInterp = 3;
constexpr size_t kMaxLoaderPath = 4096;
constexpr size_t kMaxSegments = 256;

bool IsElf(std::string_view head) {
  return head.size() >= 20 && head.substr(0, 4) ==
                                  "\x7f"
                                  "ELF";
}

// A number of `size` bytes in the file's byte order.
uint64_t NumberAt(const uint8_t* data, size_t size, bool big_endian) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; i++) number = (number << 8) | data[big_endian ? i : size - 1 - i];
  return number;
}

bool ReadAt(int fd, uint64_t offset, void* into, size_t size) {
  return pread(fd, into, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

}  // namespace

std::optional<std::string> ReadElfLoader(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  std::array<uint8_t, 64> header{};
  if (!fd || !ReadAt(fd.get(), 0, header.data(), header.size())) return std::nullopt;
  if (!IsElf({reinterpret_cast<const char*>(header.data()), header.size()})) return std::nullopt;
  const bool wide = header[4] == 2;
  const bool big = header[5] == 2;
  const auto field = [&](size_t at32, size_t size32, size_t at64, size_t size64) {
    return wide ? NumberAt(header.data() + at64, size64, big) : NumberAt(header.data() + at32, size32, big);
  };
  const uint64_t table = field(28, 4, 32, 8);
  const uint64_t entry_size = field(42, 2, 54, 2);
  const uint64_t entries = field(44, 2, 56, 2);
  if (entry_size < (wide ? 56u : 32u) || entries > kMaxSegments) return std::nullopt;
  for (uint64_t i = 0; i < entries; i++) {
    std::array<uint8_t, 56> entry{};
    if (!ReadAt(fd.get(), table + i * entry_size, entry.data(), wide ? 56 : 32)) return std::nullopt;
    if (NumberAt(entry.data(), 4, big) != kPtInterp) continue;
    const uint64_t offset = wide ? NumberAt(entry.data() + 8, 8, big) : NumberAt(entry.data() + 4, 4, big);
    const uint64_t size = wide ? NumberAt(entry.data() + 32, 8, big) : NumberAt(entry.data() + 16, 4, big);
    if (size == 0 || size > kMaxLoaderPath) return std::nullopt;
    std::string loader(size, '\0');
    if (!ReadAt(fd.get(), offset, loader.data(), size)) return std::nullopt;
    return std::string(loader.c_str());  // the stored string ends with a NUL
  }
  return std::nullopt;
}

std::string DescribeElf(std::string_view head) {
  if (!IsElf(head)) return "";
  const auto* data = reinterpret_cast<const uint8_t*>(head.data());
  switch (NumberAt(data + 18, 2, data[5] == 2)) {
    case 3:
      return "ELF for i386";
    case 8:
      return "ELF for mips";
    case 20:
      return "ELF for powerpc";
    case 21:
      return "ELF for powerpc64";
    case 22:
      return "ELF for s390";
    case 40:
      return "ELF for arm";
    case 62:
      return "ELF for x86_64";
    case 183:
      return "ELF for aarch64";
    case 243:
      return "ELF for riscv";
    case 258:
      return "ELF for loongarch";
    default:
      return "ELF for another machine";
  }
}

}  // namespace argv_spawn
