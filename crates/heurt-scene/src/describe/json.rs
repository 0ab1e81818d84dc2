//! JSON parser: text to a value, as `serde_json` reads it, with the first key that an object gives twice.
//!
//! `serde_json` keeps the last of equal keys without an error; the answer would then be for a request that was not
//! meant. Cost: the cost of `serde_json`; the path of a key is built only if one is repeated.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::RefCell;
use std::fmt;

/// Parses a value, and returns the path of the first repeated key in it; the last of equal keys is kept.
pub fn parse_json(text: &[u8]) -> serde_json::Result<(Value, Option<String>)> {
    let repeated = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = Place { within: None, step: PathStep::Root, repeated: &repeated }.deserialize(&mut reader)?;
    reader.end()?;
    Ok((value, repeated.into_inner()))
}

/// The step from a containing value to a value.
#[derive(Clone, Copy)]
enum PathStep<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

/// The place of a value: links to the values around it.
#[derive(Clone, Copy)]
struct Place<'p> {
    within: Option<&'p Place<'p>>,
    step: PathStep<'p>,
    repeated: &'p RefCell<Option<String>>,
}

impl Place<'_> {
    /// Returns the path of the value, as `a.points[2]`.
    fn path(&self) -> String {
        let outer = self.within.map(Place::path).unwrap_or_default();
        match self.step {
            PathStep::Root => outer,
            PathStep::Key(key) if outer.is_empty() => key.to_owned(),
            PathStep::Key(key) => format!("{outer}.{key}"),
            PathStep::Index(index) => format!("{outer}[{index}]"),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        let place = |index| Place { within: Some(&self), step: PathStep::Index(index), repeated: self.repeated };
        while let Some(item) = list.next_element_seed(place(items.len()))? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let place = Place { within: Some(&self), step: PathStep::Key(&key), repeated: self.repeated };
            if fields.contains_key(&key) {
                self.repeated.borrow_mut().get_or_insert_with(|| place.path());
            }
            let value = object.next_value_seed(place)?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}
