// Reading the shared rows of test/vectors. Only what those files need of JSON: values of any kind, text in UTF-16.
#pragma once

#include <string>
#include <utility>
#include <vector>

struct Json {
  std::u16string text;                                  // a string
  std::vector<Json> items;                              // an array
  std::vector<std::pair<std::u16string, Json>> fields;  // an object

  // An empty value when there is no such field.
  const Json& operator[](const char16_t* name) const;
};

// The file `name`.json. A file that cannot be read is a failed check, and an empty value.
Json ReadVectors(const char* name);
