// Two ways to find children: the kernel's own list for each thread (/proc/pid/task/tid/children, since Linux 3.5 with
// CONFIG_PROC_CHILDREN), or, where that file is missing, the parent of every process there is.
#include "keeper/processes.h"

#include "keeper/system.h"

namespace keeper {

namespace {

constexpr size_t kLongestPath = 64;

// "/proc/1/task/2/children", without a C library.
class Path {
 public:
  Path() { Text("/proc/"); }
  Path& Text(const char* text) {
    while (*text != 0 && size_ + 1 < kLongestPath) text_[size_++] = *text++;
    text_[size_] = 0;
    return *this;
  }
  Path& Number(int number) {
    char digits[12];
    int at = sizeof digits;
    digits[--at] = 0;
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    return Text(digits + at);
  }
  const char* get() const { return text_; }

 private:
  size_t size_ = 0;
  char text_[kLongestPath];
};

class File {
 public:
  explicit File(const Path& path) : fd_(OpenToRead(path.get())) {}
  ~File() {
    if (fd_ >= 0) Close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Calls `visit` for every entry of the folder that is a number. False when it cannot be opened.
template <typename Visit>
bool ForEachNumber(const Path& path, Visit visit) {
  struct Entry {  // struct linux_dirent64
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[1];
  };
  const File folder(path);
  if (!folder.is_open()) return false;
  alignas(8) char block[2048];
  for (;;) {
    const long count = Call(__NR_getdents64, folder.fd(), Address(block), sizeof block);
    if (count <= 0) return true;
    for (long at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const Entry*>(block + at);
      at += entry->size;
      int number = 0;
      const char* c = entry->name;
      while (IsDigit(*c)) number = number * 10 + (*c++ - '0');
      if (*c == 0 && c != entry->name) visit(number);
    }
  }
}

Path ChildrenOfThread(int pid, int thread) {
  return Path().Number(pid).Text("/task/").Number(thread).Text("/children");
}

// From the beginning of the file, wherever it was read to before.
void AddNumbers(int fd, PidList& found) {
  char block[1024];
  int number = 0;
  for (long offset = 0;;) {
    const long count = Call(__NR_pread64, fd, Address(block), sizeof block, offset);
    if (count <= 0) return;
    offset += count;
    for (long i = 0; i < count; i++) {
      if (IsDigit(block[i])) {
        number = number * 10 + (block[i] - '0');
      } else {
        if (number > 0) found.Add(number);
        number = 0;
      }
    }
  }
}

// False: this kernel has no such list.
bool AddChildrenOfThread(int pid, int thread, PidList& found) {
#ifdef ARGV_KEEPER_SCAN_ONLY
  return false;  // a build for the tests: the other way must work as well
#endif
  const File file(ChildrenOfThread(pid, thread));
  if (file.is_open()) AddNumbers(file.fd(), found);
  return file.is_open();
}

bool AddFromKernel(int pid, PidList& found) {
  bool any = false;
  ForEachNumber(Path().Number(pid).Text("/task"),
                [&](int thread) { any = AddChildrenOfThread(pid, thread, found) || any; });
  return any;
}

// Every process whose parent is this one, or in `found`, until a pass over all processes finds nobody new.
bool AddByParent(PidList& found, bool deep) {
  static PidList all;
  all.Clear();
  if (!ForEachNumber(Path(), [](int pid) { all.Add(pid); })) return false;
  const int self = GetPid();
  for (int before = -1; before != found.size();) {
    before = found.size();
    for (int i = 0; i < all.size(); i++) {
      Stat stat;
      if (found.Has(all[i]) || !ReadStat(all[i], stat)) continue;
      if (stat.parent == self || (deep && found.Has(stat.parent))) found.Add(all[i]);
    }
    if (!deep) break;
  }
  return true;
}

// Not exact: both ends of a pipe have one inode, so a reader counts as well.
uint32_t HeldThrough(const Path& link, const uint64_t (&inodes)[2]) {
  constexpr int kHere = -100;  // AT_FDCWD
  constexpr char kPipe[] = "pipe:[";
  char text[32];
  const long size = Call(__NR_readlinkat, kHere, Address(link.get()), Address(text), sizeof text);
  long at = 0;
  while (at < size && kPipe[at] != 0 && text[at] == kPipe[at]) at++;
  if (at >= size || kPipe[at] != 0) return 0;
  uint64_t inode = 0;
  while (at < size && IsDigit(text[at])) inode = inode * 10 + static_cast<uint64_t>(text[at++] - '0');
  return (inode == inodes[0] ? 1U : 0U) | (inode == inodes[1] ? 2U : 0U);
}

}  // namespace

bool CanSeeProcesses() {
  char text[16];
  constexpr int kHere = -100;  // AT_FDCWD
  const char* self = "/proc/self";
  const long size = Call(__NR_readlinkat, kHere, Address(self), Address(text), sizeof text);
  int number = 0;
  for (long i = 0; i < size && IsDigit(text[i]); i++) number = number * 10 + (text[i] - '0');
  return number == GetPid();
}

uint64_t InodeOf(int fd) {
  uint64_t info[32] = {};  // struct stat: the inode is the second word on both processors
  return IsError(Call(__NR_fstat, fd, Address(info))) ? 0 : info[1];
}

uint32_t HeldPipes(int pid, const uint64_t (&inodes)[2]) {
  uint32_t held = 0;
  ForEachNumber(Path().Number(pid).Text("/fd"), [&](int fd) {
    if (held != 3) held |= HeldThrough(Path().Number(pid).Text("/fd/").Number(fd), inodes);
  });
  return held;
}

bool ReadStat(int pid, Stat& stat) {
  const File file(Path().Number(pid).Text("/stat"));
  if (!file.is_open()) return false;
  char text[512];
  const long count = Read(file.fd(), text, sizeof text);
  // "pid (name) state parent group ...": a name may hold blanks and parentheses, so its end is the last one.
  long at = count - 1;
  while (at >= 0 && text[at] != ')') at--;
  if (at < 0 || at + 4 >= count) return false;
  long from = 0;
  while (text[from] != '(') from++;
  size_t length = 0;
  for (from++; from < at && length + 1 < sizeof stat.name; from++) stat.name[length++] = text[from];
  stat.name[length] = 0;
  stat.state = text[at + 2];
  at += 4;
  const auto next = [&] {
    uint32_t number = 0;
    if (at < count && text[at] == '-') at++;
    while (at < count && IsDigit(text[at])) number = number * 10 + static_cast<uint32_t>(text[at++] - '0');
    at++;
    return number;
  };
  const auto skip = [&](int fields) {
    while (fields-- > 0) next();
  };
  stat.parent = static_cast<int>(next());
  stat.group = static_cast<int>(next());
  skip(3);
  // PF_EXITING (include/linux/sched.h) of the first thread, which may have ended before the others.
  const bool exiting = (next() & 4) != 0;
  skip(10);
  stat.exiting = exiting && next() <= 1;
  return true;
}

int OpenOwnChildren() {
#ifdef ARGV_KEEPER_SCAN_ONLY
  return -1;
#else
  const int self = GetPid();
  return OpenToRead(ChildrenOfThread(self, self).get());
#endif
}

bool IsOnlyChild(int own_children, int pid) {
  char text[16];  // longer than any number with its blank
  const long count = Call(__NR_pread64, own_children, Address(text), sizeof text, 0);
  int number = 0;
  long at = 0;
  while (at < count && IsDigit(text[at])) number = number * 10 + (text[at++] - '0');
  return number == pid && at + 1 == count;
}

bool ListChildren(int own_children, PidList& children) {
  children.Clear();
  if (own_children >= 0) {
    AddNumbers(own_children, children);
    return true;
  }
  const int self = GetPid();  // and our only thread
  return AddChildrenOfThread(self, self, children) || AddByParent(children, false);
}

void ListDescendants(PidList& found) {
  found.Clear();
  if (!AddFromKernel(GetPid(), found)) {
    AddByParent(found, true);
    return;
  }
  for (int i = 0; i < found.size(); i++) AddFromKernel(found[i], found);
}

}  // namespace keeper
