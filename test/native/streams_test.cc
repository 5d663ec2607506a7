// The halves of a run's streams that know no system: what becomes of output, what waits for stdin, tee files.
#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "check.h"
#include "core/input_queue.h"
#include "core/output_stream.h"
#include "core/tee_file.h"

using namespace argv_spawn;

namespace {

std::string ToString(const Bytes& bytes) {
  return bytes.size() == 0 ? std::string() : std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

const uint8_t* BytesOf(const std::string& text) { return reinterpret_cast<const uint8_t*>(text.data()); }

Bytes Block(const std::string& text) {
  Bytes bytes;
  bytes.Append(BytesOf(text), text.size());
  return bytes;
}

class Chunks final : public OutputStream::Reader {
 public:
  void OnChunk(int stream, Bytes chunk) override {
    log += std::to_string(stream);
    log += ToString(chunk);
  }
  std::string log;
};

// A file in memory, and a thread that works when it is told to.
class MemoryTee final : public TeeFile {
 public:
  explicit MemoryTee(int& progress) : TeeFile([&progress] { progress++; }) {}
  std::string written;
  size_t at_once = SIZE_MAX;
  size_t room = SIZE_MAX;  // bytes until the error
  bool refuses = false;
  int jobs = 0;
  void Work() {
    while (!jobs_.empty()) {
      const auto job = std::move(jobs_.front());
      jobs_.pop_front();
      job();
    }
  }

 private:
  bool RunElsewhere(std::function<void()> job) override {
    if (refuses) return false;
    jobs++;
    jobs_.push_back(std::move(job));
    return true;
  }
  size_t Write(const uint8_t* data, size_t size, std::string& error) override {
    const size_t count = std::min({size, at_once, room - written.size()});
    written.append(reinterpret_cast<const char*>(data), count);
    if (written.size() == room) error = "ENOSPC";
    return count;
  }
  std::deque<std::function<void()>> jobs_;
};

OutputSpec Collecting(uint64_t head, uint64_t tail, uint64_t kill_above = UINT64_MAX) {
  OutputSpec spec;
  spec.kind = OutputSpec::Kind::kCollect;
  spec.head = head;
  spec.tail = tail;
  spec.kill_above = kill_above;
  return spec;
}

void Feed(OutputStream& stream, const std::string& text) { stream.Copy(BytesOf(text), text.size()); }

}  // namespace

TEST(KeepsBothEnds, "a collected stream keeps both ends, counts all, and knows when its limit is passed") {
  Chunks chunks;
  OutputStream stream(1, chunks);
  CHECK(!stream.TakeCapture());
  CHECK(!stream.wants_bytes());
  stream.Open(Collecting(3, 2, 9), nullptr);
  CHECK(stream.wants_bytes() && !stream.streams());
  CHECK(stream.Allowed(100) == 100);
  Feed(stream, "abcdef");
  Feed(stream, "ghi");
  CHECK(!stream.over_limit());
  CHECK(stream.may_skip());
  CHECK(stream.Skippable(10) == 8);
  stream.Skip(8);
  Feed(stream, "yz");
  CHECK(stream.over_limit());
  stream.Discard();
  Feed(stream, "lost");
  stream.Close();
  CHECK(stream.opened() && !stream.is_open() && !stream.wants_bytes());
  const auto capture = stream.TakeCapture();
  CHECK(capture && ToString(capture->head) == "abc" && ToString(capture->tail) == "yz");
  CHECK(capture && capture->bytes == 19 && !capture->tee);
  CHECK(chunks.log.empty());
}

TEST(StreamsForCredit, "a streamed one wants no more than its credit, and hands on what it gets") {
  Chunks chunks;
  OutputStream stream(2, chunks);
  OutputSpec spec;
  spec.kind = OutputSpec::Kind::kStream;
  stream.Open(spec, nullptr);
  CHECK(!stream.wants_bytes());
  CHECK(!stream.may_skip());
  stream.AddCredit(3);
  stream.AddCredit(2);
  CHECK(stream.Allowed(4) == 4 && stream.Allowed(100) == 5);
  Feed(stream, "abcd");
  CHECK(stream.Allowed(100) == 1);
  Feed(stream, "more than that");  // drained at the end, credit or not
  CHECK(!stream.wants_bytes());
  CHECK(chunks.log == "2abcd2more than that");
  stream.AddCredit(UINT64_MAX);
  stream.AddCredit(1);
  CHECK(stream.Allowed(SIZE_MAX) == SIZE_MAX);
  stream.Discard();
  Feed(stream, "lost");
  CHECK(chunks.log == "2abcd2more than that");
  CHECK(stream.TakeCapture()->bytes == 18);
}

TEST(TeeHoldsUpReading, "a tee file gets every byte in order, and one that lags stops the reading") {
  Chunks chunks;
  int progress = 0;
  const auto tee = std::make_shared<MemoryTee>(progress);
  tee->at_once = 100'000;
  OutputStream stream(1, chunks);
  stream.Open(Collecting(1, 1), tee);
  const std::string most(TeeFile::kHighWater - 1, 'x');
  Feed(stream, most);
  CHECK(stream.wants_bytes());
  CHECK(!stream.may_skip());
  Feed(stream, "yz");
  CHECK(!stream.wants_bytes() && stream.has_tee_waiting());
  tee->Work();
  CHECK(stream.wants_bytes() && !stream.has_tee_waiting());
  CHECK(tee->written == most + "yz");
  CHECK(progress > 0 && tee->jobs == 1);
  Feed(stream, "!");
  CHECK(tee->jobs == 2);  // the thread had been given back
  tee->Work();
  const auto capture = stream.TakeCapture();
  CHECK(capture->tee->bytes == most.size() + 3 && capture->tee->error.empty());
}

TEST(TeeIsLate, "a tee file that is still being written when the run is reported says so") {
  Chunks chunks;
  int progress = 0;
  const auto tee = std::make_shared<MemoryTee>(progress);
  OutputStream stream(1, chunks);
  stream.Open(Collecting(1, 1), tee);
  Feed(stream, "abc");
  const auto capture = stream.TakeCapture();
  CHECK(capture->tee->error == "ETIMEDOUT" && capture->tee->bytes == 0);
  tee->Work();
}

TEST(TeeKeepsFirstError, "a tee file stops at its first error, and says how far it came") {
  int progress = 0;
  const auto tee = std::make_shared<MemoryTee>(progress);
  tee->room = 4;
  for (const std::string text : {"abc", "def", "ghi"}) tee->Submit(BytesOf(text), text.size());
  tee->Work();
  CHECK(tee->waiting() == 0 && tee->written == "abcd" && progress == 3);
  CHECK(tee->Report().error == "ENOSPC" && tee->Report().bytes == 4);
  tee->refuses = true;
  tee->Submit(BytesOf("x"), 1);
  CHECK(tee->waiting() == 0 && tee->Report().error == "ENOSPC");
  const auto other = std::make_shared<MemoryTee>(progress);
  other->refuses = true;
  other->Submit(BytesOf("x"), 1);
  CHECK(other->waiting() == 0 && other->Report().error == "EAGAIN" && other->Report().bytes == 0);
}

TEST(InputIsAQueue, "input comes out in order and in pieces, and the end after it") {
  InputQueue queue;
  queue.Push(Block("early"));  // before there is a pipe
  CHECK(!queue.is_open() && queue.waiting() == 5);
  queue.Open();
  queue.Push(Bytes());
  queue.Push(Block("late"));
  CHECK(queue.waiting() == 9);
  std::string out;
  while (queue.waiting() > 0) {
    const InputQueue::Slice slice = queue.Next(3);
    CHECK(slice.size > 0 && slice.size <= 3 && slice.block <= 5);
    out.append(reinterpret_cast<const char*>(slice.data), slice.size);
    queue.Take(slice.size);
  }
  CHECK(out == "earlylate" && queue.written() == 9);
  CHECK(queue.Next(3).size == 0);
  CHECK(queue.emptied() == InputState::kIdle);
  CHECK(queue.TakeDrained());
  CHECK(!queue.TakeDrained());  // nobody has written since
  queue.End();
  queue.Push(Block("too late"));
  CHECK(queue.waiting() == 0 && queue.emptied() == InputState::kComplete);
  queue.Close();
  CHECK(!queue.is_open() && !queue.closed_early());
}

TEST(InputBlocksAreReused, "blocks of input are used again, a bounded number of them, until stdin is closed") {
  InputQueue queue;
  queue.Open();
  const size_t size = (InputBlocks::kMostKept + 2) * InputBlocks::kSize + 5;
  std::string text(size, ' ');
  for (size_t i = 0; i < size; i++) text[i] = static_cast<char>('a' + i % 23);
  const auto push = [&] {
    std::vector<Bytes> blocks;
    CHECK(queue.blocks().Fill(BytesOf(text), size, blocks));
    std::set<const uint8_t*> where;
    for (Bytes& block : blocks) {
      where.insert(block.data());
      queue.Push(std::move(block));
    }
    CHECK(queue.waiting() == size && where.size() == InputBlocks::kMostKept + 3);
    return where;
  };
  const auto take = [&] {
    std::string out;
    while (queue.waiting() > 0) {
      const InputQueue::Slice slice = queue.Next(100'000);
      out.append(reinterpret_cast<const char*>(slice.data), slice.size);
      queue.Take(slice.size);
    }
    return out;
  };
  const std::set<const uint8_t*> first = push();
  CHECK(take() == text && queue.blocks().kept() == InputBlocks::kMostKept);
  std::vector<Bytes> kept;
  const std::string some(InputBlocks::kMostKept * InputBlocks::kSize, 'z');
  CHECK(queue.blocks().Fill(BytesOf(some), some.size(), kept));
  for (const Bytes& block : kept) CHECK(first.count(block.data()) == 1 && block.size() == InputBlocks::kSize);
  for (Bytes& block : kept) queue.blocks().GiveBack(std::move(block));
  push();
  CHECK(take() == text && queue.written() == 2 * size);
  queue.Close();
  CHECK(queue.blocks().kept() == 0);
}

TEST(InputIsDropped, "input that is closed before all was taken says so, and takes no more") {
  InputQueue queue;
  queue.Open();
  queue.Push(Block("abc"));
  queue.Take(1);
  queue.Close();
  CHECK(queue.closed_early() && queue.written() == 1 && queue.waiting() == 0);
  queue.Push(Block("def"));
  CHECK(queue.waiting() == 0 && queue.Next(1).size == 0);
  queue.Close();
  CHECK(queue.closed_early());
}
