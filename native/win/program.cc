#include "win/program.h"

#include <windows.h>

#include <algorithm>
#include <utility>

#include "text/npm_launcher.h"
#include "text/program_candidates.h"
#include "text/shim.h"
#include "win/environment.h"
#include "win/handle.h"
#include "win/os_error.h"
#include "win/wide.h"

namespace argv_spawn {

namespace {

constexpr DWORD kLargestShim = 64 * 1024;
constexpr DWORD kIsFolder = 336;  // ERROR_DIRECTORY_NOT_SUPPORTED, which not every SDK has

// 0 when there is a file that is no folder, else the error that describes it. By attributes, never by opening: an App
// Execution Alias is an empty reparse point that cannot be opened and runs all the same.
DWORD CheckFile(const std::wstring& path) {
  const DWORD attributes = GetFileAttributesW(LongForm(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return GetLastError();
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? kIsFolder : ERROR_SUCCESS;
}

std::string NameForTried(DWORD error) { return error == kIsFolder ? "EISDIR" : ErrorName(error); }

bool IsMissing(DWORD error) {
  const std::string name = NameForTried(error);
  return name == "ENOENT" || name == "ENOTDIR";
}

std::wstring Join(const std::wstring& folder, const std::wstring& name) {
  const bool ended = !folder.empty() && (folder.back() == L'\\' || folder.back() == L'/');
  return folder + (ended ? L"" : L"\\") + name;
}

std::wstring FolderOf(const std::wstring& path) { return path.substr(0, path.find_last_of(L"\\/")); }

std::optional<std::string> ReadSmallFile(const std::wstring& path) {
  const UniqueHandle file(CreateFileW(LongForm(path).c_str(), GENERIC_READ,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING, 0,
                                      nullptr));
  if (!file) return std::nullopt;
  std::string content(kLargestShim + 1, '\0');
  DWORD count = 0;
  if (ReadFile(file.get(), content.data(), kLargestShim + 1, &count, nullptr) == 0) return std::nullopt;
  content.resize(count);
  return content;
}

struct Hit {
  std::wstring path;
  Verdict verdict;
};

struct Search {
  std::vector<Tried> tried;
  DWORD error = ERROR_FILE_NOT_FOUND;  // the first thing that stood in the way of a file that is there wins
  std::wstring error_path;
};

// The first of the candidates that is there.
std::optional<Hit> TryCandidates(const std::wstring& path, const std::string& pathext, bool bare, Search& search) {
  for (const Candidate& candidate : ListCandidates(Units(path), Utf16FromWtf8(pathext), bare)) {
    const std::wstring wide = Widen(candidate.path);
    // A name that is refused whatever is behind it must not depend on how the file system takes it.
    if (candidate.verdict == Verdict::kStream) return Hit{wide, candidate.verdict};
    const std::wstring full = FullPath(wide);
    std::wstring looked_at = full;
    if (const size_t stream = Units(full).find(u':', 2); stream != full.npos && full.compare(0, 4, L"\\\\?\\") != 0) {
      looked_at.resize(stream);  // a.bat::$DATA is there when a.bat is
    }
    const DWORD error = CheckFile(looked_at);
    if (error == ERROR_SUCCESS) return Hit{full, candidate.verdict};
    search.tried.push_back({Narrow(full), NameForTried(error)});
    if (IsMissing(search.error) && !IsMissing(error)) {
      search.error = error;
      search.error_path = full;
    }
  }
  return std::nullopt;
}

Failure NotFound(Search search, const ProgramQuery& query, bool bare) {
  const DWORD error = search.error == kIsFolder ? ERROR_ACCESS_DENIED : search.error;
  std::string path = Narrow(search.error_path);
  if (path.empty() && !bare && !search.tried.empty()) path = search.tried.front().path;
  Failure failure = OsFailure(Stage::kResolve, "GetFileAttributesW", "program", std::move(path), error);
  if (bare && !query.path) failure.detail = "no-path";
  failure.tried = std::move(search.tried);
  return failure;
}

Result<Hit> FindBare(const ProgramQuery& query) {
  Search search;
  const std::u16string path = Utf16FromWtf8(query.path.value_or(""));
  for (const std::u16string& entry : SplitPath(path)) {
    if (!query.path) break;
    if (entry.empty() || !IsFullyQualified(entry)) {
      search.tried.push_back({Wtf8FromUtf16(entry), entry.empty() ? "EMPTY" : "RELATIVE"});
      continue;
    }
    const std::wstring candidate = Join(Widen(entry), Widen(query.name));
    if (auto hit = TryCandidates(candidate, query.pathext, true, search)) return std::move(*hit);
  }
  return NotFound(std::move(search), query, true);
}

Result<Hit> FindByPath(const ProgramQuery& query) {
  const std::wstring name = Widen(query.name);
  std::wstring path = name;
  if (!IsFullyQualified(Units(name))) {
    if (name.size() > 1 && name[1] == L':') {
      return Refusal(Stage::kResolve, "EINVAL", "program", query.name, "drive-relative");
    }
    if (!query.base) return OsFailure(Stage::kResolve, "getcwd", "program", query.name, ERROR_FILE_NOT_FOUND);
    const std::wstring base = FullPath(Widen(*query.base));
    // "\tool" starts at the root of the base's drive.
    path = name.front() == L'\\' || name.front() == L'/' ? base.substr(0, 2) + name : Join(base, name);
  }
  Search search;
  if (auto hit = TryCandidates(path, query.pathext, false, search)) return std::move(*hit);
  return NotFound(std::move(search), query, false);
}

std::wstring Expand(const ShimWord& word, const std::wstring& folder) {
  const std::wstring text = Widen(word.text);
  return word.beside ? FullPath(Join(folder, text)) : text;
}

// What the launcher starts: the program beside it when that is there, else the name it looks up.
std::string ProgramOf(const Shim& shim, const std::wstring& folder) {
  if (shim.program_here) {
    const std::wstring here = Expand(*shim.program_here, folder);
    if (CheckFile(here) == ERROR_SUCCESS) return Narrow(here);
  }
  return Narrow(Expand(shim.program, folder));
}

// "program argument argument", for the error about a launcher that was not to be resolved.
std::string Describe(const Shim& shim, const std::wstring& folder) {
  std::string text = ProgramOf(shim, folder);
  for (const ShimWord& word : shim.arguments) text += " " + Narrow(Expand(word, folder));
  return text;
}

// The script of the npm that was installed by npm itself, where npm.cmd prefers it. The launcher runs npm to learn its
// global folder; here the places are read where that is set in practice: the environment, the user's npmrc, and the one
// that the Node installer puts beside npm.
std::optional<std::wstring> FindGlobalNpm(const std::string& env, const std::wstring& folder, const Shim& shim) {
  const auto lookup = [&env](const std::string& name) { return FindInEnvironment(env, name); };
  std::optional<std::string> prefix = lookup("npm_config_prefix");
  const std::wstring user =
      Widen(lookup("npm_config_userconfig").value_or(lookup("USERPROFILE").value_or("") + "\\.npmrc"));
  for (const std::wstring& file : {user, folder + L"\\node_modules\\npm\\npmrc"}) {
    if (prefix || !IsFullyQualified(Units(file))) continue;
    if (const std::optional<std::string> content = ReadSmallFile(file)) prefix = ReadNpmPrefix(*content, lookup);
  }
  if (!prefix || !IsFullyQualified(Utf16FromWtf8(*prefix))) return std::nullopt;
  const std::wstring script = FullPath(Join(Widen(*prefix), Widen(shim.global_script)));
  if (CheckFile(script) != ERROR_SUCCESS) return std::nullopt;
  return script;
}

Result<FoundProgram> FindBehindShim(const ProgramQuery& query, const Hit& hit) {
  const std::wstring folder = FolderOf(hit.path);
  const std::optional<std::string> content = ReadSmallFile(hit.path);
  const std::optional<Shim> shim = content ? ParseShim(*content) : std::nullopt;
  if (!shim || !query.resolve_shims) {
    return Refusal(Stage::kBatch, "ERR_BATCH_REFUSED", "program", Narrow(hit.path),
                   shim ? Describe(*shim, folder) : "");
  }
  ProgramQuery inner = query;
  inner.name = ProgramOf(*shim, folder);
  inner.resolve_shims = false;  // a launcher of a launcher is nothing that a package manager writes
  Result<FoundProgram> found = FindProgram(inner);
  if (!found.ok()) return found;
  std::vector<std::string>& arguments = found.value().arguments;
  for (const ShimWord& word : shim->arguments) arguments.push_back(Narrow(Expand(word, folder)));
  if (!shim->global_script.empty() && query.env != nullptr) {
    if (const auto script = FindGlobalNpm(*query.env, folder, *shim)) arguments[0] = Narrow(*script);
  }
  for (const ShimVariable& variable : shim->variables) {
    const std::string old = variable.keeps_old ? ";%" + variable.name + "%" : "";
    found.value().variables.emplace_back(variable.name, variable.value + old);
  }
  found.value().through_shim = true;
  return found;
}

}  // namespace

std::wstring FullPath(const std::wstring& path) {
  const DWORD size = GetFullPathNameW(path.c_str(), 0, nullptr, nullptr);
  std::wstring full(size, L'\0');
  const DWORD length = GetFullPathNameW(path.c_str(), size, full.data(), nullptr);
  if (length == 0 || length >= size) return path;
  full.resize(length);
  return full;
}

std::wstring LongForm(const std::wstring& path) {
  if (path.size() < MAX_PATH || path.compare(0, 4, L"\\\\?\\") == 0) return path;
  if (path.compare(0, 2, L"\\\\") == 0) return L"\\\\?\\UNC" + path.substr(1);
  return L"\\\\?\\" + path;
}

Result<FoundProgram> FindProgram(const ProgramQuery& query) {
  Result<Hit> hit = IsBareName(Utf16FromWtf8(query.name)) ? FindBare(query) : FindByPath(query);
  if (!hit.ok()) return std::move(hit.failure());
  switch (hit.value().verdict) {
    case Verdict::kProgram:
      return FoundProgram{Narrow(hit.value().path), {}, {}, false};
    case Verdict::kBatch:
      return FindBehindShim(query, hit.value());
    case Verdict::kStream:
      break;
  }
  return Refusal(Stage::kResolve, "EINVAL", "program", Narrow(hit.value().path), "alternate-stream");
}

}  // namespace argv_spawn
