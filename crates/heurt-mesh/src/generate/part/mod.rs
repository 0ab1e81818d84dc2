//! Machine parts: fasteners, gears, plates, height fields.

pub(crate) mod fastener;
pub(crate) mod gear;
pub(crate) mod height_field;
pub(crate) mod plate;
