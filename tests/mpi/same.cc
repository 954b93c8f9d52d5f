// SPDX-License-Identifier: GPL-3.0-or-later
// Rank 1 differs from the others in one element of each of these values, beyond the part that is shown.
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <vector>

struct Point {
    int at;
    double weight;
};
struct Inner {
    struct {
        struct {
            struct {
                int x[3];
            } c;
        } b;
    } a;
};

static double
work (int odd)
{
    double equal[2000] = { 0 };
    double c[2000] = { 0 };
    Point points[50] = { { 0, 0 } };
    Inner inner = { { { { { 1, 2, 3 } } } } };
    int cube[2][2][2][2][2] = { { { { { 0 } } } } };
    char text[600];
    std::string word (400, 'w');
    std::vector<std::string> names (20, "name");
    std::vector<bool> bits (500, false);
    std::list<int> chain (20, 7);
    std::map<int, Point> table;

    memset (text, 't', sizeof text);
    text[sizeof text - 1] = 0;
    for (int i = 0; i < 30; i++)
        table[i] = { i, 0.5 };
    c[1500] = odd;
    points[40].weight = odd;
    inner.a.b.c.x[2] += odd;
    cube[1][1][1][1][1] = odd;
    text[500] = (char) ('a' + odd);
    word[350] = (char) ('a' + odd);
    names[15] += odd != 0 ? "s" : "";
    bits[400] = odd != 0;
    chain.back () = odd;
    table[25].weight = odd;
    return c[0] + equal[0] + points[0].at + inner.a.b.c.x[0] + cube[0][0][0][0][0] //@ look
           + (double) (strlen (text) + word.size () + names.size () + bits.size () + chain.size ()
                       + table.size ());
}

int
main ()
{
    const char *rank = getenv ("OMPI_COMM_WORLD_RANK");

    return work (rank != nullptr && atoi (rank) == 1) > 0 ? 0 : 1;
}
