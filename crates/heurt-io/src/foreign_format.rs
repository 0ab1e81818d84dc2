//! File formats that are not read, known by their name or first bytes: solids of CAD programs, robots, native files.
//!
//! In: an extension or the bytes of a file. Out: the format, and lines by which its contents become a mesh file.
//! Cost: O(1): only the first bytes are examined.

use super::read::BYTE_ORDER_MARK;
use std::fmt;

/// A file format that this crate does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForeignFormat {
    /// ISO 10303-21: surfaces and solids, exact.
    Step,
    /// IGES: surfaces, exact.
    Iges,
    /// Open CASCADE BRep: solids, exact.
    Brep,
    /// A robot: links, joints, and the mesh files of the links.
    Urdf,
    /// The format of one program, by the name of the program.
    Native(&'static str),
    /// A mesh or scene format that other programs convert, by its name.
    Scene(&'static str),
}

/// Extensions of native files.
const NATIVE: [(&str, &str); 21] = [
    ("fcstd", "FreeCAD"),
    ("sldprt", "SolidWorks"),
    ("sldasm", "SolidWorks"),
    ("ipt", "Inventor"),
    ("iam", "Inventor"),
    ("prt", "NX or Creo"),
    ("asm", "Creo or Solid Edge"),
    ("par", "Solid Edge"),
    ("catpart", "CATIA"),
    ("catproduct", "CATIA"),
    ("f3d", "Fusion"),
    ("f3z", "Fusion"),
    ("3dm", "Rhino"),
    ("x_t", "Parasolid"),
    ("x_b", "Parasolid"),
    ("sat", "ACIS"),
    ("jt", "JT"),
    ("dwg", "AutoCAD"),
    ("skp", "SketchUp"),
    ("scad", "OpenSCAD"),
    ("ifc", "IFC"),
];

/// Extensions of scenes and meshes.
const SCENES: [(&str, &str); 10] = [
    ("blend", "Blender"),
    ("fbx", "FBX"),
    ("3ds", "3DS"),
    ("usd", "USD"),
    ("usda", "USD"),
    ("usdc", "USD"),
    ("usdz", "USD"),
    ("x3d", "X3D"),
    ("wrl", "VRML"),
    ("dxf", "DXF"),
];

impl ForeignFormat {
    /// Finds the format by a file extension, with or without its dot, in upper or lower case.
    ///
    /// ```
    /// use heurt_io::ForeignFormat;
    /// assert_eq!(ForeignFormat::from_extension("STP"), Some(ForeignFormat::Step));
    /// assert_eq!(ForeignFormat::from_extension("stl"), None);
    /// ```
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.strip_prefix('.').unwrap_or(extension).to_ascii_lowercase();
        let named = |list: &[(&str, &'static str)]| {
            list.iter().find(|(known, _)| *known == extension).map(|&(_, program)| program)
        };
        match extension.as_str() {
            "step" | "stp" | "p21" => Some(Self::Step),
            "igs" | "iges" => Some(Self::Iges),
            "brep" | "brp" => Some(Self::Brep),
            "urdf" | "xacro" => Some(Self::Urdf),
            _ => named(&NATIVE).map(Self::Native).or_else(|| named(&SCENES).map(Self::Scene)),
        }
    }

    /// Finds the format by looking into the file; `None` when nothing fits.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        /// Bytes in which a robot must begin: a prologue and some comments.
        const HEAD: usize = 1 << 11;
        let start = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
        let head = &start[..start.len().min(HEAD)];
        let holds = |word: &[u8]| head.windows(word.len()).any(|part| part == word);
        let starts: [(&[u8], Self); 10] = [
            (b"ISO-10303-21;", Self::Step),
            (b"DBRep_DrawableShape", Self::Brep),
            (b"CASCADE Topology", Self::Brep),
            (b"BLENDER", Self::Scene("Blender")),
            (b"Kaydara FBX Binary", Self::Scene("FBX")),
            (b"#usda", Self::Scene("USD")),
            (b"PXR-USDC", Self::Scene("USD")),
            (b"#VRML", Self::Scene("VRML")),
            (b"#X3D", Self::Scene("X3D")),
            (b"AC10", Self::Native("AutoCAD")),
        ];
        if let Some((_, format)) = starts.iter().find(|(start, _)| head.starts_with(start)) {
            return Some(*format);
        }
        if starts_as_iges(bytes) {
            return Some(Self::Iges);
        }
        let is_xml = head.first() == Some(&b'<');
        if is_xml && (holds(b"<robot ") || holds(b"<robot>") || holds(b"<robot\n")) {
            return Some(Self::Urdf);
        }
        (is_xml && holds(b"<X3D")).then_some(Self::Scene("X3D"))
    }

    /// Returns shell lines that make a mesh file of the file `input`. STEP files keep their parts, with a chord error
    /// of 0.01 mm. Empty for native files and scenes.
    ///
    /// `input` is taken as a word of a shell and of Python: the caller passes a name without quotes and blanks.
    pub fn conversion(self, input: &str) -> Vec<String> {
        let stem = input.rsplit_once('.').map_or(input, |(stem, _)| stem);
        match self {
            Self::Step => vec![
                // cascadio does not name numpy as a package that it needs.
                "pip install cascadio numpy".to_owned(),
                format!("python -c \"import cascadio; cascadio.step_to_glb('{input}', '{stem}.glb', 0.01, 0.1)\""),
                format!("heurt check {stem}.glb --unit mm"),
            ],
            Self::Iges | Self::Brep => vec![
                "pip install gmsh".to_owned(),
                format!(
                    "gmsh {input} -2 -setnumber Geometry.OCCSewFaces 1 -setnumber Mesh.MeshSizeFromCurvature 60 -o {stem}.stl"
                ),
                format!("heurt check {stem}.stl --split bodies --unit mm"),
            ],
            Self::Urdf => vec![
                "pip install yourdfpy".to_owned(),
                format!(
                    "python -c \"import yourdfpy; yourdfpy.URDF.load('{input}', load_meshes=False, load_collision_meshes=True, \
                     build_collision_scene_graph=True).collision_scene.export('{stem}.glb')\""
                ),
                format!("heurt check {stem}.glb"),
            ],
            Self::Native(_) | Self::Scene(_) => Vec::new(),
        }
    }

    /// Returns the remedy in a sentence, without its final period.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Step => "convert it to GLB, which keeps parts, names and places (chord error 0.01 mm, angle 0.1 rad)",
            Self::Iges => "save it as STEP if you can, since IGES has faces and no bodies; or sew and mesh its faces",
            Self::Brep => "save it as STEP if you can; or mesh it",
            Self::Urdf => "place the meshes of its links in one GLB",
            Self::Native("OpenSCAD") => "render it: openscad part.scad -o part.3mf",
            Self::Native("IFC") => "convert it to GLB with IfcConvert of IfcOpenShell",
            Self::Native("AutoCAD") => "export its solids as STL from the program that wrote it",
            Self::Native(_) => {
                "export it as 3MF, STEP or STL from the program that wrote it; 3MF keeps unit and places"
            }
            Self::Scene(_) => "export it as GLB, for example from Blender",
        }
    }
}

/// Reports whether the first line of 80 columns ends as one of the start section of IGES: `S` and the number 1.
fn starts_as_iges(bytes: &[u8]) -> bool {
    let Some([b'S', number @ ..]) = bytes.get(72..80) else { return false };
    let digits = number.trim_ascii_start();
    let Some((b'1', zeros)) = digits.split_last() else { return false };
    zeros.iter().all(|&digit| digit == b'0') && bytes[..72].iter().all(|&byte| byte >= b' ')
}

impl fmt::Display for ForeignFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Step => "STEP",
            Self::Iges => "IGES",
            Self::Brep => "BRep",
            Self::Urdf => "URDF",
            Self::Native(program) | Self::Scene(program) => program,
        })
    }
}
