//! Shapes that `heurt make` generates, and their options.

use super::MakeTarget;
use super::from_file::{patches, wire_solids};
use crate::Failure;
use crate::units::Units;
use crate::written_pose::pose_from_option;
use clap::{Args, Subcommand};
use heurt::io::{LengthUnit, Model, Part};
use heurt::mesh::generate::{self, GenerateError};
use heurt::mesh::{MeshError, TriMesh};
use heurt::solid::WireLimits;
use std::path::{Path, PathBuf};

/// The resolution of round things: steps, or a count to reach.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Resolution {
    /// Steps around the z axis.
    #[arg(long, default_value_t = 48, allow_hyphen_values = true)]
    segments: u32,
    /// Chooses the steps for at least this many triangles.
    #[arg(long, value_name = "COUNT", conflicts_with = "segments", allow_hyphen_values = true)]
    triangles: Option<u64>,
}

impl Resolution {
    fn steps(self, for_count: fn(u64) -> u32) -> u32 {
        self.triangles.map_or(self.segments, for_count)
    }
}

/// A platonic solid by the radius of the sphere through its corners.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Circumradius {
    /// Radius of the sphere through the corners, in metres.
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    radius: f64,
}

/// Every generator.
#[derive(Debug, Subcommand)]
pub(super) enum Shape {
    /// The regular tetrahedron.
    Tetrahedron(Circumradius),
    /// The cube.
    Cube(Circumradius),
    /// The regular octahedron.
    Octahedron(Circumradius),
    /// The regular dodecahedron.
    Dodecahedron(Circumradius),
    /// The regular icosahedron.
    Icosahedron(Circumradius),
    /// A box around the origin.
    Box {
        /// Half extents x,y,z in metres.
        #[arg(long, value_parser = triple, default_value = "0.5,0.5,0.5", allow_hyphen_values = true)]
        half: [f64; 3],
    },
    /// A sphere of parallels and meridians.
    Sphere {
        /// Radius in metres.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        radius: f64,
        #[command(flatten)]
        resolution: Resolution,
    },
    /// A sphere from the icosahedron.
    Icosphere {
        /// Radius in metres.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        radius: f64,
        /// How often each triangle is split in four: 20 · 4^levels triangles.
        #[arg(long, default_value_t = 3, allow_hyphen_values = true)]
        levels: u32,
    },
    /// A cylinder along z around the origin.
    Cylinder {
        /// Radius in metres.
        #[arg(long, default_value_t = 0.5, allow_hyphen_values = true)]
        radius: f64,
        /// Half of the height in metres.
        #[arg(long, default_value_t = 0.5, allow_hyphen_values = true)]
        half_height: f64,
        /// Steps around the z axis.
        #[arg(long, default_value_t = 48, allow_hyphen_values = true)]
        segments: u32,
    },
    /// A cone along z, its apex at the top.
    Cone {
        /// Radius of the base in metres.
        #[arg(long, default_value_t = 0.5, allow_hyphen_values = true)]
        radius: f64,
        /// Half of the height in metres.
        #[arg(long, default_value_t = 0.5, allow_hyphen_values = true)]
        half_height: f64,
        /// Steps around the z axis.
        #[arg(long, default_value_t = 48, allow_hyphen_values = true)]
        segments: u32,
    },
    /// A capsule along z: a cylinder with round ends.
    Capsule {
        /// Radius in metres.
        #[arg(long, default_value_t = 0.5, allow_hyphen_values = true)]
        radius: f64,
        /// Half of the height without the round ends, in metres.
        #[arg(long, default_value_t = 0.5, allow_hyphen_values = true)]
        half_height: f64,
        /// Steps around the z axis.
        #[arg(long, default_value_t = 48, allow_hyphen_values = true)]
        segments: u32,
    },
    /// A torus around z.
    Torus {
        /// Radius of the centre line in metres.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        r0: f64,
        /// Radius of the tube in metres.
        #[arg(long, default_value_t = 0.3, allow_hyphen_values = true)]
        r1: f64,
        #[command(flatten)]
        resolution: Resolution,
    },
    /// A superellipsoid: from box over ellipsoid to star, by two exponents.
    Superellipsoid {
        /// Half axes x,y,z in metres.
        #[arg(long, value_parser = triple, default_value = "1,1,1", allow_hyphen_values = true)]
        radii: [f64; 3],
        /// Exponent of the profile along z: near 0 a box, 1 an ellipsoid, 2 flat facets, above concave.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        n1: f64,
        /// Exponent of the section across z.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        n2: f64,
        #[command(flatten)]
        resolution: Resolution,
    },
    /// A supertoroid: a ring and a tube, each shaped by an exponent.
    Supertoroid {
        /// Radius of the centre line in metres.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        r0: f64,
        /// Radius of the tube in metres, below r0.
        #[arg(long, default_value_t = 0.3, allow_hyphen_values = true)]
        r1: f64,
        /// Exponent of the ring.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        n1: f64,
        /// Exponent of the tube.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        n2: f64,
        #[command(flatten)]
        resolution: Resolution,
    },
    /// A tube round a torus knot: p times round the z axis and q times round the ring.
    TorusKnot {
        /// How often the tube runs round the z axis.
        #[arg(long, default_value_t = 2, allow_hyphen_values = true)]
        p: u32,
        /// How often the tube winds round the ring; without a common divisor with p.
        #[arg(long, default_value_t = 3, allow_hyphen_values = true)]
        q: u32,
        /// Radius of the ring in metres.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        r0: f64,
        /// Radius of the windings round the ring in metres, below r0.
        #[arg(long, default_value_t = 0.4, allow_hyphen_values = true)]
        r1: f64,
        /// Radius of the tube in metres, below half of the distance between windings.
        #[arg(long, default_value_t = 0.15, allow_hyphen_values = true)]
        tube: f64,
        /// Steps along the tube.
        #[arg(long, default_value_t = 256, allow_hyphen_values = true)]
        segments: u32,
        /// Steps around the tube.
        #[arg(long, default_value_t = 24, allow_hyphen_values = true)]
        tube_segments: u32,
    },
    /// A sphere with smooth bumps: closed and not convex.
    BumpySphere {
        /// Mean radius in metres.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        radius: f64,
        /// Height of the bumps, as a part of the radius.
        #[arg(long, default_value_t = 0.2, allow_hyphen_values = true)]
        amplitude: f64,
        /// How many waves.
        #[arg(long, default_value_t = 4.0, allow_hyphen_values = true)]
        waves: f64,
        #[command(flatten)]
        resolution: Resolution,
    },
    /// A flat disc with a wavy rim.
    WavyDisc {
        /// Mean radius in metres.
        #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
        radius: f64,
        /// Half of the height in metres.
        #[arg(long, default_value_t = 0.1, allow_hyphen_values = true)]
        half_height: f64,
        /// Height of the waves, as a part of the radius.
        #[arg(long, default_value_t = 0.1, allow_hyphen_values = true)]
        amplitude: f64,
        /// How many waves.
        #[arg(long, default_value_t = 12, allow_hyphen_values = true)]
        waves: u32,
        /// Steps for each wave.
        #[arg(long, default_value_t = 12, allow_hyphen_values = true)]
        segments: u32,
        /// Bands along z.
        #[arg(long, default_value_t = 4, allow_hyphen_values = true)]
        bands: u32,
    },
    /// A bolt with a hexagonal head and usual proportions.
    Bolt {
        /// Diameter of the shank in metres.
        #[arg(long, default_value_t = 0.01, allow_hyphen_values = true)]
        diameter: f64,
        /// Length of the shank in metres.
        #[arg(long, default_value_t = 0.04, allow_hyphen_values = true)]
        length: f64,
        /// Steps around the z axis.
        #[arg(long, default_value_t = 48, allow_hyphen_values = true)]
        segments: u32,
    },
    /// A hexagonal nut for a thread.
    Nut {
        /// Diameter of the thread in metres.
        #[arg(long, default_value_t = 0.01, allow_hyphen_values = true)]
        diameter: f64,
        /// Steps around the z axis.
        #[arg(long, default_value_t = 48, allow_hyphen_values = true)]
        segments: u32,
    },
    /// A washer for a thread.
    Washer {
        /// Diameter of the thread in metres.
        #[arg(long, default_value_t = 0.01, allow_hyphen_values = true)]
        diameter: f64,
        /// Steps around the z axis.
        #[arg(long, default_value_t = 48, allow_hyphen_values = true)]
        segments: u32,
    },
    /// An L-shaped bracket with two holes.
    Bracket {
        /// Length, width and height in metres.
        #[arg(long, value_parser = triple, default_value = "0.06,0.05,0.08", allow_hyphen_values = true)]
        size: [f64; 3],
        /// Thickness of both walls in metres.
        #[arg(long, default_value_t = 0.008, allow_hyphen_values = true)]
        thickness: f64,
        /// Diameter of the hole in the base in metres; 0 is none.
        #[arg(long, default_value_t = 0.009, allow_hyphen_values = true)]
        base_hole: f64,
        /// Diameter of the hole in the wall in metres; 0 is none.
        #[arg(long, default_value_t = 0.02, allow_hyphen_values = true)]
        wall_hole: f64,
        /// Steps around each hole.
        #[arg(long, default_value_t = 48, allow_hyphen_values = true)]
        segments: u32,
    },
    /// A spur gear with involute teeth.
    Gear {
        /// How many teeth.
        #[arg(long, default_value_t = 20, allow_hyphen_values = true)]
        teeth: u32,
        /// Module in metres: pitch diameter by teeth.
        #[arg(long, default_value_t = 0.002, allow_hyphen_values = true)]
        module: f64,
        /// Pressure angle in degrees.
        #[arg(long, default_value_t = 20.0, allow_hyphen_values = true)]
        pressure_angle: f64,
        /// How much thinner each tooth is than half a pitch, in metres.
        #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
        backlash: f64,
        /// Thickness in metres.
        #[arg(long, default_value_t = 0.01, allow_hyphen_values = true)]
        thickness: f64,
        /// Diameter of the bore in metres.
        #[arg(long, default_value_t = 0.01, allow_hyphen_values = true)]
        bore: f64,
        /// Steps along each flank, tip and root.
        #[arg(long, default_value_t = 6, allow_hyphen_values = true)]
        segments: u32,
    },
    /// A plate with a grid of round holes.
    Plate {
        /// Extents x,y,z in metres.
        #[arg(long, value_parser = triple, default_value = "0.24,0.16,0.012", allow_hyphen_values = true)]
        size: [f64; 3],
        /// Holes along x and y.
        #[arg(long, value_parser = pair, default_value = "4,3", allow_hyphen_values = true)]
        holes: [u32; 2],
        /// Diameter of the holes in metres.
        #[arg(long, default_value_t = 0.009, allow_hyphen_values = true)]
        hole_diameter: f64,
        /// Steps around each hole.
        #[arg(long, default_value_t = 48, allow_hyphen_values = true)]
        segments: u32,
    },
    /// Free-form patches (Bézier, B-spline, NURBS) of a JSON file, within a distance.
    Patches {
        /// The JSON file; docs/solids.md has its fields.
        file: PathBuf,
        /// The largest distance between the mesh and the surface, in metres.
        #[arg(long, default_value_t = 0.001, allow_hyphen_values = true)]
        tolerance: f64,
    },
    /// All solids with the edges of an OBJ file, a part each; none, one or several.
    WireSolids {
        /// The OBJ file; its `l` lines are edges.
        file: PathBuf,
        /// Ends with an error beyond this number of solids.
        #[arg(long, value_name = "N", default_value_t = 64)]
        limit: usize,
        /// Ends with an error beyond this number of steps of the search: choices of a face.
        #[arg(long, value_name = "N", default_value_t = WireLimits::default().steps)]
        max_steps: u64,
    },
    /// The assembly that `heurt` alone checks; as .glb it keeps its parts.
    Demo,
    /// Many parts of which most interfere, for trying out speed; as .glb it keeps its parts.
    Field {
        /// How many parts.
        #[arg(long, default_value_t = 1000, allow_hyphen_values = true)]
        parts: u32,
        /// Approximate total number of triangles.
        #[arg(long, default_value_t = 500_000, allow_hyphen_values = true)]
        triangles: u64,
        /// Chooses one of many fields.
        #[arg(long, default_value_t = 1, allow_hyphen_values = true)]
        seed: u64,
    },
}

