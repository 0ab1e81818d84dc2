//! Gmsh files, versions 2.2 and 4.1, as text.
//!
//! In: bytes. Out: a mesh; nodes in the order of the file, whatever their tags. Cost: O(bytes) and sorting the tags.

use super::{Kind, Words, cell};
use crate::{Place, ReadError};
use heurt_geometry::Vec3;
use heurt_mesh::VolumeMesh;

pub(super) fn read(bytes: &[u8]) -> Result<(VolumeMesh, Place), ReadError> {
    let mut words = Words::new(bytes, false);
    words.keyword("$MeshFormat")?;
    let version = words.next().unwrap_or_default().to_vec();
    let is_text = words.whole("0 for text")? == 0;
    let is_new = match version.as_slice() {
        [b'2', ..] if is_text => false,
        b"4.1" if is_text => true,
        _ => {
            let what =
                format!("version {}, {}", crate::error::quoted(&version), if is_text { "text" } else { "binary" });
            let remedy = "save it as ASCII in version 2.2 or 4.1";
            return Err(ReadError::Unsupported { place: words.place(), what, remedy });
        }
    };
    let mut nodes = Nodes::default();
    let mut elements = Vec::new();
    while let Some(line) = words.next_line() {
        match line.trim_ascii() {
            b"$Nodes" if is_new => nodes.read_blocks(&mut words)?,
            b"$Nodes" => nodes.read_list(&mut words)?,
            b"$Elements" if is_new => read_blocks(&mut words, &mut elements)?,
            b"$Elements" => read_list(&mut words, &mut elements)?,
            _ => {}
        }
    }
    nodes.sorted.sort_unstable();
    let mut mesh = VolumeMesh { vertices: nodes.points, cells: Vec::new() };
    for (kind, tags, place) in elements {
        let find = |tag: &i64| match nodes.sorted.binary_search_by_key(tag, |node| node.0) {
            Ok(place) => Ok(nodes.sorted[place].1),
            Err(_) => {
                Err(ReadError::BadIndex { place: place.clone(), index: *tag, first: 1, count: mesh.vertices.len() })
            }
        };
        let corners: Vec<u32> = tags.iter().map(find).collect::<Result<_, _>>()?;
        mesh.cells.extend(cell(kind, &corners));
    }
    Ok((mesh, words.place()))
}

#[derive(Default)]
struct Nodes {
    points: Vec<Vec3>,
    /// Tags and numbers.
    sorted: Vec<(i64, u32)>,
}

impl Nodes {
    fn push(&mut self, tag: i64, point: Vec3, place: Place) -> Result<(), ReadError> {
        let number = u32::try_from(self.points.len()).ok().filter(|&number| number < u32::MAX);
        let Some(number) = number else {
            let what = "more than 2³² nodes".to_owned();
            return Err(ReadError::Unsupported { place, what, remedy: "split the mesh" });
        };
        self.sorted.push((tag, number));
        self.points.push(point);
        Ok(())
    }

    fn read_list(&mut self, words: &mut Words<'_>) -> Result<(), ReadError> {
        for _ in 0..words.count("the number of nodes")? {
            let tag = words.whole("the number of a node")?;
            let point = words.point()?;
            self.push(tag, point, words.place())?;
        }
        Ok(())
    }

    fn read_blocks(&mut self, words: &mut Words<'_>) -> Result<(), ReadError> {
        let [blocks, _, _, _] = header(words)?;
        for _ in 0..blocks {
            let [_, _, is_parametric, count] = header(words)?;
            if is_parametric != 0 {
                let what = "nodes with parametric coordinates".to_owned();
                let remedy = "save it without parametric coordinates (Mesh.SaveParametric = 0)";
                return Err(ReadError::Unsupported { place: words.place(), what, remedy });
            }
            let mut tags = Vec::new();
            for _ in 0..count {
                tags.push(words.whole("the tag of a node")?);
            }
            for tag in tags {
                let point = words.point()?;
                self.push(tag, point, words.place())?;
            }
        }
        Ok(())
    }
}

type Element = (Kind, Vec<i64>, Place);

fn header(words: &mut Words<'_>) -> Result<[i64; 4], ReadError> {
    let mut header = [0; 4];
    for number in &mut header {
        *number = words.whole("a whole number")?;
    }
    Ok(header)
}

/// The kind of an element type; `None` for what has no volume.
fn kind(number: i64, place: Place) -> Result<Option<Kind>, ReadError> {
    Ok(Some(match number {
        4 => Kind::Tetrahedron,
        5 => Kind::Hexahedron,
        6 => Kind::OtherPrism,
        7 => Kind::Pyramid,
        1..=3 | 8..=10 | 15 | 16 | 20..=28 => return Ok(None),
        _ => {
            let what = format!("element type {number}");
            return Err(ReadError::Unsupported { place, what, remedy: "save elements of first order" });
        }
    }))
}

fn corners(words: &mut Words<'_>, kind: Kind, elements: &mut Vec<Element>) -> Result<(), ReadError> {
    let mut tags = Vec::with_capacity(kind.corners());
    for _ in 0..kind.corners() {
        tags.push(words.whole("the number of a node")?);
    }
    elements.push((kind, tags, words.place()));
    Ok(())
}

fn read_list(words: &mut Words<'_>, elements: &mut Vec<Element>) -> Result<(), ReadError> {
    for _ in 0..words.count("the number of elements")? {
        words.whole("the number of an element")?;
        let number = words.whole("the type of an element")?;
        let kind = kind(number, words.place())?;
        let Some(kind) = kind else {
            words.line = b"";
            continue;
        };
        for _ in 0..words.count("the number of tags")? {
            words.whole("a tag")?;
        }
        corners(words, kind, elements)?;
    }
    Ok(())
}

fn read_blocks(words: &mut Words<'_>, elements: &mut Vec<Element>) -> Result<(), ReadError> {
    let [blocks, _, _, _] = header(words)?;
    for _ in 0..blocks {
        let [_, _, number, count] = header(words)?;
        let kind = kind(number, words.place())?;
        for _ in 0..count {
            words.whole("the tag of an element")?;
            match kind {
                Some(kind) => corners(words, kind, elements)?,
                None => words.line = b"",
            }
        }
    }
    Ok(())
}
