#include "win/os_error.h"

#include <utility>

namespace argv_spawn {

namespace {
constexpr DWORD kElevationRequired = 740;  // ERROR_ELEVATION_REQUIRED, which not every SDK has
}  // namespace

std::string ErrorName(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_MOD_NOT_FOUND:
      return "ENOENT";
    case ERROR_DIRECTORY:
      return "ENOTDIR";
    case ERROR_ACCESS_DENIED:
    case kElevationRequired:
    case ERROR_CANT_ACCESS_FILE:
      return "EACCES";
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_PIPE_BUSY:
      return "EBUSY";
    case ERROR_BAD_EXE_FORMAT:
    case ERROR_EXE_MACHINE_TYPE_MISMATCH:
    case ERROR_INVALID_EXE_SIGNATURE:
      return "ENOEXEC";
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_BUFFER_OVERFLOW:
      return "ENAMETOOLONG";
    case ERROR_TOO_MANY_OPEN_FILES:
      return "EMFILE";
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
      return "ENOMEM";
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_NOT_ENOUGH_QUOTA:
    case ERROR_MAX_THRDS_REACHED:
      return "EAGAIN";
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return "ENOSPC";
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS:
      return "EEXIST";
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
    case ERROR_PIPE_NOT_CONNECTED:
      return "EPIPE";
    case ERROR_INVALID_HANDLE:
      return "EBADF";
    case ERROR_INVALID_PARAMETER:
      return "EINVAL";
    case ERROR_NOT_SUPPORTED:
      return "ENOTSUP";
    case ERROR_PRIVILEGE_NOT_HELD:
      return "EPERM";
    case ERROR_WRITE_PROTECT:
      return "EROFS";
    case ERROR_CANT_RESOLVE_FILENAME:
      return "ELOOP";
    case ERROR_IO_DEVICE:
    case ERROR_CRC:
      return "EIO";
    default:
      return "WIN" + std::to_string(error);
  }
}

Failure OsFailure(Stage stage, const char* call, const char* subject, std::string path, DWORD error) {
  Failure failure = Refusal(stage, "", subject, std::move(path), "");
  failure.error = static_cast<int>(error);
  failure.code = ErrorName(error);
  failure.call = call;
  return failure;
}

Failure Refusal(Stage stage, const char* code, const char* subject, std::string path, std::string detail) {
  Failure failure;
  failure.stage = stage;
  failure.code = code;
  failure.subject = subject;
  failure.path = std::move(path);
  failure.detail = std::move(detail);
  return failure;
}

}  // namespace argv_spawn
