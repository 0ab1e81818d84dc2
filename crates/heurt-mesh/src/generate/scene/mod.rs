//! Scenes for demonstrations, benches and tests: assemblies, fields of clashes, cloth, surgery.

pub(crate) mod assembly;
pub(crate) mod clash_field;
pub(crate) mod cloth;
pub(crate) mod demo;
pub(crate) mod surgery;
pub(crate) mod tet_block;
pub(crate) mod wavy;
