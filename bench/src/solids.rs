//! `solids`: a box and a capsule against a mesh of 100k triangles, heurt against parry here and Coal and FCL from `peers.tsv`:
//! distances near, first hits near and overlapping.
//!
//! Poses are steered by a mesh of the solid, so that the gap to a capsule is a little less than 1%. A wrong distance is off
//! heurt's, which the tests hold against an oracle, by more than a billionth (peers that iterate: by more than 1e-5).

use crate::Options;
use crate::meshes;
use crate::peers::ours;
use crate::peers::parry;
use crate::peers::referee;
use crate::poses::{COUNT, Regime};
use crate::store::{self, Prepared, peer_lines};
use crate::table::{self, Line};
use crate::timing::{Contestant, Mode, contest};
use heurt_geometry::{Pose, Vec3};
use heurt_query::{distance, overlap};
use heurt_shape::Convex;
use std::time::Duration;

/// Half the sides of the box.
pub const HALF: [f64; 3] = [0.3, 0.2, 0.1];
/// Radius of the capsule, and half its height without the caps.
pub const ROUND: [f64; 2] = [0.15, 0.3];

/// Measures distances and first hits.
pub fn solids(cases: &[Prepared], options: &Options) {
    for prepared in cases {
        let is_box = prepared.case.name == meshes::SOLIDS[0];
        let solid = match is_box {
            true => Convex::cuboid(Vec3::from_array(HALF)),
            false => Convex::capsule(ROUND[0], ROUND[1]),
        };
        let solid = solid.expect("legal sizes");
        let mesh = ours::shape(prepared.case.a.clone());
        let (one, two) = (single::Pair::new(&prepared.case.a, is_box), double::Pair::new(&prepared.case.a, is_box));
        for (index, regime) in Regime::ALL.into_iter().enumerate().skip(1) {
            let placements = &prepared.poses[index];
            let ours: Vec<[Pose; 2]> = placements.iter().map(|p| [referee::pose(&p.a), referee::pose(&p.b)]).collect();
            let s: Vec<_> = placements.iter().map(|p| [parry::single::pose(&p.a), parry::single::pose(&p.b)]).collect();
            let d: Vec<_> = placements.iter().map(|p| [parry::double::pose(&p.a), parry::double::pose(&p.b)]).collect();
            let report = |verb: &str, outcomes: Vec<crate::timing::Outcome>| {
                let mut lines: Vec<Line> = outcomes.iter().map(|outcome| Line::new(outcome, &[1; COUNT])).collect();
                let peers = peer_lines(&options.data, &prepared.case.name, regime, verb);
                lines.extend(peers.into_iter().map(Line::from));
                table::print(&format!("{verb}: {}, {}", prepared.case.name, regime.name()), &lines);
            };
            let meets = |i: usize| overlap(&mesh, &ours[i][0], &solid, &ours[i][1]).is_some();
            let right: Vec<bool> = (0..COUNT).map(meets).collect();
            let field = vec![
                Contestant::new("heurt", |i| u64::from(meets(i) == right[i])),
                Contestant::new("parry-f64", |i| u64::from(two.meets(&d[i]) == right[i])),
                Contestant::new("parry-f32", |i| u64::from(one.meets(&s[i]) == right[i])),
            ];
            report("overlap", contest(COUNT, options.rounds, Mode::Each, Duration::from_secs(8), field));
            if regime == Regime::Overlap {
                continue;
            }
            let measured = |i: usize| distance(&mesh, &ours[i][0], &solid, &ours[i][1]).distance;
            let right: Vec<f64> = (0..COUNT).map(measured).collect();
            store::leave(&options.data, &format!("{}.{}.d", prepared.case.name, regime.name()), &right);
            let is_right = |i: usize, found: f64, share: f64| u64::from((found - right[i]).abs() <= share * right[i]);
            let field = vec![
                Contestant::new("heurt", |i| is_right(i, measured(i), 1e-9)),
                Contestant::new("parry-f64", |i| is_right(i, two.distance(&d[i]), 1e-9)),
                Contestant::new("parry-f32 (right to 1e-4)", |i| is_right(i, f64::from(one.distance(&s[i])), 1e-4)),
            ];
            report("distance", contest(COUNT, options.rounds, Mode::Each, Duration::from_secs(8), field));
        }
    }
}

macro_rules! parry_solids {
    ($module:ident, $krate:ident, $real:ty) => {
        /// One precision of parry.
        mod $module {
            use super::{HALF, ROUND};
            use $krate::math::{Pose, Vector};
            use $krate::query;
            use $krate::shape::{Capsule, Cuboid, Shape, TriMesh};

            pub struct Pair {
                mesh: TriMesh,
                solid: Box<dyn Shape>,
            }

            impl Pair {
                pub fn new(mesh: &heurt_mesh::TriMesh, is_box: bool) -> Self {
                    let vector = |v: &heurt_geometry::Vec3| Vector::new(v.x as $real, v.y as $real, v.z as $real);
                    let points = mesh.vertices().iter().map(vector).collect();
                    let [x, y, z] = HALF.map(|half| half as $real);
                    let [radius, half_height] = ROUND.map(|length| length as $real);
                    let solid: Box<dyn Shape> = match is_box {
                        true => Box::new(Cuboid::new(Vector::new(x, y, z))),
                        false => Box::new(Capsule::new_z(half_height, radius)),
                    };
                    Self { mesh: TriMesh::new(points, mesh.triangles().to_vec()).expect("a mesh parry takes"), solid }
                }

                pub fn meets(&self, [p, q]: &[Pose; 2]) -> bool {
                    query::intersection_test(p, &self.mesh, q, self.solid.as_ref()).expect("supported").intersecting
                }

                pub fn distance(&self, [p, q]: &[Pose; 2]) -> $real {
                    query::distance(p, &self.mesh, q, self.solid.as_ref()).expect("supported").distance
                }
            }
        }
    };
}

parry_solids!(single, parry3d, f32);
parry_solids!(double, parry3d_f64, f64);
