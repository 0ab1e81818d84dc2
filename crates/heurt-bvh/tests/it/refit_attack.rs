//! Trees of every kind under every order of refits, partial refits, moved points, rotations and bad input: volumes hold what
//! they should, and an error leaves the tree as it was.

use crate::soup::Soup;
use heurt_bvh::simd::{HasLanes, Machine};
use heurt_bvh::volume::{BoundingVolume, Fitting};
use heurt_bvh::{Aabb32, AabbSlab, BuildOptions, Bvh, BvhError, KDop14, KDop18, KDop26, Obb, Rss, Sphere};
use heurt_geometry::Vec3;
use heurt_testkit::number::random::Random;

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.whole(0, from.len() as i64 - 1) as usize]
}

/// Shapes and sizes of all kinds.
fn soup(random: &mut Random) -> Soup {
    let count = pick(random, &[1, 8, 9, 70, 300]);
    let points = (0..count + 3).map(|_| random.vector(1.0)).collect();
    Soup { points, primitives: corners_anew(random, count as usize, count as usize + 2) }
}

/// Corners among the first points, so that the last ones may be of no primitive.
fn corners_anew(random: &mut Random, count: usize, points: usize) -> Vec<[u32; 3]> {
    let last = points as i64 - 1;
    let near = |random: &mut Random, k: usize| ((k as i64 + random.whole(0, 3)) % (last + 1)) as u32;
    (0..count).map(|k| [near(random, k), near(random, k), random.whole(0, last) as u32]).collect()
}

/// Everything moves, mostly together.
fn move_all(soup: &mut Soup, random: &mut Random) {
    let sizes = [1.0, 1.0, 0.3, 1e-200, 1e-310, 5e-324, 1e300, 0.0];
    let (size, shift) = (pick(random, &sizes), pick(random, &[0.0, 0.0, 1e12, -1e300, 1e-320]));
    let jitter = pick(random, &[0.0, 0.01, 1.0]);
    let flat = pick(random, &[Vec3::ONE, Vec3::ONE, Vec3::X, Vec3::new(1.0, 1e-12, 0.0)]);
    let extent = soup.points.iter().fold(1e-300f64, |most, p| most.max(p.abs().max_element()));
    for point in &mut soup.points {
        *point = (*point / extent + random.vector(jitter)) * flat * size + Vec3::splat(shift);
    }
}

