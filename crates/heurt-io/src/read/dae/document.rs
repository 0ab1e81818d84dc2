//! XML document as a tree in an arena, for formats with references by id in both directions.
//!
//! In: the text of a COLLADA document. Out: elements with their attributes, text and children, and an index of ids.
//! Guarantees: no recursion; memory is a fixed multiple of the text, and elements take from the
//! budget. Cost: O(bytes).

use crate::error::quoted;
use crate::read::budget::Budget;
use crate::read::xml::{Item, Tag, Xml};
use crate::{Place, ReadError};
use std::borrow::Cow;

/// The index of an element.
pub(super) type Id = usize;

/// Words of the budget that an element takes.
const ELEMENT: u64 = (size_of::<DaeElement<'static>>() as u64).div_ceil(4);

/// No element.
const NONE: u32 = u32::MAX;

/// A document; its root is element 0.
pub(super) struct DaeDocument<'a> {
    elements: Vec<DaeElement<'a>>,
    /// Ids and their elements, sorted.
    ids: Vec<(String, u32)>,
    /// The last line.
    end: u64,
}

struct DaeElement<'a> {
    tag: Tag<'a>,
    line: u64,
    /// The text without the text of children; empty if it is blank.
    text: Cow<'a, str>,
    text_line: u64,
    first_child: u32,
    /// The last child read; the end of its descendants once the element is closed: they follow it in the arena.
    last_child: u32,
    /// The next sibling.
    next: u32,
}

impl<'a> DaeDocument<'a> {
    pub(super) fn parse(text: &'a str, budget: &mut Budget) -> Result<Self, ReadError> {
        let mut xml = Xml::new(text, None);
        let root = xml.root("COLLADA")?;
        let end = 1 + text.bytes().filter(|&byte| byte == b'\n').count() as u64;
        let mut document = Self { elements: Vec::new(), ids: Vec::new(), end };
        document.open(&mut xml, budget, root, None)?;
        let mut path: Vec<Id> = vec![0];
        while let Some(&parent) = path.last() {
            match xml.next()? {
                Item::Open(tag) => path.push(document.open(&mut xml, budget, tag, Some(parent))?),
                Item::Close => {
                    path.pop();
                    document.elements[parent].last_child = document.elements.len() as u32;
                }
                Item::Text(text, at) => document.append_text(&mut xml, parent, text, at),
                Item::End => return Err(xml.cut_short()),
            }
        }
        document.ids.sort_unstable();
        Ok(document)
    }

    /// Adds an element below its parent.
    fn open(
        &mut self,
        xml: &mut Xml<'a>,
        budget: &mut Budget,
        tag: Tag<'a>,
        parent: Option<Id>,
    ) -> Result<Id, ReadError> {
        let new = self.elements.len();
        budget.take(ELEMENT, || xml.place(tag.at))?;
        let Ok(number) = u32::try_from(new) else {
            let what = "a document of more than 4,294,967,295 elements".to_owned();
            return Err(ReadError::Unsupported { place: xml.place(tag.at), what, remedy: "split it" });
        };
        // Attributes are well formed from here on.
        xml.attributes(&tag).try_for_each(|attribute| attribute.map(drop))?;
        if let Some(id) = xml.attribute(&tag, "id")? {
            self.ids.push((id, number));
        }
        let line = xml.line(tag.at);
        let [first_child, last_child, next] = [NONE; 3];
        self.elements.push(DaeElement {
            tag,
            line,
            text: Cow::Borrowed(""),
            text_line: line,
            first_child,
            last_child,
            next,
        });
        if let Some(parent) = parent {
            let before = std::mem::replace(&mut self.elements[parent].last_child, number);
            match self.elements.get_mut(before as usize) {
                Some(before) => before.next = number,
                None => self.elements[parent].first_child = number,
            }
        }
        Ok(new)
    }

    fn append_text(&mut self, xml: &mut Xml<'a>, element: Id, text: Cow<'a, str>, at: usize) {
        let element = &mut self.elements[element];
        if text.trim().is_empty() && element.text.is_empty() {
            return;
        }
        if element.text.is_empty() {
            element.text_line = xml.line(at);
            element.text = text;
        } else {
            element.text.to_mut().push_str(&text);
        }
    }

    /// Finds an element by its id: the first below `scope`, else the first of all. Ids are unique in a valid document,
    /// but some exporters repeat those of sources in each geometry.
    fn find(&self, id: &str, scope: Id) -> Option<Id> {
        let first_from = |start: Id| {
            let at = self.ids.partition_point(|(known, element)| (known.as_str(), *element as Id) < (id, start));
            self.ids.get(at).filter(|(known, _)| known == id).map(|&(_, element)| element as Id)
        };
        let end = self.elements[scope].last_child as Id;
        first_from(scope).filter(|&found| found < end).or_else(|| first_from(0))
    }

    /// Returns the element that an attribute refers to by `#id`, which must have the given name; `None` if the element
    /// has no such attribute.
    pub(super) fn target(&self, element: Id, attribute: &str, name: &'static str) -> Result<Option<Id>, ReadError> {
        self.target_in(0, element, attribute, name)
    }

