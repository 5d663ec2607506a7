// Which files a program name may mean on Windows, and which of them may be run. Pure: nothing is looked at on disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace argv_spawn {

enum class Verdict {
  kProgram,
  kBatch,   // CreateProcessW would start cmd.exe for it, whose parser is out of our hands
  kStream,  // an alternate data stream ("tool.exe:other") of something that is not a batch file
};

// By the last component after what Windows itself does to it: trailing dots and spaces go, case does not count, and
// "a.bat::$DATA" is a.bat.
//
//   a.exe      program      a.BAT. .   batch      a.bat::$DATA   batch      a.exe:x   stream
Verdict JudgeFile(std::u16string_view path);

// Whether a name is looked up in PATH: it has no slash of either kind and no colon.
bool IsBareName(std::u16string_view name);
// "C:\x", "\\server\share", "\\?\C:\x": means the same whatever the current folder and drive are.
bool IsFullyQualified(std::u16string_view path);

struct Candidate {
  std::u16string path;
  Verdict verdict;
};

// What to try, in order, for `path` (a folder's entry, without the folder rules of PATH).
//
//   tool      tool.exe tool.com, then the batch kinds that PATHEXT names (an absent PATHEXT has both), then, for a path
//             that was given, the file itself
//   tool.x    tool.x, then tool.x.exe tool.x.com
std::vector<Candidate> ListCandidates(std::u16string_view path, std::u16string_view pathext, bool bare);

// The entries of PATH, as written but without quotes around them. Strange values have a defined meaning: `;;` is two
// empty entries, `"C:\a;b";C:\c` has two entries, an unpaired quote runs to the end.
std::vector<std::u16string> SplitPath(std::u16string_view path);

}  // namespace argv_spawn
