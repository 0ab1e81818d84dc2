//! What refitting costs later: queries through a tree that has been refitted, one that has been rotated as well, and a new one,
//! while bodies twist, shear, fold and fall apart.

use crate::Options;
use crate::meshes;
use crate::random::Random;
use crate::table;
use crate::timing::{Contestant, Mode, contest, race};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{Cloth, octasphere};
use heurt_query::{Neighbours, pairs, self_pairs};
use heurt_shape::MeshShape;
use std::time::Duration;

/// A body, its states and what is asked.
pub struct Story {
    pub name: &'static str,
    pub rest: TriMesh,
    amounts: &'static [f64],
    /// The vertices at an amount.
    at: Box<dyn Fn(f64) -> Vec<Vec3>>,
    /// Pairs with this one; against itself where there is none.
    other: Option<(MeshShape, Pose)>,
}

impl Story {
    fn new(
        name: &'static str,
        rest: TriMesh,
        amounts: &'static [f64],
        at: impl Fn(f64) -> Vec<Vec3> + 'static,
    ) -> Self {
        Self { name, rest, amounts, at: Box::new(at), other: None }
    }

    /// So many steps from the first amount to the last, both among them.
    pub fn frames(&self, steps: usize) -> Vec<Vec<Vec3>> {
        let (first, last) = (self.amounts[0], self.amounts[self.amounts.len() - 1]);
        (0..=steps).map(|step| (self.at)(first + (last - first) * step as f64 / steps as f64)).collect()
    }

    fn against(mut self, other: &TriMesh, place: Vec3) -> Self {
        let pose = Pose::from_translation(place).expect("a finite place");
        let mut shape = shape(other);
        // Boxes against boxes, as two bodies that deform.
        shape.deform(other.vertices()).expect("where it was");
        shape.blocks();
        self.other = Some((shape, pose));
        self
    }

    /// How many pairs there are.
    pub fn count_pairs(&self, shape: &MeshShape) -> u64 {
        let found = match &self.other {
            Some((other, pose)) => pairs(shape, &Pose::IDENTITY, other, pose),
            None => self_pairs(shape, Neighbours::Skip),
        };
        found.len() as u64
    }
}

pub fn shape(mesh: &TriMesh) -> MeshShape {
    MeshShape::new(mesh.clone()).expect("a mesh that fits a tree")
}

/// Prints a table for each story.
pub fn measure(options: &Options) {
    for story in stories() {
        let rest = shape(&story.rest);
        let built = rest.looseness();
        println!("\n### upkeep: {}, {} triangles\n", story.name, story.rest.triangles().len());
        println!(
            "| amount | looser than when built | than a new tree | query, refitted | rotated | new tree | refitted / new | rotated / new | refit | rotate | build |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|---|");
        let mut refitted = rest.clone();
        for &amount in story.amounts {
            let vertices = &(story.at)(amount);
            let moved = TriMesh::new(vertices.clone(), story.rest.triangles().to_vec()).expect("the same triangles");
            let deform = |shape: &mut MeshShape| {
                shape.deform(vertices).expect("as many vertices as before");
                1
            };
            deform(&mut refitted);
            let (mut rotated, mut anew) = (refitted.clone(), shape(&moved));
            deform(&mut anew);
            let mut spare = refitted.clone();
            let works = race(
                options.rounds.min(5),
                vec![
                    Contestant::new("refit", |_| deform(&mut spare)),
                    Contestant::new("rotate", |_| {
                        rotated = refitted.clone();
                        rotated.rotate() as u64
                    }),
                    Contestant::new("clone", |_| refitted.clone().tree().len() as u64),
                    Contestant::new("build", |_| crate::peers::ours::build(&moved, crate::peers::ours::BUILDS[0].1)),
                ],
            );
            let [refit, rotate, clone, build] = [0, 1, 2, 3].map(|k| works[k].median());
            let shapes = [&refitted, &rotated, &anew];
            for shape in shapes {
                shape.blocks();
            }
            let count_pairs = |shape: &'_ MeshShape| story.count_pairs(shape);
            let field = shapes.map(|shape| Contestant::new("", move |_| count_pairs(shape))).into_iter().collect();
            let queries = contest(1, options.rounds, Mode::Warm, Duration::from_secs(10), field);
            let [old, turned, new] = [0, 1, 2].map(|k| queries[k].median());
            let loose = refitted.looseness();
            println!(
                "| {amount} | {:.2} | {:.2} | {} | {} | {} | {:.2} | {:.2} | {} | {} | {} |",
                loose / built,
                loose / anew.looseness(),
                table::time(old),
                table::time(turned),
                table::time(new),
                old / new,
                turned / new,
                table::time(refit),
                table::time((rotate - clone).max(0.0)),
                table::time(build),
            );
        }
    }
}

/// Bodies that twist, shear, fold and fall apart.
pub fn stories() -> Vec<Story> {
    let body = meshes::bumpy(25_000);
    let other = body.scaled(0.5).expect("a legal factor");
    let place = Vec3::new(0.9, 0.2, 0.1);
    let each = |at: fn(f64, Vec3) -> Vec3| {
        let vertices = body.vertices().to_vec();
        move |amount: f64| vertices.iter().map(|&v| at(amount, v)).collect::<Vec<Vec3>>()
    };
    let twisted = each(|amount, v| {
        let (sin, cos) = (amount * v.z).sin_cos();
        Vec3::new(v.x * cos - v.y * sin, v.x * sin + v.y * cos, v.z)
    });
    let sheared = each(|amount, v| Vec3::new(v.x + amount * v.y, v.y, v.z));
    let twist = Story::new("twist, radians a metre", body.clone(), &[0.0, 1.0, 2.0, 3.0, 4.0, 6.0], twisted);
    let shear = Story::new("shear", body.clone(), &[0.0, 1.0, 2.0, 3.0, 5.0], sheared);
    let cloth = Cloth::new(158, 8).expect("legal parameters");
    let fold = Story::new("cloth, share of the fold", cloth.sheet().clone(), &[0.2, 0.6, 0.9, 1.0], move |amount| {
        cloth.vertices(amount)
    });
    let (all, centres, directions) = debris();
    let per = all.vertices().len() / centres.len();
    let burst = Story::new("400 balls that mix, metres", all.clone(), &[0.0, 0.1, 0.2, 0.4, 0.8, 1.5], move |amount| {
        all.vertices().iter().enumerate().map(|(k, &v)| v + directions[k / per] * amount).collect()
    });
    vec![twist.against(&other, place), shear.against(&other, place), fold, burst]
}

/// Balls in a cube of two metres, where they are and where each of them goes.
fn debris() -> (TriMesh, Vec<Vec3>, Vec<Vec3>) {
    let mut random = Random(1);
    let mut within = || random.cube();
    let (centres, directions): (Vec<Vec3>, Vec<Vec3>) = (0..400).map(|_| (within(), within())).unzip();
    let ball = octasphere(0.04, 4).expect("legal parameters");
    let balls: Vec<TriMesh> = centres
        .iter()
        .map(|&centre| {
            let vertices = ball.vertices().iter().map(|&v| v + centre).collect();
            TriMesh::new(vertices, ball.triangles().to_vec()).expect("the same triangles")
        })
        .collect();
    (TriMesh::merged(&balls).expect("not too many"), centres, directions)
}
