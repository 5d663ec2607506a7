# The addon, and on Linux the keeper beside it. Operating systems are folders: the lists of sources below are the only
# place that chooses one.
{
  "targets": [
    {
      "target_name": "argv_spawn",
      "sources": [
        "<!@(node scripts/list-sources.mjs core text napi)"
      ],
      "include_dirs": ["native", "<!(node -p \"require('node-addon-api').include_dir\")"],
      # A worker may be terminated in the middle of any call into JavaScript: node-addon-api must not make that fatal.
      "defines": [
        "NAPI_VERSION=8",
        "NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS",
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"
      ],
      "cflags_cc": [
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fvisibility=hidden",
        "-fno-exceptions"
      ],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20"],
      "conditions": [
        ["OS=='linux'", {
          "sources": ["<!@(node scripts/list-sources.mjs unix linux)"],
          # Our threads run for ever: the library must stay when the environment that loaded it goes.
          "ldflags": ["-Wl,-z,nodelete", "-Wl,--gc-sections"]
        }],
        ["OS=='mac'", {
          "sources": ["<!@(node scripts/list-sources.mjs unix darwin)"],
          "xcode_settings": {
            "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
            "GCC_ENABLE_CPP_EXCEPTIONS": "NO",
            "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
            "MACOSX_DEPLOYMENT_TARGET": "11.0",
            "WARNING_CFLAGS": ["-Wall", "-Wextra"]
          }
        }],
        ["OS=='win'", {
          "sources": ["<!@(node scripts/list-sources.mjs win)"],
          # Windows 10, the oldest with PROC_THREAD_ATTRIBUTE_JOB_LIST.
          "defines": ["_WIN32_WINNT=0x0A00", "WIN32_LEAN_AND_MEAN", "NOMINMAX", "UNICODE", "_UNICODE"],
          "libraries": ["user32.lib"],
          "msvs_settings": {
            "VCCLCompilerTool": {"AdditionalOptions": ["/std:c++17", "/utf-8"], "ExceptionHandling": 0}
          }
        }]
      ]
    }
  ],
  "conditions": [
    ["OS=='linux' and target_arch in 'x64 arm64'.split()", {
      "targets": [
        {
          # An executable of its own without any library: the same for every libc, and a few KiB. What node-gyp would add
          # for addons is taken away again.
          "target_name": "argv-spawn-keeper",
          "type": "executable",
          "sources": ["<!@(node scripts/list-sources.mjs keeper)"],
          "include_dirs": ["native"],
          "cflags!": ["-pthread", "-fno-omit-frame-pointer"],
          "cflags_cc!": ["-std=gnu++17", "-std=gnu++20"],
          "cflags_cc": [
            "-std=c++17", "-Os", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fno-exceptions", "-fno-rtti",
            "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-pic", "-fno-pie",
            "-ffunction-sections", "-fdata-sections", "-fvisibility=hidden"
          ],
          "ldflags!": ["-pthread", "-rdynamic"],
          "ldflags": [
            "-nostdlib", "-static", "-no-pie", "-s", "-Wl,--gc-sections", "-Wl,-z,noseparate-code",
            "-Wl,-z,noexecstack", "-Wl,--build-id=none"
          ],
          "configurations": {
            "Release": { "cflags!": ["-O3"] },
            "Debug": { "cflags!": ["-O0"] }
          }
        }
      ]
    }],
    ["OS=='win'", {
      "targets": [
        {
          # A program that sends CTRL_C or CTRL_BREAK to other consoles; beside the addon, which looks for it there.
          "target_name": "argv-spawn-console-event",
          "type": "executable",
          "sources": ["<!@(node scripts/list-sources.mjs console_event)"],
          "win_delay_load_hook": "false",
          "defines": ["_WIN32_WINNT=0x0A00", "WIN32_LEAN_AND_MEAN", "NOMINMAX", "UNICODE", "_UNICODE"],
          "msvs_settings": {
            "VCCLCompilerTool": {"AdditionalOptions": ["/std:c++17", "/utf-8"], "ExceptionHandling": 0},
            "VCLinkerTool": {"SubSystem": 1}
          }
        }
      ]
    }]
  ]
}
