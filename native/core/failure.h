// Why nothing was started, as data. Made where the call failed, turned into an error class exactly once, in TypeScript.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace argv_spawn {

enum class Stage { kResolve, kCwd, kLimits, kFork, kSetup, kExec, kInterpreter, kLoader, kBatch, kContainment };

const char* StageName(Stage stage);

// One place that was looked at for a bare name, and the name of what was wrong with it.
struct Tried {
  std::string path;
  std::string code;
};

struct Failure {
  Stage stage = Stage::kSetup;
  int error = 0;             // OS error number
  std::string code;          // its name: "ENOENT"
  std::string call;          // the call that failed: "open"
  std::string subject;       // what is at fault: "program", "cwd", "argv", "env", "stdin", ..., "host"
  std::string path;          // file at fault; empty when there is none
  std::string detail;        // a fact that helps; empty when none
  int64_t index = -1;        // argv or env entry at fault
  int64_t size = -1;         // bytes asked for
  int64_t limit = -1;        // bytes allowed
  std::vector<Tried> tried;  // for a bare name
};

// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}            // NOLINT: conversion is the point
  Result(Failure failure) : state_(std::move(failure)) {}  // NOLINT
  bool ok() const { return state_.index() == 0; }
  T& value() { return std::get<0>(state_); }
  Failure& failure() { return std::get<1>(state_); }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace argv_spawn
