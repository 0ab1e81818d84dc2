//! The claims of S0 §4.5.3 (degree) and §4.5.9 (k-DOPs, QuOSPO) on the pairs of meshes and the poses of `overlap` and `pairs`.
//!
//! In: prepared cases. Out: for every volume of degree 8, and for boxes of degrees 2 and 4, what a query does (medians over the
//! poses) and how long it takes; all with binned SAH and leaves of up to eight triangles, all over hollow meshes.

use super::concentric::{Counter, fitted};
use super::quospo::{Free, Quospo};
use crate::Options;
use crate::peers::ours::{Count, Grown, Mesh, Triangles};
use crate::peers::referee;
use crate::poses::{COUNT, Regime};
use crate::store::Prepared;
use crate::timing::{Contestant, Mode, Outcome, contest, median};
use heurt_bvh::volume::PairGap;
use heurt_bvh::{
    Aabb32, AabbSlab, BuildOptions, Bvh, CostModel, KDop14, KDop18, KDop26, Obb, RelativePose, VolumeKind, Work,
    walk_pair,
};
use heurt_geometry::Pose;
use heurt_mesh::TriMesh;
use heurt_shape::{Degree, TreeChoice};
use std::time::Duration;

/// What is asked, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Whether the meshes meet, near each other: they do not.
    Near,
    /// Whether the meshes meet, overlapping: they do.
    Overlap,
    /// All pairs of triangles that meet, overlapping.
    Pairs,
}

/// What one kind of tree did on one case.
pub struct Row {
    /// The volume and degree.
    pub choice: TreeChoice,
    /// The case.
    pub case: String,
    /// What was asked.
    pub question: Question,
    /// Median of N_v, lanes.
    pub volumes: f64,
    /// Median nanoseconds of a query.
    pub median_ns: f64,
    /// By pose: the work and its nanoseconds.
    pub samples: Vec<(Work, f64)>,
}

impl Question {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Near, Self::Overlap, Self::Pairs];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Overlap => "overlap",
            Self::Pairs => "pairs",
        }
    }

    fn regime(self) -> Regime {
        match self {
            Self::Near => Regime::Near,
            Self::Overlap | Self::Pairs => Regime::Overlap,
        }
    }
}

impl Row {
    /// Wide tests: all lanes of a node are one.
    pub fn tests(&self) -> f64 {
        self.volumes / f64::from(self.choice.degree.children())
    }
}

/// The trees that are measured.
pub fn choices() -> Vec<TreeChoice> {
    let volumes = VolumeKind::ALL.map(|volume| TreeChoice { volume, ..TreeChoice::default() });
    let narrow = [VolumeKind::Aabb, VolumeKind::Obb]
        .map(|volume| [Degree::Two, Degree::Four].map(|degree| TreeChoice { volume, degree, ..TreeChoice::default() }));
    volumes.into_iter().chain(narrow.into_iter().flatten()).collect()
}

fn poses(prepared: &Prepared, question: Question) -> Vec<[Pose; 2]> {
    let regime = Regime::ALL.iter().position(|regime| *regime == question.regime()).unwrap_or(0);
    prepared.poses[regime].iter().map(|p| [referee::pose(&p.a), referee::pose(&p.b)]).collect()
}

/// Measures these trees and all questions on one case.
pub fn rows(prepared: &Prepared, choices: &[TreeChoice], options: &Options) -> Vec<Row> {
    let name = &prepared.case.name;
    eprintln!("{name}: {} kinds of trees", choices.len());
    let meshes = [&prepared.case.a, &prepared.case.b].map(Mesh::hollow);
    let trees: Vec<[Grown<'_>; 2]> =
        choices.iter().map(|choice| meshes.each_ref().map(|mesh| Grown::new(mesh, choice))).collect();
    let mut rows = Vec::new();
    for question in Question::ALL {
        let poses = poses(prepared, question);
        let all = question == Question::Pairs;
        let poses = &poses;
        let field = trees.iter().map(|[a, b]| {
            Contestant::new("", move |i| {
                let [p, q] = &poses[i];
                if all { a.pairs(p, b, q) } else { a.overlap(p, b, q).into() }
            })
        });
        let outcomes = contest(COUNT, options.rounds, Mode::Each, Duration::from_millis(800), field.collect());
        for ((choice, [a, b]), outcome) in choices.iter().zip(&trees).zip(outcomes) {
            let counts: Vec<Count> = poses.iter().map(|[p, q]| a.work(p, b, q, all)).collect();
            // Trees are set in relation where the boxes of whole parts meet.
            let work =
                |&Count { volumes, primitives }: &Count| Work { volumes, primitives, updates: u64::from(volumes > 0) };
            rows.push(Row {
                choice: *choice,
                case: name.clone(),
                question,
                volumes: median(&counts.iter().map(|count| count.volumes as f64).collect::<Vec<_>>()),
                median_ns: outcome.median(),
                samples: counts.iter().map(work).zip(outcome.times).collect(),
            });
        }
    }
    rows
}

/// The prices of a kind of tree, from the rows in which it was measured.
pub fn prices<'a>(rows: impl IntoIterator<Item = &'a Row>) -> CostModel {
    let samples: Vec<_> = rows.into_iter().flat_map(|row| &row.samples).copied().collect();
    CostModel::fit(&samples)
}