    /// Returns the same, preferably an element below `scope`.
    pub(super) fn target_in(
        &self,
        scope: Id,
        element: Id,
        attribute: &str,
        name: &'static str,
    ) -> Result<Option<Id>, ReadError> {
        let Some(url) = self.attribute(element, attribute) else { return Ok(None) };
        let place = || self.place(element);
        let Some(id) = url.strip_prefix('#') else {
            let what = format!("the reference {} to another file", quoted(url.as_bytes()));
            return Err(ReadError::Unsupported { place: place(), what, remedy: "export everything into one file" });
        };
        match self.find(id, scope).filter(|&found| self.name(found) == name) {
            Some(found) => Ok(Some(found)),
            None => Err(ReadError::Missing { place: place(), what: name, name: quoted(url.as_bytes()) }),
        }
    }

    /// Returns the name of an element, without its prefix.
    pub(super) fn name(&self, element: Id) -> &str {
        self.elements[element].tag.local()
    }

    /// Returns the length of the start tag in bytes, which bounds the cost of looking an attribute up.
    pub(super) fn tag_size(&self, element: Id) -> usize {
        self.elements[element].tag.size()
    }

    /// Returns an attribute, character references resolved.
    pub(super) fn attribute(&self, element: Id, name: &str) -> Option<String> {
        let mut attributes = self.elements[element].tag.raw_attributes();
        let (_, value) = attributes.find(|(found, _)| *found == name)?;
        // An entity that is not known stays as it is written.
        Some(quick_xml::escape::unescape(&value).map_or_else(|_| value.to_string(), Cow::into_owned))
    }

    /// Returns the name of an item for people: its name, else its id; empty if it has neither.
    pub(super) fn label(&self, element: Id) -> String {
        let given =
            |name| self.attribute(element, name).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        given("name").or_else(|| given("id")).unwrap_or_default()
    }

    /// Returns the children, in order.
    pub(super) fn children(&self, element: Id) -> impl Iterator<Item = Id> + '_ {
        let first = self.first_child(element);
        std::iter::successors(first, |&child| self.next_sibling(child))
    }

    /// Returns the first child.
    pub(super) fn first_child(&self, element: Id) -> Option<Id> {
        Some(self.elements[element].first_child).filter(|&child| child != NONE).map(|child| child as Id)
    }

    /// Returns the sibling that follows.
    pub(super) fn next_sibling(&self, element: Id) -> Option<Id> {
        Some(self.elements[element].next).filter(|&next| next != NONE).map(|next| next as Id)
    }

    /// Returns the first child of a name.
    pub(super) fn child(&self, element: Id, name: &str) -> Option<Id> {
        self.children(element).find(|&child| self.name(child) == name)
    }

    /// Returns all elements of a name below children of the root that have the name `library`, in order.
    pub(super) fn in_libraries<'s>(&'s self, library: &'s str, name: &'s str) -> impl Iterator<Item = Id> + 's {
        let libraries = self.children(0).filter(move |&child| self.name(child) == library);
        libraries.flat_map(|library| self.children(library)).filter(move |&child| self.name(child) == name)
    }

    /// Returns the text of an element.
    pub(super) fn text(&self, element: Id) -> &str {
        &self.elements[element].text
    }

    /// Returns the place of an element.
    pub(super) fn place(&self, element: Id) -> Place {
        Place::Line(self.elements[element].line)
    }

    /// Returns the place of a word in the text of an element.
    pub(super) fn place_of(&self, element: Id, word: &str) -> Place {
        let DaeElement { text, text_line, .. } = &self.elements[element];
        // The word is a piece of the text.
        let before = (word.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len());
        let lines = text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count();
        Place::Line(text_line + lines as u64)
    }

    /// Returns the last line.
    pub(super) fn end(&self) -> Place {
        Place::Line(self.end)
    }

    /// Reads `N` finite numbers that are all the text of an element.
    pub(super) fn numbers<const N: usize>(&self, element: Id) -> Result<[f64; N], ReadError> {
        let mut numbers = [0.0; N];
        let mut words = self.text(element).split_ascii_whitespace();
        for number in &mut numbers {
            let Some(word) = words.next() else { return Err(self.wrong_count(element, N)) };
            *number = self.finite(element, word)?;
        }
        if words.next().is_some() { Err(self.wrong_count(element, N)) } else { Ok(numbers) }
    }

    fn wrong_count(&self, element: Id, count: usize) -> ReadError {
        let expected = format!("{count} numbers in <{}>", self.name(element));
        ReadError::syntax(self.place(element), self.text(element).as_bytes(), expected)
    }

    /// Reads a finite number, which is a word of the text of an element.
    pub(super) fn finite(&self, element: Id, word: &str) -> Result<f64, ReadError> {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => {
                let (place, value) = (self.place_of(element, word), quoted(word.as_bytes()));
                Err(ReadError::NotFinite { place, value })
            }
            Err(_) => Err(ReadError::syntax(self.place_of(element, word), word.as_bytes(), "a number")),
        }
    }

    /// Reads an attribute that is a whole number; `default` if the element does not have it.
    pub(super) fn whole(&self, element: Id, attribute: &str, default: usize) -> Result<usize, ReadError> {
        let Some(value) = self.attribute(element, attribute) else { return Ok(default) };
        value.trim().parse().map_err(|_| {
            let expected = format!("a whole number as attribute {attribute} of <{}>", self.name(element));
            ReadError::syntax(self.place(element), value.as_bytes(), expected)
        })
    }
}
