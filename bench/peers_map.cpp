// CGAL's linear cell complex of dimension 3 on the grid of `heurt-bench map`: build, visit, memory.
//
// In: cells along an axis, rounds. Out: lines of FOLDER/peers.tsv on standard output (see src/store.rs).
// Method: the least of all rounds. The build makes each hexahedron over its eight points and sews it to those before it
// through a table of their faces' darts, so that nothing is searched; vertices are merged by the sewing, as CGAL's
// `sew<3>` does. `sew3_same_facets` is the call that finds the neighbours by itself. Visits go over all darts, and from
// one that is not marked over the darts of its cell, which marks them.
// Debian: libcgal-dev. g++ -std=c++17 -O3 -DNDEBUG peers_map.cpp -o target/peers-map -lgmp

#include <CGAL/Linear_cell_complex_for_combinatorial_map.h>
#include <CGAL/Linear_cell_complex_constructors.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

using Complex = CGAL::Linear_cell_complex_for_combinatorial_map<3>;
using Dart = Complex::Dart_handle;
using Point = Complex::Point;

static Dart hexahedron(Complex &map, int i, int j, int k) {
  auto at = [&](int x, int y, int z) { return Point(i + x, j + y, k + z); };
  return map.make_hexahedron(at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0), at(0, 1, 1), at(0, 0, 1), at(1, 0, 1),
                             at(1, 1, 1));
}

static std::unique_ptr<Complex> searched(int n) {
  auto map = std::make_unique<Complex>();
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        hexahedron(*map, i, j, k);
  map->sew3_same_facets();
  return map;
}

// The darts of a new hexahedron whose face lies at the low and at the high end of an axis, from corresponding corners.
struct Ends {
  Dart low[3], high[3];
};

// The dart of the hexahedron from one of its points to another, by its coordinates.
static Dart find(Complex &map, Dart any, const Point &from, const Point &to, const Point &third) {
  for (auto it = map.darts_of_cell<3>(any).begin(), end = map.darts_of_cell<3>(any).end(); it != end; ++it)
    if (map.point(it) == from && map.point(map.beta(it, 1)) == to && map.point(map.beta(it, 1, 1)) == third)
      return it;
  std::abort();
}

// Where those darts are, as steps from the dart that `make_hexahedron` gives: found once, on a hexahedron of its own.
struct Recipe {
  std::vector<int> low[3], high[3];
};

static std::vector<int> steps(Complex &map, Dart from, Dart to) {
  std::vector<std::pair<Dart, std::vector<int>>> queue{{from, {}}};
  for (size_t next = 0; next < queue.size(); ++next) {
    auto [dart, path] = queue[next];
    if (dart == to)
      return path;
    for (int beta : {1, 2}) {
      Dart other = map.beta(dart, beta);
      if (std::none_of(queue.begin(), queue.end(), [&](const auto &seen) { return seen.first == other; })) {
        auto longer = path;
        longer.push_back(beta);
        queue.emplace_back(other, longer);
      }
    }
  }
  std::abort();
}

static Recipe recipe() {
  Complex map;
  Dart any = hexahedron(map, 0, 0, 0);
  Recipe made;
  for (int axis = 0; axis < 3; ++axis) {
    auto corner = [&](int along, int u, int v) {
      int c[3];
      c[axis] = along, c[(axis + 1) % 3] = u, c[(axis + 2) % 3] = v;
      return Point(c[0], c[1], c[2]);
    };
    // Either face is walked the way its dart goes; the two ways are opposite, the edge is the same.
    for (int along : {0, 1}) {
      Dart found = nullptr;
      for (auto it = map.darts().begin(), end = map.darts().end(); it != end; ++it) {
        Point from = corner(along, along, 0), to = corner(along, 1 - along, 0), third = corner(along, 1 - along, 1);
        if (map.point(it) == from && map.point(map.beta(it, 1)) == to && map.point(map.beta(it, 1, 1)) == third)
          found = it;
        from = corner(along, 1 - along, 0), to = corner(along, along, 0), third = corner(along, along, 1);
        if (map.point(it) == from && map.point(map.beta(it, 1)) == to && map.point(map.beta(it, 1, 1)) == third)
          found = it;
      }
      (along ? made.high : made.low)[axis] = steps(map, any, found);
    }
  }
  return made;
}

static Dart follow(Complex &map, Dart dart, const std::vector<int> &path) {
  for (int beta : path)
    dart = map.beta(dart, beta);
  return dart;
}

static std::unique_ptr<Complex> sewn(int n, const Recipe &made) {
  auto map = std::make_unique<Complex>();
  std::vector<Dart> high[3];
  for (auto &axis : high)
    axis.resize(size_t(n) * n * n);
  const int stride[3] = {1, n, n * n};
  for (int k = 0, number = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i, ++number) {
        Dart dart = hexahedron(*map, i, j, k);
        const int place[3] = {i, j, k};
        for (int axis = 0; axis < 3; ++axis) {
          high[axis][number] = follow(*map, dart, made.high[axis]);
          if (place[axis] > 0)
            map->sew<3>(follow(*map, dart, made.low[axis]), high[axis][number - stride[axis]]);
        }
      }
  return map;
}

// The quickest way that CGAL has: its basic ranges leave the darts of the cell marked, so that one mark does for all.
template <unsigned D> static uint64_t visit(Complex &map) {
  uint64_t darts = 0;
  auto mark = map.get_new_mark();
  for (auto dart = map.darts().begin(), end = map.darts().end(); dart != end; ++dart)
    if (!map.is_marked(dart, mark)) {
      auto cell = map.darts_of_cell_basic<D>(dart, mark);
      for (auto it = cell.begin(), last = cell.end(); it != last; ++it)
        ++darts;
    }
  map.negate_mark(mark);
  map.free_mark(mark);
  return darts;
}

template <class F> static double least(int rounds, F call) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    call();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

int main(int count, char **arguments) {
  const int n = count > 1 ? std::atoi(arguments[1]) : 32, rounds = count > 2 ? std::atoi(arguments[2]) : 5;
  const Recipe made = recipe();
  auto line = [&](const char *what, double value) { std::printf("map\tgrid-%d\t%s\tCGAL\t%.0f\t%.0f\t0\n", n, what, value, value); };
  std::unique_ptr<Complex> map;
  double fastest = 1e300;
  for (int round = 0; round < rounds; ++round) {
    map.reset();
    fastest = std::min(fastest, least(1, [&] { map = sewn(n, made); }));
  }
  line("build", fastest);
  uint64_t stars = 0, cells = 0;
  line("vertices", least(rounds, [&] { stars = visit<0>(*map); }));
  line("volumes", least(rounds, [&] { cells = visit<3>(*map); }));
  if (stars != map->number_of_darts() || cells != stars || !map->is_valid())
    std::abort();
  line("bytes", double(sizeof(Complex::Dart)));
  line("bytes-all", double(map->bytes()) / double(map->number_of_darts()));
  if (n <= 32)
    line("build-searched", least(1, [&] { searched(n); }));
  std::fprintf(stderr, "%zu darts, %zu vertices, %zu volumes\n", size_t(map->number_of_darts()),
               size_t(map->one_dart_per_cell<0>().size()), size_t(map->one_dart_per_cell<3>().size()));
}
