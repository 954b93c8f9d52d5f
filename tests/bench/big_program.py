# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a C++ program with at least 80 MB of debug information in a folder, once: a few files that use
the standard library's templates are compiled, each is linked in under several names, so that making
it does not take longer than measuring with it. Argument: folder. Prints the program's path."""
import os
import subprocess
import sys

FILES, WANTED = 6, 80 << 20
SOURCE = """
#include <algorithm>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
namespace part%(n)d {
%(classes)s
int work (int argc) { return %(calls)s; }
}
"""
CLASS = """
struct Key%(m)d { int a, b; std::string name;
    bool operator< (const Key%(m)d &o) const { return a < o.a || (a == o.a && name < o.name); } };
template <typename T> class Table%(m)d {
public:
    std::map<Key%(m)d, std::vector<T>> rows;
    std::unordered_map<std::string, std::shared_ptr<Key%(m)d>> keys;
    std::deque<std::function<int (const T &)>> rules;
    std::set<Key%(m)d> seen;
    int add (const Key%(m)d &key, const T &value)
    {
        auto &row = rows[key];
        row.push_back (value);
        keys[key.name] = std::make_shared<Key%(m)d> (key);
        seen.insert (key);
        rules.push_back ([&] (const T &other) { return other < value ? 1 : 0; });
        std::sort (row.begin (), row.end (), [] (const T &x, const T &y) { return x < y; });
        std::list<T> copy (row.begin (), row.end ());
        copy.sort ();
        return std::count_if (copy.begin (), copy.end (), [&] (const T &x) { return !(x < value); });
    }
};
inline int work%(m)d (int n)
{
    Table%(m)d<int> numbers; Table%(m)d<std::string> words;
    Key%(m)d key = { n, %(m)d, "key" };
    return numbers.add (key, n) + words.add (key, "word");
}
"""
REGEX = """
inline bool match (const std::string &text)
{
    return std::regex_search (text, std::regex ("a+[0-9]*b?(c|d)"));
}
"""


def run(*words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def compile_part(folder, n):
    source, target = os.path.join(folder, f"part{n}.cc"), os.path.join(folder, f"part{n}.o")
    if not os.path.exists(target):
        classes = REGEX + "".join(CLASS % {"m": m} for m in range(8))
        calls = " + ".join(f"work{m} (argc)" for m in range(8)) + ' + match ("a1b")'
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE % {"n": n, "classes": classes, "calls": calls})
        run("g++", "-g", "-O0", "-std=c++17", "-c", source, "-o", target + ".new")
        os.rename(target + ".new", target)
    return target


def list_defined(path):
    text = subprocess.run(["nm", "--defined-only", "--extern-only", "--format=posix", path],
                          capture_output=True, text=True, check=True).stdout
    return sorted({line.split()[0] for line in text.splitlines()})


def measure(path):
    text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    return sum(int(line.split("]")[1].split()[4], 16) for line in text.splitlines()
               if "] .debug_" in line)


def copy_part(folder, part, copy):
    target = f"{part[:-2]}-{copy}.o"
    names = os.path.join(folder, "names")
    with open(names, "w", encoding="utf-8") as file:
        file.writelines(f"{name} c{copy}_{name}\n" for name in list_defined(part))
    run("objcopy", f"--redefine-syms={names}", part, target)
    return target


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "big")
    if not os.path.exists(program):
        main_source = os.path.join(folder, "main.c")
        with open(main_source, "w", encoding="utf-8") as file:
            file.write("int main (int argc, char **argv)\n{\n    (void) argv;\n    return argc - 1;\n}\n")
        parts = [compile_part(folder, n) for n in range(FILES)]
        objects = [os.path.join(folder, "main.o")]
        run("gcc", "-g", "-c", main_source, "-o", objects[0])
        copies = max(1, WANTED // (sum(map(measure, parts)) * 2 // 5) + 1)
        objects += [copy_part(folder, part, copy) for part in parts for copy in range(copies)]
        run("g++", *objects, "-o", program + ".new")
        for name in objects[1:]:
            os.unlink(name)
        os.rename(program + ".new", program)
    if measure(program) < WANTED:
        sys.exit(f"big_program: {program} has only {measure(program) >> 20} MB of debug information")
    print(program)


if __name__ == "__main__":
    main()
