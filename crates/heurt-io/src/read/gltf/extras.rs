//! Units of length in the `extras` of a glTF document, which contradict the metre of the format.
//!
//! In: `extras` of the document, of the asset or of the scene: any JSON. Out: the text of a member `unit`, `units` or
//! `length_unit`, if there is one; a warning if it is the name of another unit than the metre. Everything else is
//! skipped while parsing.

use super::schema::Document;
use crate::error::quoted;
use crate::read::warnings::Warnings;
use crate::{LengthUnit, Place, Treatment, Warning};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Names of members that hold a unit, in lower case and without `_`.
const NAMES: [&str; 3] = ["unit", "units", "lengthunit"];

/// The unit that a member names.
#[derive(Debug, Default)]
pub(super) struct Extras {
    unit: Option<Box<str>>,
}

/// Warns of a unit that is not the metre.
pub(super) fn check(document: &Document<'_>, warnings: &mut Warnings) {
    let scene = document.scenes.get(document.scene.unwrap_or(0));
    let all = [
        ("asset.extras", Some(&document.asset.extras)),
        ("extras", Some(&document.extras)),
        ("scene.extras", scene.map(|scene| &scene.extras)),
    ];
    let declared = all.into_iter().find_map(|(place, extras)| Some((place, extras?.unit.as_deref()?)));
    let Some((place, text)) = declared else { return };
    if LengthUnit::from_name(text).is_none_or(|unit| unit == LengthUnit::Metre) {
        return;
    }
    warnings.push(Warning {
        what: "glTF is in metres",
        count: 1,
        place: Place::Item(place.to_owned()),
        found: quoted(text.as_bytes()),
        treatment: Treatment::UnitIgnored,
    });
}

impl<'de> Deserialize<'de> for Extras {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExtrasVisitor)
    }
}

struct ExtrasVisitor;

impl<'de> Visitor<'de> for ExtrasVisitor {
    type Value = Extras;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Extras, A::Error> {
        let mut extras = Extras::default();
        while let Some(key) = map.next_key::<String>()? {
            let name = key.to_ascii_lowercase().replace('_', "");
            if NAMES.contains(&name.as_str()) {
                let UnitText(text) = map.next_value()?;
                extras.unit = extras.unit.or(text);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(extras)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Extras, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Extras::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_unit<E>(self) -> Result<Extras, E> {
        Ok(Extras::default())
    }
}

/// The text of a member, if it is one.
struct UnitText(Option<Box<str>>);

impl<'de> Deserialize<'de> for UnitText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Any {
            Text(Box<str>),
            Other(IgnoredAny),
        }
        Ok(match Any::deserialize(deserializer)? {
            Any::Text(text) => Self(Some(text)),
            Any::Other(IgnoredAny) => Self(None),
        })
    }
}
