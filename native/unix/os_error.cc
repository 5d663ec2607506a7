#include "unix/os_error.h"

#include <cerrno>
#include <utility>

namespace argv_spawn {

std::string ErrnoName(int error) {
  switch (error) {
#define NAME(code) \
  case code:       \
    return #code
    NAME(E2BIG);
    NAME(EACCES);
    NAME(EAGAIN);
    NAME(EBADF);
    NAME(EBUSY);
    NAME(ECHILD);
    NAME(EDQUOT);
    NAME(EEXIST);
    NAME(EFAULT);
    NAME(EFBIG);
    NAME(EINTR);
    NAME(EINVAL);
    NAME(EIO);
    NAME(EISDIR);
    NAME(ELOOP);
    NAME(EMFILE);
    NAME(ENAMETOOLONG);
    NAME(ENFILE);
    NAME(ENODEV);
    NAME(ENOENT);
    NAME(ENOEXEC);
    NAME(ENOMEM);
    NAME(ENOSPC);
    NAME(ENOSYS);
    NAME(ENOTDIR);
    NAME(ENOTSUP);
    NAME(ENXIO);
    NAME(EPERM);
    NAME(EPIPE);
    NAME(EROFS);
    NAME(ESRCH);
    NAME(ESTALE);
    NAME(ETIMEDOUT);
    NAME(ETXTBSY);
#undef NAME
    default:
      return "E" + std::to_string(error);
  }
}

Failure OsFailure(Stage stage, const char* call, const char* subject, std::string path, int error) {
  Failure failure;
  failure.stage = stage;
  failure.error = error;
  failure.code = ErrnoName(error);
  failure.call = call;
  failure.subject = subject;
  failure.path = std::move(path);
  return failure;
}

}  // namespace argv_spawn
