#include "vectors.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "check.h"
#include "text/utf16.h"

namespace {

// A recursive descent over text that is known to be JSON: our own files.
class Reader {
 public:
  explicit Reader(const std::u16string& text) : text_(text) {}

  Json Value() {
    Json value;
    SkipBlanks();
    const char16_t first = Peek();
    if (first == u'"') {
      value.text = String();
    } else if (first == u'[') {
      List(u']', [&] { value.items.push_back(Value()); });
    } else if (first == u'{') {
      List(u'}', [&] {
        SkipBlanks();
        std::u16string name = String();
        SkipBlanks();
        at_++;  // the colon
        value.fields.emplace_back(std::move(name), Value());
      });
    } else {
      while (at_ < text_.size() && std::u16string_view(u",]} \n\r").find(Peek()) == std::u16string_view::npos) at_++;
    }
    return value;
  }

 private:
  char16_t Peek() const { return at_ < text_.size() ? text_[at_] : u'\0'; }
  void SkipBlanks() {
    while (Peek() == u' ' || Peek() == u'\n' || Peek() == u'\r' || Peek() == u'\t') at_++;
  }
  template <typename Item>
  void List(char16_t end, Item item) {
    at_++;
    for (SkipBlanks(); at_ < text_.size() && Peek() != end; SkipBlanks()) {
      item();
      SkipBlanks();
      if (Peek() == u',') at_++;
    }
    at_++;
  }
  std::u16string String() {
    std::u16string value;
    for (at_++; at_ < text_.size() && Peek() != u'"'; at_++) {
      if (Peek() != u'\\') {
        value += Peek();
        continue;
      }
      at_++;
      switch (Peek()) {
        case u'u': {
          const std::string digits(text_.begin() + static_cast<long>(at_) + 1,
                                   text_.begin() + static_cast<long>(at_) + 5);
          value += static_cast<char16_t>(std::strtoul(digits.c_str(), nullptr, 16));
          at_ += 4;
          break;
        }
        case u'n':
          value += u'\n';
          break;
        case u'r':
          value += u'\r';
          break;
        case u't':
          value += u'\t';
          break;
        case u'b':
          value += u'\b';
          break;
        case u'f':
          value += u'\f';
          break;
        default:
          value += Peek();
      }
    }
    at_++;
    return value;
  }

  const std::u16string& text_;
  size_t at_ = 0;
};

}  // namespace

const Json& Json::operator[](const char16_t* name) const {
  static const Json none;
  for (const auto& [key, value] : fields) {
    if (key == name) return value;
  }
  return none;
}

Json ReadVectors(const char* name) {
  std::ifstream file("test/vectors/" + std::string(name) + ".json", std::ios::binary);
  CHECK(file.good());
  const std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::u16string text = argv_spawn::Utf16FromWtf8(content);
  return Reader(text).Value();
}
