// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions of all kinds: thrown and caught one after the other, and one, named by the argument, that nobody
// catches.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>

namespace app
{
struct trouble
{
    int code;
};
struct late : std::runtime_error
{
    using std::runtime_error::runtime_error;
};
struct first
{
    long pad[3] = {};
    virtual ~first () = default;
};
struct both : first, late
{
    both () : late ("behind another base") {}
};
struct changed : std::logic_error
{
    changed () : std::logic_error ("not what it says") {}
    const char *what () const noexcept override { return "something else"; }
};
template <typename T, int N> struct boxed
{
    T value[N];
};
}

struct virtually : virtual std::runtime_error
{
    virtually () : std::runtime_error ("of a virtual base") {}
};

static void
throw_one (const char *name)
{
    static const struct { const char *name; void (*act) (); } ways[] = {
        { "int", [] { throw -7; } },
        { "unsigned", [] { throw 4000000000u; } },
        { "char", [] { throw 'x'; } },
        { "bool", [] { throw true; } },
        { "long", [] { throw 1L << 40; } },
        { "double", [] { throw 1.5; } },
        { "words", [] { throw "as a text"; } },
        { "trouble", [] { throw app::trouble{ 3 }; } },
        { "boxed", [] { throw app::boxed<app::trouble, 2>{}; } },
        { "string", [] { throw std::string ("text"); } },
        { "runtime", [] { throw std::runtime_error ("two\nlines"); } },
        { "late", [] { throw app::late ("made from another"); } },
        { "both", [] { throw app::both (); } },
        { "changed", [] { throw app::changed (); } },
        { "virtually", [] { throw virtually (); } },
        { "alloc", [] { throw std::bad_alloc (); } },
        { "range", [] { std::string ("abc").at (9); } },
        { "file", [] { std::filesystem::file_size ("/nowhere"); } },
        { "again", [] {
              std::exception_ptr kept;

              try {
                  throw std::runtime_error ("kept");
              } catch (...) {
                  kept = std::current_exception ();
              }
              std::rethrow_exception (kept);
          } },
        { "noexcept", [] {
              []() noexcept { throw std::logic_error ("must not leave"); }();
          } },
        { "abort", [] {
              try {
                  throw std::runtime_error ("caught");
              } catch (...) {
                  std::abort ();
              }
          } },
    };

    for (const auto &way : ways) {
        if (std::strcmp (way.name, name) == 0) {
            way.act ();
        }
    }
}

int
main (int argc, char **argv)
{
    if (argc > 1) {
        throw_one (argv[1]);
    }
    for (const char *name : { "int", "unsigned", "char", "bool", "long", "double", "words", "trouble", "boxed",
                              "string", "runtime", "late", "both", "changed", "virtually", "alloc", "range",
                              "file", "again" }) {
        try {
            throw_one (name);
        } catch (...) {
        }
    }
    return 0;
}
