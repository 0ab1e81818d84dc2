//! One model part of a 3MF package: unit, objects, colours and build items, from XML.
//!
//! In: the text of an archive member. Out: a [`ModelPart`]; its meshes go to a list of all parts.
//! Method: one pass over the elements. An element belongs to the core if it has the prefix of the root; all others are
//! extensions. Attributes of the core have no prefix. The supported extensions are base materials, colour groups and
//! the path of the production extension.
//! Guarantees: each object id is unique; indices of triangles are in range. Cost: O(bytes).

use super::mesh;
use crate::error::quoted;
use crate::read::assembly::Shape;
use crate::read::placement::Frame;
use crate::read::warnings::Warnings;
use crate::read::xml::{Tag, Xml};
use crate::{LengthUnit, Place, ReadError};
use heurt_geometry::{Mat3, Vec3};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A group of colours and an index in it.
pub(super) type ThreemfProperty = (u32, u32);

/// The objects and items of one archive member.
pub(super) struct ModelPart {
    /// The name of the member.
    pub member: String,
    pub unit: LengthUnit,
    pub objects: BTreeMap<u32, Object>,
    pub items: Vec<Instance>,
    /// Paths of the model parts that instances name, and the line of the first, in the order of the file.
    pub paths: Vec<(String, u64)>,
    /// The last line.
    pub end: u64,
    /// Colours by group; `None` for a colour that could not be read.
    colours: BTreeMap<u32, Vec<Option<[u8; 4]>>>,
}

/// A resource that items and components refer to.
pub(super) struct Object {
    /// The name, else the part number; empty if there is none.
    pub name: String,
    pub kind: ObjectKind,
    pub content: Content,
    /// The line of its tag.
    pub line: u64,
}

/// The purpose of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKind {
    /// A body, or a surface that is printed as it is.
    Model,
    /// Support, or anything else that is no part of the product.
    Auxiliary,
}

/// The content of an object.
pub(super) enum Content {
    /// The index of its shape; the colour if the whole object has one.
    Mesh(usize, Option<ThreemfProperty>),
    Components(Vec<Instance>),
    /// Neither.
    Nothing,
}

/// An object in a place.
pub(super) struct Instance {
    pub object: u32,
    /// The model part that holds the object.
    pub part: usize,
    /// The index in [`ModelPart::paths`] of the member that holds the object, if the instance names one.
    path: Option<usize>,
    pub frame: Frame,
    pub part_number: String,
    pub line: u64,
}

/// Words in the namespaces of extensions whose files cannot be read by their meshes alone, and the names of the
/// extensions.
const REFUSED: [(&str, &str); 7] = [
    ("/slice/", "the slice extension"),
    ("/beamlattice/", "the beam lattice extension"),
    ("/volumetric/", "the volumetric extension"),
    ("/implicit/", "the implicit extension"),
    ("/securecontent/", "the secure content extension"),
    ("/booleanoperations/", "the boolean operations extension"),
    ("/displacement/", "the displacement extension"),
];
/// Words in the namespaces of extensions that do not change the geometry, or that are read.
const KNOWN: [&str; 4] = ["/core/", "/material/", "/production/", "/trianglesets/"];

impl ModelPart {
    /// Parses the text of a member; meshes are added to `shapes`.
    pub(super) fn parse(
        text: &str,
        member: &str,
        shapes: &mut Vec<Shape>,
        warnings: &mut Warnings,
    ) -> Result<Self, ReadError> {
        let mut xml = Xml::new(text, Some(member));
        let root = xml.root("model")?;
        check_extensions(&xml, &root, warnings)?;
        let unit = match xml.attribute(&root, "unit")? {
            Some(unit) => unit_of(&unit).ok_or_else(|| {
                let expected = "micron, millimeter, centimeter, inch, foot or meter";
                ReadError::syntax(xml.place(root.at), unit.as_bytes(), expected)
            })?,
            None => LengthUnit::Millimetre,
        };
        let (objects, items, paths, colours) = Default::default();
        let mut part = Self { member: member.to_owned(), unit, objects, items, paths, end: 0, colours };
        let prefix = root.prefix().to_owned();
        let path_names = path_names(&root);
        let mut parser =
            Parser { xml, prefix, path_names, index_of_path: BTreeMap::new(), part: &mut part, shapes, warnings };
        parser.read_model()?;
        part.end = 1 + text.bytes().filter(|&byte| byte == b'\n').count() as u64;
        Ok(part)
    }