fn attack<V: BoundingVolume, const W: usize>(seed: u64, rotate: impl Fn(&mut Bvh<V, W>))
where
    Machine: HasLanes<W>,
{
    let mut random = Random::new(seed);
    let random = &mut random;
    let mut soup = soup(random);
    let options = BuildOptions { leaf_size: random.whole(1, 8) as u32, ..BuildOptions::default() };
    let mut tree = Bvh::<V, W>::with_options(&soup, &options).unwrap();
    for step in 0..24 {
        let mut was_fitted = true;
        let (what, last) = (random.whole(0, 8), soup.primitives.len() as i64 - 1);
        match what {
            0 => {
                move_all(&mut soup, random);
                tree.refit(&soup).unwrap();
            }
            1 | 2 => {
                move_all(&mut soup, random);
                tree.move_points(&soup).unwrap();
            }
            3 | 4 => {
                // A few points, and every primitive that has them.
                let extent = soup.points.iter().fold(1e-320f64, |most, p| most.max(p.abs().max_element()));
                let far = pick(random, &[0.0, 0.1, 1.0, 10.0]) * extent.min(1e304);
                let points: Vec<u32> = (0..3).map(|_| random.whole(0, last) as u32).collect();
                points.iter().for_each(|&point| soup.points[point as usize] = random.vector(far));
                let has =
                    |primitive: &u32| soup.primitives[*primitive as usize].iter().any(|corner| points.contains(corner));
                let mut moved: Vec<u32> = (0..=last as u32).filter(has).collect();
                moved.extend_from_within(..moved.len().min(2));
                was_fitted = !moved.is_empty();
                tree.refit_moved(&soup, &moved).unwrap();
                let mut leaves = tree.leaves_of(&moved);
                moved.push(u32::MAX);
                assert_eq!(tree.leaves_of(&moved), leaves);
                leaves.sort_by_key(|leaf| leaf.ordinal);
                leaves.dedup();
                let held: Vec<u32> = leaves.iter().flat_map(|&leaf| tree.primitives(leaf)).copied().collect();
                assert!(moved.iter().filter(|&&primitive| primitive != u32::MAX).all(|p| held.contains(p)));
            }
            5 => {
                // Other primitives over as many points or more.
                if random.one_in(2) {
                    soup.points.push(random.vector(1.0));
                }
                soup.primitives = corners_anew(random, soup.primitives.len(), soup.points.len() - 1);
                tree.refit(&soup).unwrap();
            }
            6 => rotate(&mut tree),
            7 => {
                let read = Bvh::<V, W>::from_bytes(&tree.to_bytes()).unwrap();
                tree = if random.one_in(2) { read } else { tree.clone() };
            }
            _ => {
                let before = tree.to_bytes();
                let mut bad = soup.clone();
                let at = random.whole(0, last) as usize;
                bad.points[at].y = pick(random, &[f64::NAN, f64::INFINITY, -f64::INFINITY, 1e308]);
                bad.primitives[at][1] = at as u32;
                assert!(matches!(
                    (tree.refit(&bad), tree.move_points(&bad), tree.refit_moved(&bad, &[0, at as u32])),
                    (
                        Err(BvhError::NotFinite { .. } | BvhError::TooFar { .. }),
                        Err(BvhError::NotFinite { .. } | BvhError::TooFar { .. }),
                        Err(BvhError::NotFinite { .. } | BvhError::TooFar { .. })
                    )
                ));
                let beyond = tree.refit_moved(&soup, &[0, last as u32 + 1]);
                assert!(matches!(beyond, Err(BvhError::NoPrimitive { .. })));
                tree.refit_moved(&soup, &[]).unwrap();
                bad.primitives.push([0; 3]);
                assert!(matches!(tree.refit(&bad), Err(BvhError::CountChanged { .. })));
                assert!(matches!(tree.move_points(&bad), Err(BvhError::CountChanged { .. })));
                assert!(matches!(tree.refit_moved(&bad, &[]), Err(BvhError::CountChanged { .. })));
                assert_eq!(tree.to_bytes(), before);
            }
        }
        let refuse =
            |fault: String| panic!("volume {}, {W}, seed {seed}, step {step}, operation {what}: {fault}", V::KIND);
        tree.validate(&soup).unwrap_or_else(refuse);
        let frame = tree.frame();
        if V::FITTING == Fitting::Boxes && what < 5 && was_fitted {
            // However it came about, a box is that of its points.
            let mut again = tree.clone();
            again.refit(&soup).unwrap();
            assert_eq!(again.to_bytes(), tree.to_bytes(), "seed {seed}, step {step}, operation {what}");
        }
        // Up to what pairs of frames allow for.
        let room = frame.max_coordinate() * 1e-14;
        for point in soup.primitives.iter().flatten().map(|&corner| soup.points[corner as usize]) {
            let from_centre = (point - frame.centre()).abs();
            let held = from_centre.cmple(frame.half_extents() + Vec3::splat(room)).all();
            assert!(held, "seed {seed}, step {step}, operation {what}: {from_centre:?} {frame:?}");
            let from_centre = frame.to_local(point).length() * frame.scale();
            assert!(from_centre <= frame.radius() + room, "seed {seed}, step {step}, operation {what}");
        }
        assert_eq!(Bvh::<V, W>::from_bytes(&tree.to_bytes()).unwrap().to_bytes(), tree.to_bytes());
    }
}

#[test]
fn boxes_hold_what_moves() {
    for seed in 0..100 {
        attack::<Aabb32, 8>(seed, |tree| _ = tree.rotate());
        attack::<Aabb32, 4>(seed, |tree| _ = tree.rotate());
        attack::<Aabb32, 2>(seed, |tree| _ = tree.rotate());
        attack::<AabbSlab, 8>(seed, |_| ());
    }
}

#[test]
fn other_volumes_hold_what_moves() {
    // The last one turns a long flat box by less than its thickness shows.
    for seed in (100..140).chain([602]) {
        attack::<Sphere, 8>(seed, |_| ());
        attack::<Obb, 4>(seed, |_| ());
        attack::<Rss, 8>(seed, |_| ());
        attack::<KDop14, 2>(seed, |_| ());
        attack::<KDop18, 4>(seed, |_| ());
        attack::<KDop26, 8>(seed, |_| ());
    }
}