impl Shape {
    /// Makes the model of the options.
    pub(super) fn model(&self, target: &MakeTarget) -> Result<Model, Failure> {
        let refused = |error| super::refusal::of(self.name(), error);
        let mut model = match self {
            Self::Demo => assembled(generate::demo_assembly().map_err(refused)?),
            Self::Field { parts, triangles, seed } => {
                assembled(generate::clash_field(*parts, *triangles, *seed).map_err(refused)?)
            }
            Self::Patches { file, tolerance } => patches(file, *tolerance, target.volume)?,
            Self::WireSolids { file, limit, max_steps } => {
                wire_solids(file, WireLimits { steps: *max_steps, solids: *limit })?
            }
            single => Model::from_mesh(single.name(), single.mesh().map_err(refused)?),
        };
        if target.subdivide > 0 {
            let split = |mesh: &TriMesh| generate::subdivided(mesh, target.subdivide).map_err(refused);
            model.meshes = model.meshes.iter().map(split).collect::<Result<_, _>>()?;
        }
        if let Some(volume) = target.volume.filter(|_| !model.parts.is_empty()) {
            let [mesh] = model.meshes.as_mut_slice() else {
                return Err(Failure::BadOption {
                    option: "volume",
                    reason: "only a single part has a volume to scale: leave it out, or make the parts one by one",
                });
            };
            *mesh = generate::with_volume(mesh, volume).map_err(refused)?;
        }
        if let Some(pose) = &target.pose {
            let pose = pose_from_option("--pose", pose)?.in_units("--pose", Units(Some(LengthUnit::Metre)))?;
            for part in &mut model.parts {
                part.pose = if part.pose.is_identity() { pose } else { pose.compose(&part.pose) };
            }
        }
        Ok(model)
    }

