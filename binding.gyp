# The addon. Operating systems are folders: the list of sources below is the only place that chooses one.
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
        }]
      ]
    }
  ]
}
