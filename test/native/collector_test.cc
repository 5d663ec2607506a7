// What is kept of a stream, for every cap and every way the bytes arrive.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "check.h"
#include "core/collector.h"
#include "text/environment_block.h"

using namespace argv_spawn;

namespace {

std::string ToString(const Bytes& bytes) {
  return bytes.size() == 0 ? std::string() : std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Feeds `input` in pieces of at most `piece` bytes.
void Feed(Collector& collector, const std::string& input, size_t piece, size_t scratch_size = 64 * 1024) {
  std::vector<uint8_t> scratch(scratch_size);
  for (size_t at = 0; at < input.size();) {
    const Collector::Space space = collector.Next({scratch.data(), scratch.size()});
    CHECK(space.size > 0);
    const size_t size = std::min({space.size, piece, input.size() - at});
    std::memcpy(space.data, input.data() + at, size);
    collector.Commit(size);
    at += size;
  }
}

std::string Pattern(size_t size) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; i++) text[i] = static_cast<char>('a' + i * 7 % 26);
  return text;
}

}  // namespace

TEST(KeepsEnds, "the collector keeps exactly the beginning and the end, and counts the rest") {
  std::mt19937 random(42);
  for (int round = 0; round < 400; round++) {
    const auto pick = [&](size_t most) { return static_cast<size_t>(random() % (most + 1)); };
    const size_t most = pick(2) == 0 ? 20 : 200'000;
    const size_t head = pick(3) == 0 ? 0 : pick(most);
    const size_t tail = pick(3) == 0 ? 0 : pick(most);
    const std::string input = Pattern(pick(600'000));
    Collector collector(head, tail);
    Feed(collector, input, 1 + pick(90'000), 1 + pick(100'000));
    const size_t kept_head = std::min(head, input.size());
    const size_t kept_tail = std::min(tail, input.size() - kept_head);
    CHECK(collector.total() == input.size());
    CHECK(ToString(collector.TakeHead()) == input.substr(0, kept_head));
    CHECK(ToString(collector.TakeTail()) == input.substr(input.size() - kept_tail));
  }
}

TEST(SkipsWhatWouldGo, "bytes that are thrown away unread change nothing but the work") {
  std::mt19937 random(7);
  bool skipped = false;
  for (int round = 0; round < 400; round++) {
    const auto pick = [&](size_t most) { return static_cast<size_t>(random() % (most + 1)); };
    const size_t head = pick(5'000);
    const size_t tail = pick(2) == 0 ? 0 : pick(5'000);
    const std::string input = Pattern(pick(60'000));
    Collector collector(head, tail);
    size_t at = 0;
    while (at < input.size()) {
      // A pipe that holds so many bytes now.
      const size_t pending = 1 + pick(input.size() - at - 1);
      const size_t skip = pick(static_cast<size_t>(collector.Skippable(pending)));
      collector.Skip(skip);
      skipped = skipped || skip > 0;
      Feed(collector, input.substr(at + skip, pending - skip), 1 + pick(9'000));
      at += pending;
    }
    const size_t kept_head = std::min(head, input.size());
    const size_t kept_tail = std::min(tail, input.size() - kept_head);
    CHECK(collector.total() == input.size());
    CHECK(ToString(collector.TakeHead()) == input.substr(0, kept_head));
    CHECK(ToString(collector.TakeTail()) == input.substr(input.size() - kept_tail));
  }
  CHECK(skipped);
}

TEST(SmallCapBigReads, "a small cap does not make the reads small") {
  uint8_t scratch[64 * 1024];
  for (const uint64_t cap : {1, 5, 1000}) {
    Collector collector(cap, cap);
    for (int i = 0; i < 10; i++) {
      CHECK(collector.Next({scratch, sizeof scratch}).size == sizeof scratch);
      std::memset(scratch, 'a' + i, sizeof scratch);
      collector.Commit(sizeof scratch);
    }
    CHECK(ToString(collector.TakeHead()) == std::string(cap, 'a'));
    CHECK(ToString(collector.TakeTail()) == std::string(cap, 'j'));
  }
}

TEST(NoCapKeepsAll, "without a cap everything is kept, across the switch to pages") {
  const std::string input = Pattern(5'000'000);
  Collector collector(Collector::kNoCap, 0);
  Feed(collector, input, 1'000'000);
  CHECK(ToString(collector.TakeHead()) == input);
}

TEST(BytesGrow, "a block of bytes keeps its content through every growth") {
  Bytes bytes;
  std::string expected;
  for (size_t size : {size_t{1}, size_t{70'000}, size_t{200'000}, size_t{3'000'000}}) {
    const std::string piece = Pattern(size);
    CHECK(bytes.Append(reinterpret_cast<const uint8_t*>(piece.data()), piece.size()));
    expected += piece;
  }
  bytes.Shrink();
  CHECK(ToString(bytes) == expected);
}

TEST(EnvironmentMerges, "environment changes replace, add and remove, in order") {
  using std::string;
  const string base("A=1\0B=2\0", 8);
  CHECK(MergeEnvironment(base, "") == base);
  CHECK(MergeEnvironment(base, string("B=3\0", 4)) == string("A=1\0B=3\0", 8));
  CHECK(MergeEnvironment(base, string("A\0", 2)) == string("B=2\0", 4));
  CHECK(MergeEnvironment(base, string("C=\0", 3)) == string("A=1\0B=2\0C=\0", 11));
  CHECK(MergeEnvironment(string("A=1\0A=2\0", 8), string("A=3\0", 4)) == string("A=3\0", 4));
  CHECK(MergeEnvironment("", string("A=1\0A\0", 6)).empty());
  CHECK(MergeEnvironment(base, string("A\0A=9\0", 6)) == string("B=2\0A=9\0", 8));
}
