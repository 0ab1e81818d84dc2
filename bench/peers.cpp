// Coal or FCL in a C++ loop, without Python's call overhead, on the meshes and poses that `heurt-bench prepare` wrote.
//
// In: the folder (see src/store.rs), the case names. Out: lines of FOLDER/peers.tsv on standard output.
// Method: as src/timing.rs: an item's time is the least of the rounds; median and mean over the poses.
// Compile once for each library, against the very libraries of the wheels (run.sh has the commands):
// -DCOAL with the wheel's own headers, -DFCL with the headers of the same release (Debian: libfcl-dev 0.7.0).

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#ifdef COAL
#include <coal/BVH/BVH_model.h>
#include <coal/broadphase/broadphase_SSaP.h>
#include <coal/broadphase/broadphase_SaP.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/broadphase/broadphase_interval_tree.h>
#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
namespace lib = coal;
using Vec = coal::Vec3s;
using Transform = coal::Transform3s;
using Geometry = coal::CollisionGeometry;
using Request = coal::CollisionRequest;
using Result = coal::CollisionResult;
static const char *LIBRARY = "Coal";
#else
#include <fcl/fcl.h>
namespace lib = fcl;
using Vec = fcl::Vector3d;
using Transform = fcl::Transform3d;
using Geometry = fcl::CollisionGeometryd;
using Request = fcl::CollisionRequestd;
using Result = fcl::CollisionResultd;
static const char *LIBRARY = "FCL";
#endif

template <class T> std::vector<T> load(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy_n(bytes.data(), values.size() * sizeof(T), reinterpret_cast<char *>(values.data()));
  return values;
}

template <class BV> std::shared_ptr<Geometry> mesh(const std::string &stem) {
  auto numbers = load<double>(stem + ".v");
  auto indices = load<uint32_t>(stem + ".f");
  std::vector<Vec> points;
  for (size_t i = 0; i < numbers.size(); i += 3)
    points.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  std::vector<lib::Triangle> triangles;
  for (size_t i = 0; i < indices.size(); i += 3)
    triangles.emplace_back(indices[i], indices[i + 1], indices[i + 2]);
  auto model = std::make_shared<lib::BVHModel<BV>>();
  model->beginModel(triangles.size(), points.size());
  model->addSubModel(points, triangles);
  model->endModel();
  return model;
}

Transform transform(const double *n) {
  Eigen::Quaterniond turn(n[3], n[0], n[1], n[2]);
#ifdef COAL
  return Transform(turn.toRotationMatrix(), Vec(n[4], n[5], n[6]));
#else
  Transform placed = Transform::Identity();
  placed.linear() = turn.toRotationMatrix();
  placed.translation() = Vec(n[4], n[5], n[6]);
  return placed;
#endif
}