    /// Returns the colour of a property, if it is one.
    pub(super) fn colour(&self, property: ThreemfProperty) -> Option<[u8; 4]> {
        *self.colours.get(&property.0)?.get(property.1 as usize)?
    }

    /// Sets the model part of each instance: this part, number `own`, or the part that `find` returns for its path.
    pub(super) fn resolve(&mut self, own: usize, find: impl Fn(&str) -> Option<usize>) {
        let part_of: Vec<usize> = self.paths.iter().map(|(path, _)| find(path).unwrap_or(own)).collect();
        let components = self.objects.values_mut().filter_map(|object| match &mut object.content {
            Content::Components(components) => Some(components),
            _ => None,
        });
        for instance in components.flatten().chain(&mut self.items) {
            instance.part = instance.path.map_or(own, |path| part_of[path]);
        }
    }

    /// Returns the place of a line.
    pub(super) fn place(&self, line: u64) -> Place {
        Place::Line(line).in_member(&self.member)
    }
}

fn unit_of(name: &str) -> Option<LengthUnit> {
    Some(match name.trim() {
        "micron" => LengthUnit::Micrometre,
        "millimeter" => LengthUnit::Millimetre,
        "centimeter" => LengthUnit::Centimetre,
        "inch" => LengthUnit::Inch,
        "foot" => LengthUnit::Foot,
        "meter" => LengthUnit::Metre,
        _ => return None,
    })
}

/// Rejects required extensions that replace the meshes, and warns of unknown required extensions.
fn check_extensions(xml: &Xml<'_>, root: &Tag<'_>, warnings: &mut Warnings) -> Result<(), ReadError> {
    let Some(required) = xml.attribute(root, "requiredextensions")? else { return Ok(()) };
    let mut namespaces = BTreeMap::new();
    for (name, value) in root.raw_attributes() {
        if let Some(prefix) = name.strip_prefix("xmlns:") {
            namespaces.insert(prefix, value);
        }
    }
    for prefix in required.split_whitespace() {
        let namespace = namespaces.get(prefix).map_or(prefix, |namespace| namespace.as_ref());
        let lower = namespace.to_ascii_lowercase();
        if let Some((_, name)) = REFUSED.iter().find(|(word, _)| lower.contains(word)) {
            let (place, what) =
                (xml.place(root.at), format!("a model that requires {name} ({})", quoted(prefix.as_bytes())));
            return Err(ReadError::Unsupported { place, what, remedy: "export the final surface as a plain mesh" });
        }
        if !KNOWN.iter().any(|word| lower.contains(word)) {
            let remedy = "export the model without it";
            warnings.skip("required extensions that are not known", remedy, || xml.place(root.at), namespace)?;
        }
    }
    Ok(())
}

/// Returns the names of the path of the production extension: `path` with each prefix that the root gives its
/// namespace, and the usual `p:path`.
fn path_names(root: &Tag<'_>) -> Vec<String> {
    let prefixes = root.raw_attributes().filter(|(_, value)| value.to_ascii_lowercase().contains("/production/"));
    let named = prefixes.filter_map(|(name, _)| name.strip_prefix("xmlns:").map(|prefix| format!("{prefix}:path")));
    named.chain(["p:path".to_owned()]).collect()
}

struct Parser<'a, 'b> {
    xml: Xml<'a>,
    /// The prefix of the core.
    prefix: String,
    /// Names of the attribute with the path of the production extension.
    path_names: Vec<String>,
    index_of_path: BTreeMap<String, usize>,
    part: &'b mut ModelPart,
    shapes: &'b mut Vec<Shape>,
    warnings: &'b mut Warnings,
}

