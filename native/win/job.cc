#include "win/job.h"

#include "win/os_error.h"
#include "win/wide.h"

namespace argv_spawn {

namespace {
// Without it a crashed member stays for ever behind a dialog that nobody sees.
constexpr DWORD kAlways = JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
constexpr size_t kFirstMembers = 64;
}  // namespace

bool Job::SetLimits(DWORD flags) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = flags;
  return SetInformationJobObject(handle_.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits) != 0;
}

Result<Job> Job::Make() {
  Job job;
  job.handle_ = UniqueHandle(CreateJobObjectW(nullptr, nullptr));
  if (!job.handle_) return OsFailure(Stage::kContainment, "CreateJobObjectW", "host", "", GetLastError());
  if (!job.SetLimits(kAlways | JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)) {
    return OsFailure(Stage::kContainment, "SetInformationJobObject", "host", "", GetLastError());
  }
  return job;
}

void Job::Watch(HANDLE port, ULONG_PTR key) {
  JOBOBJECT_ASSOCIATE_COMPLETION_PORT association{reinterpret_cast<void*>(key), port};
  // Refused: the end is then seen by looking, which happens anyway.
  SetInformationJobObject(handle_.get(), JobObjectAssociateCompletionPortInformation, &association, sizeof association);
}

std::vector<DWORD> Job::Members() const {
  std::vector<DWORD> members;
  if (!handle_) return members;
  for (size_t room = kFirstMembers;; room *= 4) {
    std::vector<uint8_t> memory(sizeof(JOBOBJECT_BASIC_PROCESS_ID_LIST) + room * sizeof(ULONG_PTR));
    auto* list = reinterpret_cast<JOBOBJECT_BASIC_PROCESS_ID_LIST*>(memory.data());
    const BOOL whole = QueryInformationJobObject(handle_.get(), JobObjectBasicProcessIdList, list,
                                                 static_cast<DWORD>(memory.size()), nullptr);
    if (whole == 0 && GetLastError() == ERROR_MORE_DATA) continue;
    if (whole == 0) return members;
    if (list->NumberOfAssignedProcesses > list->NumberOfProcessIdsInList) continue;
    for (DWORD i = 0; i < list->NumberOfProcessIdsInList; i++) {
      members.push_back(static_cast<DWORD>(list->ProcessIdList[i]));
    }
    return members;
  }
}

bool Job::IsEmpty() const {
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION accounting{};
  if (!handle_) return true;
  const BOOL known = QueryInformationJobObject(handle_.get(), JobObjectBasicAccountingInformation, &accounting,
                                               sizeof accounting, nullptr);
  return known != 0 && accounting.ActiveProcesses == 0;
}

DWORD Job::Terminate(uint32_t code) {
  return TerminateJobObject(handle_.get(), code) != 0 ? ERROR_SUCCESS : GetLastError();
}

void Job::Release() { SetLimits(kAlways); }

static std::wstring ProgramPath(DWORD pid) {
  const UniqueHandle process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid));
  if (!process) return L"";
  std::wstring path(32768, L'\0');
  auto size = static_cast<DWORD>(path.size());
  if (QueryFullProcessImageNameW(process.get(), 0, path.data(), &size) == 0) return L"";
  path.resize(size);
  return path;
}

std::string ProgramName(DWORD pid) {
  const std::wstring path = ProgramPath(pid);
  return Narrow(path.substr(path.find_last_of(L'\\') + 1));
}

bool IsConsoleHost(DWORD pid) {
  static const std::wstring host = [] {
    std::wstring folder(MAX_PATH, L'\0');
    folder.resize(GetSystemDirectoryW(folder.data(), MAX_PATH));
    return folder + L"\\conhost.exe";
  }();
  return _wcsicmp(ProgramPath(pid).c_str(), host.c_str()) == 0;
}

}  // namespace argv_spawn