Request request(size_t most) {
#ifdef COAL
  return Request(coal::NO_REQUEST, most);
#else
  return Request(most, false);
#endif
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class BV> void measure(const std::string &folder, const std::string &name, const char *kind, int rounds) {
  auto a = mesh<BV>(folder + "/" + name + ".a"), b = mesh<BV>(folder + "/" + name + ".b");
  for (std::string regime : {"far", "near", "overlap"}) {
    auto poses = load<double>(folder + "/" + name + "." + regime + ".p");
    auto exact = load<uint64_t>(folder + "/" + name + "." + regime + ".n");
    std::vector<std::pair<Transform, Transform>> placed;
    for (size_t i = 0; i < poses.size(); i += 14)
      placed.emplace_back(transform(&poses[i]), transform(&poses[i + 7]));
    for (bool all : {false, true}) {
      if (all && regime != "overlap")
        continue;
      auto asked = request(all ? 1000000 : 1);
      std::vector<double> times(placed.size(), 1e300);
      std::vector<uint64_t> found(placed.size());
      // Far calls are shorter than a look at the clock: many of them between two looks.
      int repeats = regime == "far" ? 100 : 1;
      for (int round = 0; round < rounds; ++round)
        for (size_t i = 0; i < placed.size(); ++i) {
          auto start = std::chrono::steady_clock::now();
          for (int repeat = 0; repeat < repeats; ++repeat) {
            Result result;
            lib::collide(a.get(), placed[i].first, b.get(), placed[i].second, asked, result);
            found[i] = result.numContacts();
          }
          auto end = std::chrono::steady_clock::now();
          double ns = std::chrono::duration<double, std::nano>(end - start).count() / repeats;
          times[i] = std::min(times[i], ns);
        }
      double mean = 0;
      int wrong = 0;
      for (size_t i = 0; i < placed.size(); ++i) {
        mean += times[i] / placed.size();
        wrong += found[i] != (all ? exact[i] : std::min<uint64_t>(exact[i], 1));
      }
      std::printf("%s\t%s\t%s\t%s %s (C++)\t%.1f\t%.1f\t%d\n", name.c_str(), regime.c_str(), all ? "pairs" : "overlap",
                  LIBRARY, kind, median(times), mean, wrong);
      std::fflush(stdout);
    }
  }
}

// The hull as the library wants it.
std::shared_ptr<Geometry> hull(const std::string &stem) {
  auto numbers = load<double>(stem + ".v");
  auto indices = load<uint32_t>(stem + ".f");
  auto points = std::make_shared<std::vector<Vec>>();
  for (size_t i = 0; i < numbers.size(); i += 3)
    points->emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
#ifdef COAL
  auto triangles = std::make_shared<std::vector<coal::Triangle>>();
  for (size_t i = 0; i < indices.size(); i += 3)
    triangles->emplace_back(indices[i], indices[i + 1], indices[i + 2]);
  return std::make_shared<coal::Convex<coal::Triangle>>(points, points->size(), triangles, triangles->size());
#else
  auto faces = std::make_shared<std::vector<int>>();
  for (size_t i = 0; i < indices.size(); i += 3)
    faces->insert(faces->end(), {3, (int)indices[i], (int)indices[i + 1], (int)indices[i + 2]});
  return std::make_shared<fcl::Convexd>(points, indices.size() / 3, faces);
#endif
}

// The distance of two hulls, or minus their depth.
double separation(const Geometry *a, const Transform &at, const Geometry *b, const Transform &bt, bool overlaps) {
#ifdef COAL
  coal::DistanceRequest request(true, true);
  coal::DistanceResult result;
  return coal::distance(a, at, b, bt, request, result);
#else
  if (overlaps) {
    fcl::CollisionRequestd request(1, true);
    fcl::CollisionResultd result;
    fcl::collide(a, at, b, bt, request, result);
    return result.numContacts() ? -result.getContact(0).penetration_depth : 0.0;
  }
  fcl::DistanceRequestd request(true);
  fcl::DistanceResultd result;
  return fcl::distance(a, at, b, bt, request, result);
#endif
}

void measure_hulls(const std::string &folder, const std::string &name, int rounds) {
  auto a = hull(folder + "/" + name + ".a"), b = hull(folder + "/" + name + ".b");
  for (std::string regime : {"near", "overlap"}) {
    auto poses = load<double>(folder + "/" + name + "." + regime + ".p");
    auto right = load<double>(folder + "/" + name + "." + regime + ".d");
    std::vector<double> times;
    int wrong = 0;
    const int repeats = 32;
    for (size_t i = 0; i < poses.size(); i += 14) {
      Transform at = transform(&poses[i]), bt = transform(&poses[i + 7]);
      double least = 1e300, found = 0;
      for (int round = 0; round < rounds; ++round) {
        auto start = std::chrono::steady_clock::now();
        for (int repeat = 0; repeat < repeats; ++repeat)
          found = separation(a.get(), at, b.get(), bt, regime == "overlap");
        auto end = std::chrono::steady_clock::now();
        least = std::min(least, std::chrono::duration<double, std::nano>(end - start).count() / repeats);
      }
      times.push_back(least);
      double exact = right[i / 14];
      wrong += std::abs(std::abs(found) - exact) > 1e-9 * exact;
    }
    double mean = 0;
    for (double time : times)
      mean += time / times.size();
    std::printf("%s\t%s\t%s\t%s (C++)\t%.1f\t%.1f\t%d\n", name.c_str(), regime.c_str(),
                regime == "overlap" ? "depth" : "distance", LIBRARY, median(times), mean, wrong);
    std::fflush(stdout);
  }
}

// Distances along the ways of small steps (`CASE.steps.p`), each pair remembering what the library can remember.
void measure_steps(const std::string &folder, const std::string &name, int rounds) {
  auto a = hull(folder + "/" + name + ".a"), b = hull(folder + "/" + name + ".b");
  auto poses = load<double>(folder + "/" + name + ".steps.p");
  auto right = load<double>(folder + "/" + name + ".steps.d");
  std::vector<std::pair<Transform, Transform>> placed;
  for (size_t i = 0; i < poses.size(); i += 14)
    placed.emplace_back(transform(&poses[i]), transform(&poses[i + 7]));
  const size_t steps = 16;
  const int repeats = 32;
  std::vector<double> times;
  int wrong = 0;
  for (size_t way = 0; way + steps <= placed.size(); way += steps) {
    double least = 1e300;
    std::vector<double> found(steps);
    for (int round = 0; round < rounds; ++round) {
      auto start = std::chrono::steady_clock::now();
      for (int repeat = 0; repeat < repeats; ++repeat) {
#ifdef COAL
        coal::DistanceRequest request(true, true);
        request.gjk_initial_guess = coal::GJKInitialGuess::CachedGuess;
        for (size_t step = 0; step < steps; ++step) {
          coal::DistanceResult result;
          const auto &[at, bt] = placed[way + step];
          found[step] = coal::distance(a.get(), at, b.get(), bt, request, result);
          request.updateGuess(result);
        }
#else
        for (size_t step = 0; step < steps; ++step)
          found[step] = separation(a.get(), placed[way + step].first, b.get(), placed[way + step].second, false);
#endif
      }
      auto end = std::chrono::steady_clock::now();
      double each = std::chrono::duration<double, std::nano>(end - start).count() / (repeats * steps);
      least = std::min(least, each);
    }
    times.push_back(least);
    bool is_right = true;
    for (size_t step = 0; step < steps; ++step)
      is_right &= std::abs(found[step] - right[way + step]) <= 1e-9 * right[way + step];
    wrong += !is_right;
  }
  double mean = 0;
  for (double time : times)
    mean += time / times.size();
  std::printf("%s\tnear\tsteps\t%s (C++)\t%.1f\t%.1f\t%d\n", name.c_str(), LIBRARY, median(times), mean, wrong);
  std::fflush(stdout);
}

// The sizes of src/solids.rs.
std::shared_ptr<Geometry> solid(const std::string &name) {
#ifdef COAL
  if (name == "box-100k")
    return std::make_shared<coal::Box>(0.6, 0.4, 0.2);
  return std::make_shared<coal::Capsule>(0.15, 0.6);
#else
  if (name == "box-100k")
    return std::make_shared<fcl::Boxd>(0.6, 0.4, 0.2);
  return std::make_shared<fcl::Capsuled>(0.15, 0.6);
#endif
}

template <class BV> void measure_solid(const std::string &folder, const std::string &name, const char *kind, int rounds) {
  auto a = mesh<BV>(folder + "/" + name + ".a"), b = solid(name);
  for (std::string regime : {"near", "overlap"}) {
    auto poses = load<double>(folder + "/" + name + "." + regime + ".p");
    auto exact = load<double>(folder + "/" + name + ".near.d");
    std::vector<std::pair<Transform, Transform>> placed;
    for (size_t i = 0; i < poses.size(); i += 14)
      placed.emplace_back(transform(&poses[i]), transform(&poses[i + 7]));
    for (bool measures : {false, true}) {
      if (measures && regime == "overlap")
        continue;
      std::vector<double> times;
      int wrong = 0;
      for (size_t i = 0; i < placed.size(); ++i) {
        double least = 1e300, found = 0;
        for (int round = 0; round < rounds; ++round) {
          auto start = std::chrono::steady_clock::now();
          if (measures) {
            found = separation(a.get(), placed[i].first, b.get(), placed[i].second, false);
          } else {
            Result result;
            lib::collide(a.get(), placed[i].first, b.get(), placed[i].second, request(1), result);
            found = result.numContacts();
          }
          auto end = std::chrono::steady_clock::now();
          least = std::min(least, std::chrono::duration<double, std::nano>(end - start).count());
        }
        times.push_back(least);
        wrong += measures ? std::abs(found - exact[i]) > 1e-5 * exact[i] : (found > 0) != (regime == "overlap");
      }
      double mean = 0;
      for (double time : times)
        mean += time / times.size();
      std::printf("%s\t%s\t%s\t%s %s (C++)\t%.1f\t%.1f\t%d\n", name.c_str(), regime.c_str(),
                  measures ? "distance" : "overlap", LIBRARY, kind, median(times), mean, wrong);
      std::fflush(stdout);
    }
  }
}

// Broad phases on the moving boxes of `heurt-bench broad --case write`: updates and all pairs, a step at a time, no rounds.
#ifdef COAL
using Object = coal::CollisionObject;
using Managers = coal::BroadPhaseCollisionManager;
using Sap = coal::SaPCollisionManager;
using Ssap = coal::SSaPCollisionManager;
using Intervals = coal::IntervalTreeCollisionManager;
using Tree = coal::DynamicAABBTreeCollisionManager;
using Box = coal::Box;
struct Count : coal::CollisionCallBackBase {
  size_t pairs = 0;
  bool collide(Object *, Object *) override {
    ++pairs;
    return false;
  }
};
size_t count_pairs(Managers &manager) {
  Count count;
  manager.collide(&count);
  return count.pairs;
}
#else
using Object = fcl::CollisionObjectd;
using Managers = fcl::BroadPhaseCollisionManagerd;
using Sap = fcl::SaPCollisionManagerd;
using Ssap = fcl::SSaPCollisionManagerd;
using Intervals = fcl::IntervalTreeCollisionManagerd;
using Tree = fcl::DynamicAABBTreeCollisionManagerd;
using Box = fcl::Boxd;
size_t count_pairs(Managers &manager) {
  size_t pairs = 0;
  manager.collide(&pairs, [](Object *, Object *, void *pairs) {
    ++*static_cast<size_t *>(pairs);
    return false;
  });
  return pairs;
}
#endif

void measure_broad(const std::string &folder, const std::string &name, Managers &manager, const char *kind) {
  auto numbers = load<float>(folder + "/" + name + ".f32");
  auto header = load<uint32_t>(folder + "/" + name + ".f32");
  size_t boxes = header[0], frames = header[1], pairs = 0;
  auto bounds = [&](size_t frame, size_t box) { return &numbers[2 + 6 * (frame * boxes + box)]; };
  auto middle = [](const float *b) -> Vec { return Vec(b[0] + b[3], b[1] + b[4], b[2] + b[5]) / 2; };
  std::vector<std::unique_ptr<Object>> objects;
  std::vector<Object *> all;
  for (size_t i = 0; i < boxes; ++i) {
    auto b = bounds(0, i);
    auto shape = std::make_shared<Box>(b[3] - b[0], b[4] - b[1], b[5] - b[2]);
    Transform at = Transform();
    at.setIdentity();
    objects.push_back(std::make_unique<Object>(shape, at));
    objects[i]->setTranslation(middle(b));
    objects[i]->computeAABB();
    all.push_back(objects[i].get());
  }
  manager.registerObjects(all);
  manager.setup();
  std::vector<double> times;
  for (size_t frame = 1; frame < frames; ++frame) {
    for (size_t i = 0; i < boxes; ++i) {
      objects[i]->setTranslation(middle(bounds(frame, i)));
      objects[i]->computeAABB();
    }
    auto start = std::chrono::steady_clock::now();
    manager.update();
    pairs = count_pairs(manager);
    auto end = std::chrono::steady_clock::now();
    times.push_back(std::chrono::duration<double, std::nano>(end - start).count());
  }
  double mean = 0;
  for (double time : times)
    mean += time / times.size();
  std::printf("broad\t%s\t%zu pairs\t%s %s (C++)\t%.1f\t%.1f\t0\n", name.c_str(), pairs, LIBRARY, kind, median(times), mean);
  std::fflush(stdout);
}

int main(int count, char **arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: %s FOLDER CASE...\n", arguments[0]);
    return 2;
  }
  for (int i = 2; i < count; ++i) {
    std::string name = arguments[i];
    if (name.rfind("broad-", 0) == 0) {
      Tree tree;
      measure_broad(arguments[1], name, tree, "tree");
      Sap sap;
      measure_broad(arguments[1], name, sap, "sweep and prune");
      Ssap ssap;
      measure_broad(arguments[1], name, ssap, "simple sweep and prune");
      Intervals intervals;
      measure_broad(arguments[1], name, intervals, "interval trees");
      continue;
    }
    if (name.rfind("hull-", 0) == 0) {
      measure_hulls(arguments[1], name, 7);
      measure_steps(arguments[1], name, 7);
      continue;
    }
    if (name == "box-100k" || name == "capsule-100k") {
#ifdef COAL
      measure_solid<coal::OBBRSS>(arguments[1], name, "OBBRSS", 7);
#else
      measure_solid<fcl::OBBRSSd>(arguments[1], name, "OBBRSS", 7);
#endif
      continue;
    }
#ifdef COAL
    measure<coal::OBBRSS>(arguments[1], arguments[i], "OBBRSS", 7);
    measure<coal::OBB>(arguments[1], arguments[i], "OBB", 7);
#else
    measure<fcl::OBBRSSd>(arguments[1], arguments[i], "OBBRSS", 7);
    measure<fcl::OBBd>(arguments[1], arguments[i], "OBB", 7);
#endif
  }
}
