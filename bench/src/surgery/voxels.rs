//! The voxel method of S2 §3 at its best: static part filled once, time stamps, every sensible setting tried.

use super::scene::{Hit, Method, Moment, Scene, corners};
use heurt_broad::{Fill, VoxelGrid, VoxelGridOptions, propose_voxel_size};
use heurt_geometry::{Aabb, Triangle, Vec3, triangles_intersect};

/// A grid over the scene.
pub struct Voxels<'a> {
    scene: &'a Scene,
    grid: VoxelGrid,
    organs: Vec<Vec<Triangle>>,
    /// The instrument's vertices in the world.
    vertices: Vec<Vec3>,
}

/// What is tried.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// How the grid works.
    pub options: VoxelGridOptions,
    /// Voxels only where something ever moves; organs elsewhere are left out.
    pub reach_only: bool,
}

impl Setting {
    /// All settings: sizes from half to four times the proposal, both ways of filling, boxes compared or not, voxels
    /// everywhere or where something moves.
    pub fn all(scene: &Scene) -> Vec<Self> {
        let faces = (0..scene.soft.len()).flat_map(|body| {
            scene.soft[body].triangles().iter().map(move |&face| corners(&scene.moments[0].soft[body], face))
        });
        let proposed = propose_voxel_size(faces).expect("soft bodies have faces");
        let mut all = Vec::new();
        for factor in [0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0] {
            for fills in [[Fill::Box; 2], [Fill::Exact, Fill::Box], [Fill::Exact; 2]] {
                for (compare_boxes, reach_only) in [(true, true), (true, false), (false, true), (false, false)] {
                    let [static_fill, moving_fill] = fills;
                    let voxel_size = factor * proposed;
                    let options = VoxelGridOptions { voxel_size, static_fill, moving_fill, compare_boxes };
                    all.push(Self { options, reach_only });
                }
            }
        }
        all
    }

    /// In a few words.
    pub fn name(&self) -> String {
        let VoxelGridOptions { voxel_size, static_fill, moving_fill, compare_boxes } = self.options;
        format!(
            "{:.2} mm, organs {static_fill:?}, moving {moving_fill:?}, {}, {}",
            voxel_size * 1e3,
            if compare_boxes { "boxes first" } else { "no boxes" },
            if self.reach_only { "where things move" } else { "everywhere" }
        )
        .replace("Box", "by boxes")
        .replace("Exact", "exactly")
    }
}

impl<'a> Voxels<'a> {
    /// Fills in the organs; `None` where the grid would be too large.
    pub fn new(scene: &'a Scene, setting: &Setting) -> Option<Self> {
        let reach = scene.reach();
        let bounds = if setting.reach_only { reach } else { scene.bounds() };
        let mut grid = VoxelGrid::new(&bounds, setting.options).ok()?;
        let organs = scene.placed_organs();
        for (face, id, index) in organs
            .iter()
            .enumerate()
            .flat_map(|(id, faces)| faces.iter().enumerate().map(move |(index, face)| (face, id, index)))
        {
            if !setting.reach_only || Aabb::from_points(*face).overlaps(&reach) {
                // One call a face, each an object of its own number: what is left out would shift the numbers.
                grid.add_static((id as u32) << STATIC_BITS | index as u32, [*face], 0.0).ok()?;
            }
        }
        Some(Self { scene, grid, organs, vertices: Vec::new() })
    }
}

/// Bits for the face in the number of an organ's face.
const STATIC_BITS: u32 = 20;
/// Added to the numbers of moving objects, which come after all of these.
const MOVING: u32 = 1 << 28;

impl Method for Voxels<'_> {
    fn update(&mut self, moment: &Moment) {
        let Self { scene, grid, vertices, .. } = self;
        let instrument = &scene.instrument;
        vertices.clear();
        vertices.extend(instrument.vertices().iter().map(|&vertex| moment.instrument.place(vertex)));
        grid.begin_step();
        let faces = instrument.triangles().iter().map(|&face| corners(vertices, face));
        grid.add_moving(MOVING, faces, 0.0).expect("finite faces");
        let faces_of = |body: usize| {
            let vertices = &moment.soft[body];
            scene.soft[body].triangles().iter().map(move |&face| corners(vertices, face))
        };
        if scene.mutual {
            for body in 0..scene.soft.len() {
                grid.add_moving(MOVING + 1 + body as u32, faces_of(body), 0.0).expect("finite faces");
            }
        } else {
            // Soft bodies that are not held against each other are one object to the grid.
            grid.add_moving(MOVING + 1, (0..scene.soft.len()).flat_map(faces_of), 0.0).expect("finite faces");
        }
    }

    fn detect(&mut self, moment: &Moment, found: &mut Vec<Hit>) {
        let Self { scene, grid, organs, vertices } = self;
        let first = scene.instrument_id();
        // All soft bodies have equally many faces.
        let soft_faces = scene.soft[0].triangles().len() as u32;
        let locate = |object: u32, face: u32| match object - MOVING {
            0 => (first, face, corners(vertices, scene.instrument.triangles()[face as usize])),
            number => {
                let body = (number - 1 + face / soft_faces) as usize;
                let face = face % soft_faces;
                let triangle = corners(&moment.soft[body], scene.soft[body].triangles()[face as usize]);
                (scene.soft_id(body), face, triangle)
            }
        };
        grid.for_each_pair(|a, b| {
            let (id, face, triangle) = locate(b.object, b.face);
            let (other_id, other_face, other) = if a.object < MOVING {
                let (organ, index) = (a.object >> STATIC_BITS, a.object & ((1 << STATIC_BITS) - 1));
                (organ, index, organs[organ as usize][index as usize])
            } else {
                locate(a.object, a.face)
            };
            if triangles_intersect(&other, &triangle) {
                found.push(Hit { objects: [other_id, id], faces: [other_face, face] });
            }
        });
    }
}