impl Parser<'_, '_> {
    fn read_model(&mut self) -> Result<(), ReadError> {
        while let Some(tag) = self.xml.child()? {
            match (tag.prefix() == self.prefix, tag.local()) {
                (true, "resources") => self.read_resources()?,
                (true, "build") => self.read_build()?,
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    fn read_resources(&mut self) -> Result<(), ReadError> {
        while let Some(tag) = self.xml.child()? {
            match (tag.prefix() == self.prefix, tag.local()) {
                (true, "object") => self.read_object(&tag)?,
                (true, "basematerials") => self.read_colours(&tag, "base", "displaycolor")?,
                (false, "colorgroup") => self.read_colours(&tag, "color", "color")?,
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    fn read_build(&mut self) -> Result<(), ReadError> {
        while let Some(tag) = self.xml.child()? {
            if tag.prefix() == self.prefix && tag.local() == "item" {
                let item = self.read_instance(&tag)?;
                self.part.items.push(item);
            }
            self.xml.skip()?;
        }
        Ok(())
    }

    /// Reads a group of colours: children `child`, each with a colour as attribute `attribute`.
    fn read_colours(&mut self, group: &Tag<'_>, child: &str, attribute: &str) -> Result<(), ReadError> {
        let id = self.id(group, "id")?;
        let mut colours = Vec::new();
        while let Some(tag) = self.xml.child()? {
            if tag.prefix() == group.prefix() && tag.local() == child {
                let value = self.xml.attribute(&tag, attribute)?.unwrap_or_default();
                let colour = colour_of(&value);
                // A base material may be without a colour.
                if colour.is_none() && !value.is_empty() {
                    let remedy = "write `#RRGGBB` or `#RRGGBBAA`";
                    self.warnings.skip("other colours", remedy, || self.xml.place(tag.at), &value)?;
                }
                colours.push(colour);
            }
            self.xml.skip()?;
        }
        self.part.colours.insert(id, colours);
        Ok(())
    }

    fn read_object(&mut self, tag: &Tag<'_>) -> Result<(), ReadError> {
        let id = self.id(tag, "id")?;
        let line = self.xml.line(tag.at);
        if self.part.objects.contains_key(&id) {
            let expected = "an object id that no other object has";
            return Err(ReadError::syntax(self.xml.place(tag.at), id.to_string().as_bytes(), expected));
        }
        let name = self.xml.attribute(tag, "name")?.filter(|name| !name.trim().is_empty());
        let name = match name {
            Some(name) => name,
            None => self.xml.attribute(tag, "partnumber")?.unwrap_or_default(),
        };
        let kind = self.kind(tag)?;
        let own = match (self.xml.attribute(tag, "pid")?, self.xml.attribute(tag, "pindex")?) {
            (Some(group), index) => Some((
                mesh::property(&self.xml, tag, &group)?,
                mesh::property(&self.xml, tag, index.as_deref().unwrap_or("0"))?,
            )),
            (None, _) => None,
        };
        let mut content = Content::Nothing;
        while let Some(child) = self.xml.child()? {
            match (child.prefix() == self.prefix, child.local()) {
                (true, "mesh") => {
                    let found = mesh::read(&mut self.xml, &child, &self.prefix, own, self.warnings)?;
                    if let Some((mesh, colour)) = found {
                        content = Content::Mesh(self.shapes.len(), colour);
                        self.shapes.push(Shape { mesh, polygons: None });
                    }
                }
                (true, "components") => content = Content::Components(self.read_components()?),
                _ => self.xml.skip()?,
            }
        }
        self.part.objects.insert(id, Object { name: name.trim().to_owned(), kind, content, line });
        Ok(())
    }

    fn kind(&mut self, tag: &Tag<'_>) -> Result<ObjectKind, ReadError> {
        let kind = self.xml.attribute(tag, "type")?;
        match kind.as_deref() {
            None | Some("model" | "surface") => Ok(ObjectKind::Model),
            Some("support" | "solidsupport" | "other") => Ok(ObjectKind::Auxiliary),
            Some(other) => {
                let expected = "a type model, solidsupport, support, surface or other";
                Err(ReadError::syntax(self.xml.place(tag.at), other.as_bytes(), expected))
            }
        }
    }

    fn read_components(&mut self) -> Result<Vec<Instance>, ReadError> {
        let mut components = Vec::new();
        while let Some(tag) = self.xml.child()? {
            if tag.prefix() == self.prefix && tag.local() == "component" {
                components.push(self.read_instance(&tag)?);
            }
            self.xml.skip()?;
        }
        Ok(components)
    }

    /// Reads an item or a component.
    fn read_instance(&mut self, tag: &Tag<'_>) -> Result<Instance, ReadError> {
        let object = self.id(tag, "objectid")?;
        let line = self.xml.line(tag.at);
        let frame = match self.xml.attribute(tag, "transform")? {
            Some(transform) => self.frame(tag, &transform)?,
            None => Frame::IDENTITY,
        };
        let path = self.path_of(tag)?.map(|path| self.path(path, line));
        let part_number = self.xml.attribute(tag, "partnumber")?.unwrap_or_default().trim().to_owned();
        Ok(Instance { object, part: 0, path, frame, part_number, line })
    }

    /// Returns the path of an instance. Some programs write it without a prefix.
    fn path_of(&self, tag: &Tag<'_>) -> Result<Option<String>, ReadError> {
        if let Some(path) = self.xml.attribute(tag, "path")? {
            return Ok(Some(path));
        }
        let mut attributes = tag.raw_attributes();
        let found = attributes.find(|(name, _)| self.path_names.iter().any(|known| known == name));
        Ok(found.map(|(_, value)| {
            // An unknown entity stays as it is written.
            quick_xml::escape::unescape(&value).map_or_else(|_| value.to_string(), std::borrow::Cow::into_owned)
        }))
    }

    /// Returns the index of a path, equal ones alike.
    fn path(&mut self, path: String, line: u64) -> usize {
        let next = self.part.paths.len();
        match self.index_of_path.entry(path) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                self.part.paths.push((vacant.key().clone(), line));
                *vacant.insert(next)
            }
        }
    }

    /// Reads a transform: three rows of a matrix for row vectors, then the translation.
    fn frame(&self, tag: &Tag<'_>, transform: &str) -> Result<Frame, ReadError> {
        let mut entries = [0.0; 12];
        let mut words = transform.split_whitespace();
        for entry in &mut entries {
            let Some(word) = words.next() else {
                let expected = "a transform of 12 numbers";
                return Err(ReadError::syntax(self.xml.place(tag.at), transform.as_bytes(), expected));
            };
            *entry = self.xml.finite(tag.at, word)?;
        }
        let [x, y, z, translation] = [0, 3, 6, 9].map(|at| Vec3::new(entries[at], entries[at + 1], entries[at + 2]));
        Frame::from_linear(Mat3::from_cols(x, y, z), translation)
            .map_err(|cause| ReadError::Pose { place: self.xml.place(tag.at), cause })
    }

    /// Reads the id in an attribute that must be there.
    fn id(&self, tag: &Tag<'_>, attribute: &str) -> Result<u32, ReadError> {
        let value = self.xml.attribute(tag, attribute)?.unwrap_or_default();
        value.trim().parse().map_err(|_| {
            let expected = format!("a whole number as attribute {attribute} of <{}>", tag.local());
            ReadError::syntax(self.xml.place(tag.at), value.as_bytes(), expected)
        })
    }
}

/// Reads a colour `#RRGGBB` or `#RRGGBBAA`.
fn colour_of(value: &str) -> Option<[u8; 4]> {
    let digits = value.trim().strip_prefix('#')?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        6 => Some((number << 8 | 0xff).to_be_bytes()),
        8 => Some(number.to_be_bytes()),
        _ => None,
    }
}