/// Medians of walks of degree 8 that take all pairs of leaves and look at none, for one volume: near, and overlapping.
pub struct Quantised {
    /// The volume.
    pub name: &'static str,
    /// Bytes of one volume.
    pub bytes: f64,
    /// N_v.
    pub volumes: [f64; 2],
    /// Nanoseconds of a walk, poses composed.
    pub median_ns: [f64; 2],
}

/// The boxes of one case, whose nodes all volumes share.
struct Boxes<'a> {
    meshes: [&'a TriMesh; 2],
    trees: [Bvh<Aabb32, 8>; 2],
}

/// From where the meshes stand to N_v.
type Walk = Box<dyn Fn(&[Pose; 2]) -> u64>;

/// A kind of volume on these nodes, and its walk.
struct Walked {
    name: &'static str,
    bytes: f64,
    walk: Walk,
}

impl Boxes<'_> {
    fn walked<V: PairGap<V> + 'static>(&self, name: &'static str) -> Walked {
        let [a, b] = [0, 1].map(|i| fitted::<V, 8>(&self.trees[i], self.meshes[i]));
        let walk = move |[p, q]: &[Pose; 2]| {
            walk_pair(&a, &b, &RelativePose::new(a.frame(), p, b.frame(), q), &mut Counter).volumes
        };
        Walked { name, bytes: 4.0 * V::NUMBERS as f64, walk: Box::new(walk) }
    }
}

/// Measures what quantised slabs do beside none, those of free directions, k-DOPs and oriented boxes.
///
/// Every volume goes the same walk over the same nodes. Slabs of sixteen are tested as [`AabbSlab`] is, their direction kept
/// as numbers: their time is that of directions read for nothing, without what fewer bytes might gain.
pub fn quantised(prepared: &Prepared, options: &Options) -> Vec<Quantised> {
    eprintln!("{}: quantised slabs", prepared.case.name);
    let leaves = BuildOptions { leaf_size: 8, ..BuildOptions::default() };
    let meshes = [&prepared.case.a, &prepared.case.b];
    let tree = |mesh: &TriMesh| Bvh::with_options(&Triangles(mesh), &leaves).expect("a mesh that fits a tree");
    let boxes = Boxes { meshes, trees: meshes.map(tree) };
    let all = [
        boxes.walked::<Aabb32>(VolumeKind::Aabb.name()),
        Walked { bytes: Quospo::BYTES, ..boxes.walked::<Quospo>(Quospo::NAME) },
        boxes.walked::<AabbSlab>(VolumeKind::AabbSlab.name()),
        boxes.walked::<Free>(Free::NAME),
        boxes.walked::<KDop14>(VolumeKind::KDop14.name()),
        boxes.walked::<KDop18>(VolumeKind::KDop18.name()),
        boxes.walked::<KDop26>(VolumeKind::KDop26.name()),
        boxes.walked::<Obb>(VolumeKind::Obb.name()),
    ];
    let [near, overlapping] = [Question::Near, Question::Pairs].map(|question| {
        let poses = &poses(prepared, question);
        let field = all.iter().map(|one| Contestant::new(one.name, move |i| (one.walk)(&poses[i])));
        contest(COUNT, options.rounds, Mode::Each, Duration::from_millis(800), field.collect())
    });
    let volumes = |of: &Outcome| median(&of.answers.iter().map(|&volumes| volumes as f64).collect::<Vec<_>>());
    let outcomes = near.iter().zip(&overlapping).map(|(near, overlapping)| [near, overlapping]);
    all.iter()
        .zip(outcomes)
        .map(|(one, of)| Quantised {
            name: one.name,
            bytes: one.bytes,
            volumes: of.map(volumes),
            median_ns: of.map(Outcome::median),
        })
        .collect()
}