/// Leaves need not be numbered without a gap in a tree that was read.
#[test]
fn a_tree_with_a_leaf_to_spare_follows_its_points() {
    let mut random = Random::new(5);
    let points = (0..40).map(|_| random.vector(1.0)).collect();
    let mut soup = Soup { points, primitives: (0..40).map(|k| [k, (k + 1) % 40, (k + 2) % 40]).collect() };
    let mut bytes = Bvh::<Aabb32, 8>::new(&soup).unwrap().to_bytes();
    // Magic, six numbers, exponent, frame; then lanes of six numbers and a child.
    let (nodes, lane) = (8 + 6 * 4 + 4 + 6 * 8, 7 * 4);
    let number = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (leaf_size, node_count, order_len) = (number(&bytes, 16), number(&bytes, 24), number(&bytes, 28));
    // Every leaf has the next number, and what the first one held stands there, too.
    bytes[28..32].copy_from_slice(&(order_len + leaf_size).to_le_bytes());
    for at in (1..=node_count as usize * 8).map(|lanes| nodes + lanes * lane - 4) {
        let code = number(&bytes, at);
        if code >> 31 == 1 && code != u32::MAX {
            bytes[at..at + 4].copy_from_slice(&(code + 8).to_le_bytes());
        }
    }
    let order = nodes + node_count as usize * 8 * lane;
    let spare = bytes[order..order + leaf_size as usize * 4].to_vec();
    bytes.splice(order..order, spare);
    let mut tree = Bvh::<Aabb32, 8>::from_bytes(&bytes).unwrap();
    for _ in 0..2 {
        soup.points.iter_mut().for_each(|point| *point += random.vector(0.5));
        tree.move_points(&soup).unwrap();
        tree.validate(&soup).unwrap();
        tree.refit_moved(&soup, &[0, 39]).unwrap();
    }
}

/// A wavy sheet of two triangles a square.
fn sheet(side: u32) -> Soup {
    let wave = |x: u32, y: u32| 0.5 * (f64::from(x) * 0.7).sin() * (f64::from(y) * 0.4).cos();
    let point = |at: u32| {
        let (x, y) = (at % side, at / side);
        Vec3::new(f64::from(x), f64::from(y), wave(x, y))
    };
    let square = |at: u32| {
        let (x, y) = (at % (side - 1), at / (side - 1));
        let first = y * side + x;
        [[first, first + 1, first + side], [first + 1, first + side + 1, first + side]]
    };
    Soup {
        points: (0..side * side).map(point).collect(),
        primitives: (0..(side - 1).pow(2)).flat_map(square).collect(),
    }
}

/// One point moves a little for the first time since the tree was built. Its leaf may come out as it was while what is above,
/// fitted to points and not to what is below, does not hold it any more.
fn move_one<V: BoundingVolume, const W: usize>(soup: &Soup, tries: u32)
where
    Machine: HasLanes<W>,
{
    let mut random = Random::new(11);
    let options = BuildOptions { leaf_size: 4, ..BuildOptions::default() };
    let built = Bvh::<V, W>::with_options(soup, &options).unwrap();
    for _ in 0..tries {
        let mut soup = soup.clone();
        let point = random.whole(0, soup.points.len() as i64 - 1) as u32;
        let size = pick(&mut random, &[1e-9, 1e-4, 0.01, 0.1, 0.3]);
        soup.points[point as usize] += random.vector(size);
        let of_point = |k: &u32| soup.primitives[*k as usize].contains(&point);
        let moved: Vec<u32> = (0..soup.primitives.len() as u32).filter(of_point).collect();
        assert!(!moved.is_empty());
        let mut tree = built.clone();
        tree.refit_moved(&soup, &moved).unwrap();
        tree.validate(&soup).unwrap_or_else(|fault| panic!("{}, {W}: {point} moved by {size}: {fault}", V::KIND));
    }
}

#[test]
fn what_is_above_holds_a_point_that_moves_within_its_leaf() {
    let soup = sheet(24);
    move_one::<Sphere, 2>(&soup, 3000);
    move_one::<Sphere, 8>(&soup, 3000);
    move_one::<Obb, 4>(&soup, 1000);
    move_one::<Rss, 8>(&soup, 1000);
    move_one::<AabbSlab, 8>(&soup, 1000);
}
