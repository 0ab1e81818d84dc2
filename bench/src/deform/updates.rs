//! The two updates of oriented boxes that S2 §5 weighs and drops, beside ours.
//!
//! A bumpy sphere is twisted. Its binary tree of oriented boxes, a triangle a leaf, is brought up to date by boxes about the
//! boxes of both children, with axes from their sixteen corners; by axes from the statistics of the children and sizes from
//! their corners; or built anew. Beside that, heurt's trees of oriented and of aligned boxes, refitted and built anew, binary
//! and a triangle a leaf as well. What is asked: how long, how large, and how many pairs of boxes a first hit against another
//! mesh then tests.

use crate::Options;
use crate::meshes;
use crate::peers::ours::{BINARY, Grown, Mesh};
use crate::random::Random;
use crate::surgery::jacobi::{Statistics, axes_of};
use crate::surgery::textbook::{Oriented, Tree, walk};
use crate::table;
use crate::timing::{Contestant, median, race};
use heurt_bvh::VolumeKind;
use heurt_geometry::{Pose, Triangle, Vec3, triangles_intersect};
use heurt_mesh::TriMesh;
use heurt_shape::TreeChoice;
use std::cell::Cell;

/// Triangles of the body that is twisted, and of the other.
const SIZES: [u64; 2] = [10_000, 4_000];
/// Radians from pole to pole.
const TWIST: f64 = 2.0;
/// Poses of the other body.
const POSES: usize = 40;

fn twisted(mesh: &TriMesh) -> TriMesh {
    let twist = |v: &Vec3| {
        let (sin, cos) = (TWIST / 2.0 * v.z).sin_cos();
        Vec3::new(v.x * cos - v.y * sin, v.x * sin + v.y * cos, v.z)
    };
    let vertices = mesh.vertices().iter().map(twist).collect();
    TriMesh::new(vertices, mesh.triangles().to_vec()).expect("the same triangles")
}

fn faces(mesh: &TriMesh) -> Vec<Triangle> {
    (0..mesh.triangles().len() as u32).map(|index| mesh.corners(index)).collect()
}

/// The box about the boxes of the children.
fn about_children(tree: &mut Tree<Oriented>, faces: &[Triangle]) -> u64 {
    for node in (0..tree.links.len()).rev() {
        let link = tree.links[node];
        tree.boxes[node] = if link.is_leaf {
            let corners = faces[link.to as usize];
            Oriented::along(axes_of(corners.into_iter()), corners.into_iter())
        } else {
            let corners = || [0, 1].into_iter().flat_map(|child| tree.boxes[link.to as usize + child].corners());
            Oriented::along(axes_of(corners()), corners())
        };
    }
    tree.boxes.len() as u64
}

/// Axes from the statistics of the children, sizes from the corners of their boxes.
fn from_statistics(tree: &mut Tree<Oriented>, faces: &[Triangle]) -> u64 {
    let mut all = vec![Statistics::default(); tree.links.len()];
    for node in (0..tree.links.len()).rev() {
        let link = tree.links[node];
        if link.is_leaf {
            let corners = faces[link.to as usize];
            all[node] = corners.into_iter().map(Statistics::of).fold(Statistics::default(), Statistics::with);
            tree.boxes[node] = Oriented::along(all[node].axes(), corners.into_iter());
        } else {
            all[node] = all[link.to as usize].with(all[link.to as usize + 1]);
            let corners = [0, 1].into_iter().flat_map(|child| tree.boxes[link.to as usize + child].corners());
            tree.boxes[node] = Oriented::along(all[node].axes(), corners);
        }
    }
    tree.boxes.len() as u64
}

fn size(tree: &Tree<Oriented>) -> f64 {
    tree.boxes.iter().map(Oriented::size).sum()
}

/// Prints the table.
pub fn measure(options: &Options) {
    let [body, other] = SIZES.map(meshes::bumpy);
    let moved = twisted(&body);
    let (before, after) = (faces(&body), faces(&moved));
    let poses = poses(&moved, &other);
    let other_tree = Tree::oriented(&faces(&other));
    let tests = |tree: &Tree<Oriented>| {
        let of_pose = |pose: &Pose| {
            let (count, met) = (Cell::new(0u64), Cell::new(false));
            walk(
                (&other_tree, |x: &Oriented| x.placed(pose)),
                tree,
                |x, y| {
                    count.set(count.get() + u64::from(!met.get()));
                    met.get() || x.is_disjoint(y)
                },
                |x, y| x.size() > y.size(),
                &mut Vec::new(),
                |x, y| {
                    let [a, b] = [other.corners(x).map(|v| pose.place(v)), after[y as usize]];
                    met.set(met.get() || triangles_intersect(&a, &b));
                },
            );
            count.get() as f64
        };
        median(&poses.iter().map(of_pose).collect::<Vec<_>>())
    };
    let mut trees = [0; 3].map(|_| Tree::oriented(&before));
    let [boxes, statistics, anew] = &mut trees;
    let outcomes = race(
        options.rounds,
        vec![
            Contestant::new("S2 §5: box of the children's boxes", |_| about_children(boxes, &after)),
            Contestant::new("S2 §5: box from the children's statistics", |_| from_statistics(statistics, &after)),
            Contestant::new("S2 §4: built anew", |_| {
                *anew = Tree::oriented(&after);
                anew.boxes.len() as u64
            }),
        ],
    );
    println!("\n### updates of oriented boxes: bumpy sphere, {} triangles, twisted by {TWIST} rad\n", before.len());
    println!("| tree | update | surface / built anew | pairs of boxes to the first hit, median |\n|---|---|---|---|");
    let least = size(&trees[2]);
    for (outcome, tree) in outcomes.iter().zip(&trees) {
        let time = table::time(outcome.median());
        println!("| {} | {time} | {:.2} | {} |", outcome.name, size(tree) / least, tests(tree));
    }
    let [body, moved, other] = [&body, &moved, &other].map(Mesh::hollow);
    for volume in [VolumeKind::Obb, VolumeKind::Aabb] {
        let choice = TreeChoice { volume, leaf_size: 1, ..BINARY };
        let (mut refitted, mut anew) = (Grown::new(&body, &choice), Grown::new(&moved, &choice));
        let outcomes = race(
            options.rounds,
            vec![
                Contestant::new(format!("heurt, {}: refitted", volume.name()), |_| refitted.refit(&moved)),
                Contestant::new(format!("heurt, {}: built anew", volume.name()), |_| {
                    anew = Grown::new(&moved, &choice);
                    1
                }),
            ],
        );
        let of_other = Grown::new(&other, &choice);
        for (outcome, tree) in outcomes.iter().zip([&refitted, &anew]) {
            let count =
                |pose: &Pose| of_other.work(pose, &tree.over(&moved), &Pose::IDENTITY, false).volumes as f64 / 2.0;
            let counts: Vec<f64> = poses.iter().map(count).collect();
            println!("| {} | {} | | {} |", outcome.name, table::time(outcome.median()), median(&counts));
        }
    }
}

/// Places of `other` near the surface of `body`.
fn poses(body: &TriMesh, other: &TriMesh) -> Vec<Pose> {
    let mut random = Random(11);
    let reach = body.bounds().half_extents().max_element() + other.bounds().half_extents().max_element();
    (0..POSES)
        .map(|_| {
            let place = random.direction() * (reach * 0.82);
            let turn = random.rotation();
            Pose::from_quaternion([turn.x, turn.y, turn.z, turn.w], place).expect("a rotation")
        })
        .collect()
}
