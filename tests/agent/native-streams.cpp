// SPDX-License-Identifier: GPL-3.0-or-later
// Streams of C++, as native-streams.c has those of C. Standard input: words.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

int
main (int, char **argv)
{
    const std::string folder = argv[1];
    std::ostringstream expected;
    std::string word, printed;
    long n_file = 0, n_input = 0;

    {
        std::ofstream stream (folder + "/cpp");
        for (int i = 0; i < 5000; i++) {
            std::ostringstream line;
            line << "line " << i << '\n';
            stream << "line " << i << '\n';
            n_file += static_cast<long> (line.str ().size ());
        }
    }
    std::ifstream stream (folder + "/cpp");
    long n_read = 0;
    while (std::getline (stream, word)) {
        n_read += static_cast<long> (word.size ()) + 1;
    }
    while (std::cin >> word) {
        n_input += static_cast<long> (word.size ()) + 1; // one blank after each
        printed += word[0];
    }
    std::cout << printed << ' ' << 17 << std::endl;
    std::cout.put ('!') << '\n';
    std::cerr << "bytes cpp " << n_read << ' ' << n_file << '\n'
              << "bytes standard_input " << n_input << " 0\n"
              << "bytes standard_output 0 " << printed.size () + 4 + 2 << '\n';
    return 7;
}