    /// Returns the file that the shape is read from.
    pub(super) fn input(&self) -> Option<&Path> {
        match self {
            Self::Patches { file, .. } | Self::WireSolids { file, .. } => Some(file),
            _ => None,
        }
    }

    /// Returns the name of the part in the file.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Tetrahedron(_) => "tetrahedron",
            Self::Cube(_) => "cube",
            Self::Octahedron(_) => "octahedron",
            Self::Dodecahedron(_) => "dodecahedron",
            Self::Icosahedron(_) => "icosahedron",
            Self::Box { .. } => "box",
            Self::Sphere { .. } => "sphere",
            Self::Icosphere { .. } => "icosphere",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Capsule { .. } => "capsule",
            Self::Torus { .. } => "torus",
            Self::Superellipsoid { .. } => "superellipsoid",
            Self::Supertoroid { .. } => "supertoroid",
            Self::TorusKnot { .. } => "torus knot",
            Self::BumpySphere { .. } => "bumpy sphere",
            Self::WavyDisc { .. } => "wavy disc",
            Self::Bolt { .. } => "bolt",
            Self::Nut { .. } => "nut",
            Self::Washer { .. } => "washer",
            Self::Bracket { .. } => "bracket",
            Self::Gear { .. } => "gear",
            Self::Plate { .. } => "plate",
            Self::Patches { .. } => "patches",
            Self::WireSolids { .. } => "wire solids",
            Self::Demo => "demo",
            Self::Field { .. } => "field",
        }
    }

    /// Makes one mesh; assemblies have none of their own.
    fn mesh(&self) -> Result<TriMesh, GenerateError> {
        match *self {
            Self::Tetrahedron(Circumradius { radius }) => generate::tetrahedron(radius),
            Self::Cube(Circumradius { radius }) => generate::cuboid([radius / 3_f64.sqrt(); 3]),
            Self::Octahedron(Circumradius { radius }) => generate::octahedron(radius),
            Self::Dodecahedron(Circumradius { radius }) => generate::dodecahedron(radius),
            Self::Icosahedron(Circumradius { radius }) => generate::icosahedron(radius),
            Self::Box { half } => generate::cuboid(half),
            Self::Sphere { radius, resolution } => {
                generate::uv_sphere(radius, resolution.steps(generate::sphere_segments))
            }
            Self::Icosphere { radius, levels } => generate::icosphere(radius, levels),
            Self::Cylinder { radius, half_height, segments } => generate::cylinder(radius, half_height, segments),
            Self::Cone { radius, half_height, segments } => generate::cone(radius, half_height, segments),
            Self::Capsule { radius, half_height, segments } => generate::capsule(radius, half_height, segments),
            Self::Torus { r0, r1, resolution } => {
                let segments = resolution.steps(generate::torus_segments);
                generate::torus(r0, r1, segments, segments / 2)
            }
            Self::Superellipsoid { radii, n1, n2, resolution } => {
                generate::superellipsoid(radii, n1, n2, resolution.steps(generate::sphere_segments))
            }
            Self::Supertoroid { r0, r1, n1, n2, resolution } => {
                generate::supertoroid(r0, r1, n1, n2, resolution.steps(generate::torus_segments))
            }
            Self::TorusKnot { p, q, r0, r1, tube, segments, tube_segments } => {
                generate::torus_knot([p, q], r0, r1, tube, segments, tube_segments)
            }
            Self::BumpySphere { radius, amplitude, waves, resolution } => {
                generate::bumpy_sphere(radius, amplitude, waves, resolution.steps(generate::sphere_segments))
            }
            _ => self.machine_part(),
        }
    }

    fn machine_part(&self) -> Result<TriMesh, GenerateError> {
        let hole = |diameter: f64| (diameter != 0.0).then_some(diameter);
        match *self {
            Self::WavyDisc { radius, half_height, amplitude, waves, segments, bands } => {
                generate::wavy_disc(radius, half_height, amplitude, waves, segments, bands)
            }
            Self::Bolt { diameter, length, segments } => generate::metric_bolt(diameter, length, segments),
            Self::Nut { diameter, segments } => generate::metric_nut(diameter, segments),
            Self::Washer { diameter, segments } => generate::metric_washer(diameter, segments),
            Self::Bracket { size, thickness, base_hole, wall_hole, segments } => {
                generate::bracket(size, thickness, hole(base_hole), hole(wall_hole), segments)
            }
            Self::Gear { teeth, module, pressure_angle, backlash, thickness, bore, segments } => {
                generate::gear(teeth, module, pressure_angle.to_radians(), backlash, thickness, bore, segments)
            }
            Self::Plate { size, holes, hole_diameter, segments } => {
                generate::plate(size, holes, hole_diameter, segments)
            }
            _ => Err(GenerateError::Mesh(MeshError::NoTriangles)),
        }
    }
}

fn assembled(assembly: generate::Assembly) -> Model {
    let parts = assembly.parts.into_iter().map(|part| Part::new(part.name, part.mesh, part.pose));
    Model { meshes: assembly.meshes, parts: parts.collect(), ..Model::default() }
}

fn split<const N: usize, T: std::str::FromStr>(text: &str, what: &str) -> Result<[T; N], String> {
    let words: Vec<&str> = text.split(',').collect();
    let numbers: Vec<T> = words.iter().filter_map(|word| word.trim().parse().ok()).collect();
    let wrong = || format!("give {N} {what} with commas between them");
    if words.len() == N { numbers.try_into().map_err(|_| wrong()) } else { Err(wrong()) }
}

fn triple(text: &str) -> Result<[f64; 3], String> {
    split(text, "numbers")
}

fn pair(text: &str) -> Result<[u32; 2], String> {
    split(text, "whole numbers")
}
