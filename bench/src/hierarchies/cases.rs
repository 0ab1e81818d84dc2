//! The claims of S0 §4.5.3 (degree) and §4.5.9 (k-DOPs, QuOSPO) on the pairs of meshes and the poses of `overlap` and `pairs`.
//!
//! In: prepared cases. Out: for every volume of degree 8, and for boxes of degrees 2 and 4, what a query does (medians over the
//! poses) and how long it takes; all with binned SAH and leaves of up to eight triangles, all over hollow meshes.

use super::concentric::{Counter, fitted};
use super::quospo::{Free, Quospo};
use crate::Options;
use crate::ours::{Count, Grown, Mesh, Triangles};
use crate::poses::{COUNT, Regime};
use crate::referee;
use crate::store::Prepared;
use crate::timing::{Contestant, Mode, contest, median};
use heurt_bvh::volume::Against;
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

/// Measures all trees and questions on one case.
pub fn rows(prepared: &Prepared, options: &Options) -> Vec<Row> {
    let name = &prepared.case.name;
    eprintln!("{name}: volumes and degrees");
    let meshes = [&prepared.case.a, &prepared.case.b].map(Mesh::hollow);
    let choices = choices();
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
            let work = |count: &Count| Work { volumes: count.volumes, primitives: count.primitives, updates: 1 };
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

/// The prices of a kind of tree, from the rows of all cases.
pub fn prices(rows: &[Row], choice: &TreeChoice) -> CostModel {
    let samples: Vec<_> =
        rows.iter().filter(|row| row.choice == *choice).flat_map(|row| &row.samples).copied().collect();
    CostModel::fit(&samples)
}

/// Median N_v of walks of degree 8 that take all pairs of leaves, for one volume.
pub struct Quantised {
    /// The volume.
    pub name: &'static str,
    /// Bytes of one volume.
    pub bytes: f64,
    /// Near, and overlapping.
    pub volumes: [f64; 2],
}

/// Trees of one case, and where they stand near and overlapping.
struct Walks<'a> {
    meshes: [&'a TriMesh; 2],
    boxes: [Bvh<Aabb32, 8>; 2],
    places: [Vec<[Pose; 2]>; 2],
}

impl Walks<'_> {
    fn count<V: Against<V>>(&self, name: &'static str) -> Quantised {
        let [a, b] = [0, 1].map(|i| fitted::<V, 8>(&self.boxes[i], self.meshes[i]));
        let walk = |[p, q]: &[Pose; 2]| walk_pair(&a, &b, &RelativePose::new(a.frame(), p, b.frame(), q), &mut Counter);
        let works = self.places.each_ref().map(|poses| poses.iter().map(walk).collect::<Vec<Work>>());
        let middle = |works: &Vec<Work>| median(&works.iter().map(|work| work.volumes as f64).collect::<Vec<_>>());
        Quantised { name, bytes: 4.0 * V::NUMBERS as f64, volumes: works.each_ref().map(middle) }
    }
}

/// Counts what quantised slabs do beside none, those of free directions, k-DOPs and oriented boxes.
pub fn quantised(prepared: &Prepared) -> Vec<Quantised> {
    eprintln!("{}: quantised slabs", prepared.case.name);
    let options = BuildOptions { leaf_size: 8, ..BuildOptions::default() };
    let meshes = [&prepared.case.a, &prepared.case.b];
    let tree = |mesh: &TriMesh| Bvh::with_options(&Triangles(mesh), &options).expect("a mesh that fits a tree");
    let places = [Question::Near, Question::Pairs].map(|question| poses(prepared, question));
    let walks = Walks { meshes, boxes: meshes.map(tree), places };
    vec![
        walks.count::<Aabb32>(VolumeKind::Aabb.name()),
        Quantised { bytes: Quospo::BYTES, ..walks.count::<Quospo>(Quospo::NAME) },
        walks.count::<AabbSlab>(VolumeKind::AabbSlab.name()),
        walks.count::<Free>(Free::NAME),
        walks.count::<KDop14>(VolumeKind::KDop14.name()),
        walks.count::<KDop18>(VolumeKind::KDop18.name()),
        walks.count::<KDop26>(VolumeKind::KDop26.name()),
        walks.count::<Obb>(VolumeKind::Obb.name()),
    ]
}
