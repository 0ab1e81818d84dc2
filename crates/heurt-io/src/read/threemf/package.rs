//! An OPC package: the root model part by its relationships, and the model parts that it references, parsed once each.
//!
//! In: a ZIP archive. Out: model parts in order of first reference, the root first.
//! Method: ECMA-376 part 2: `_rels/.rels` names the root. References form a graph; parts are parsed breadth first.
//! Guarantees: each archive member is unpacked at most once, so that cycles of references end. Member names are
//! compared in lower case, after percent-decoding. Cost: O(unpacked bytes).

use super::MODEL_RELATIONSHIP;
use super::model::ModelPart;
use crate::error::quoted;
use crate::read::assembly::Shape;
use crate::read::warnings::Warnings;
use crate::read::xml::{self, Xml};
use crate::read::zip::Archive;
use crate::{Place, ReadError};
use std::collections::BTreeMap;

/// The usual name of the root model part.
const USUAL_ROOT: &str = "3D/3dmodel.model";
const RELATIONSHIPS: &str = "_rels/.rels";

/// The model parts of a file.
pub(super) struct Package {
    /// The root first.
    pub parts: Vec<ModelPart>,
    /// The meshes of all objects.
    pub shapes: Vec<Shape>,
    /// Bytes of all model parts.
    pub unpacked: usize,
}

impl Package {
    pub(super) fn open(bytes: &[u8], warnings: &mut Warnings) -> Result<Self, ReadError> {
        let mut archive = Archive::open(bytes)?;
        let root = root_of(&mut archive, bytes.len(), warnings)?;
        let mut package = Self { parts: Vec::new(), shapes: Vec::new(), unpacked: 0 };
        // The model part of each member name, normalized.
        let mut part_of = BTreeMap::new();
        part_of.insert(normalized(archive.name(root)), 0);
        package.parse(&mut archive, root, warnings)?;
        let mut next = 0;
        while next < package.parts.len() {
            let paths = package.parts[next].paths.clone();
            for (path, line) in paths {
                let name = normalized(&path);
                if part_of.contains_key(&name) {
                    continue;
                }
                let Some(member) = archive.find(&name) else {
                    let place = Place::Line(line).in_member(&package.parts[next].member);
                    return Err(ReadError::Missing { place, what: "member", name: quoted(path.as_bytes()) });
                };
                part_of.insert(name, package.parts.len());
                package.parse(&mut archive, member, warnings)?;
            }
            next += 1;
        }
        for (index, part) in package.parts.iter_mut().enumerate() {
            part.resolve(index, |path| part_of.get(&normalized(path)).copied());
        }
        Ok(package)
    }

    fn parse(&mut self, archive: &mut Archive<'_>, member: usize, warnings: &mut Warnings) -> Result<(), ReadError> {
        let bytes = archive.unpack(member)?;
        self.unpacked = self.unpacked.saturating_add(bytes.len());
        let name = archive.name(member);
        let text = xml::decoded(&bytes);
        self.parts.push(ModelPart::parse(&text, name, &mut self.shapes, warnings)?);
        Ok(())
    }
}

/// Finds the root model part: by the relationships, or by its usual name if there are none.
fn root_of(archive: &mut Archive<'_>, bytes: usize, warnings: &mut Warnings) -> Result<usize, ReadError> {
    let end = || Place::Offset(bytes as u64);
    if let Some(relationships) = archive.find(RELATIONSHIPS) {
        if let Some((target, place)) = root_target(archive, relationships)? {
            return match archive.find(&normalized(&target)) {
                Some(member) => Ok(member),
                None => Err(ReadError::Missing { place, what: "member", name: quoted(target.as_bytes()) }),
            };
        }
    } else {
        warnings.skip("missing package relationships", "write the package again", end, "")?;
    }
    match archive.find(USUAL_ROOT) {
        Some(member) => Ok(member),
        None => Err(ReadError::Missing { place: end(), what: "member", name: quoted(USUAL_ROOT.as_bytes()) }),
    }
}

/// Returns the target of the first relationship to a model, and where it is.
fn root_target(archive: &mut Archive<'_>, member: usize) -> Result<Option<(String, Place)>, ReadError> {
    let bytes = archive.unpack(member)?;
    let text = xml::decoded(&bytes);
    let mut xml = Xml::new(&text, Some(RELATIONSHIPS));
    let root = xml.root("Relationships")?;
    while let Some(tag) = xml.child()? {
        let kind = xml.attribute(&tag, "Type")?.unwrap_or_default();
        if tag.prefix() == root.prefix() && tag.local() == "Relationship" && kind.ends_with(MODEL_RELATIONSHIP) {
            let target = xml.attribute(&tag, "Target")?.unwrap_or_default();
            return Ok(Some((target, xml.place(tag.at))));
        }
        xml.skip()?;
    }
    Ok(None)
}

/// Returns the member name that a path of the package means: from the root, without `.` and `..`, percent-decoded, in
/// lower case.
fn normalized(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split(['/', '\\']) {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    percent_decoded(&names.join("/")).to_ascii_lowercase()
}

fn percent_decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
