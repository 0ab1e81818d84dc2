//! Transverse Mercator projection, local: degrees of longitude and latitude to metres.
//!
//! In: a point and the origin, in degrees on the ellipsoid WGS 84. Out: metres, x to the east and y to the north.
//! Method: the series of the transverse Mercator projection in the difference of longitudes up to its third power, on
//! the meridian of the origin, with scale 1 there (Snyder, Map Projections, 1987, equations 8-9 and 8-10). The arc of
//! the meridian is the radius of curvature at the middle latitude times the difference of latitudes.
//! Guarantees: the origin is (0, 0). Against the full projection of PROJ, the error is below 1 µm up to 2 km from the
//! origin and 80° of latitude; a plain equirectangular projection is wrong by 1.2 m at 60° there. At 50 km the error is
//! below 0.2 m. Not guaranteed: points farther away. Cost: O(1).

use heurt_geometry::Vec2;
use std::fmt;

/// The equatorial radius of WGS 84, in metres.
const RADIUS: f64 = 6_378_137.0;
/// The squared eccentricity of WGS 84: f·(2 − f) with f = 1/298.257223563.
const ECCENTRICITY_SQUARED: f64 = 6.694_379_990_141_316e-3;

/// A point on the Earth: longitude and latitude in degrees of WGS 84.
///
/// ```
/// use heurt_io::LonLat;
/// let origin = LonLat { lon: 24.94, lat: 60.17 };
/// let north = LonLat { lon: 24.94, lat: 60.18 };
/// let metres = north.to_metres(origin);
/// assert!(metres.x == 0.0 && (metres.y - 1114.0).abs() < 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LonLat {
    /// The longitude, positive to the east.
    pub lon: f64,
    /// The latitude, positive to the north.
    pub lat: f64,
}

impl LonLat {
    /// Projects the point to metres east and north of `origin`, as the plans of maps are projected.
    pub fn to_metres(self, origin: Self) -> Vec2 {
        let latitude = self.lat.to_radians();
        let (sin, cos) = libm::sincos(latitude);
        let flat = 1.0 - ECCENTRICITY_SQUARED * sin * sin;
        let prime_radius = RADIUS / libm::sqrt(flat);
        // The terms of the series: A of longitude, T = tan² and C = e'²·cos² of latitude.
        let a = (self.lon - origin.lon).to_radians() * cos;
        let t = if cos == 0.0 { 0.0 } else { (sin / cos) * (sin / cos) };
        let c = ECCENTRICITY_SQUARED / (1.0 - ECCENTRICITY_SQUARED) * cos * cos;
        let east = prime_radius * a * (1.0 + (1.0 - t + c) * a * a / 6.0);
        let tangent = if cos == 0.0 { 0.0 } else { sin / cos };
        let north = meridian_arc(origin.lat.to_radians(), latitude) + prime_radius * tangent * a * a / 2.0;
        Vec2::new(east, north)
    }
}

impl fmt::Display for LonLat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.5}° E {:.5}° N", self.lon, self.lat)
    }
}

/// Computes the length of the meridian between two latitudes in radians, by Simpson's rule over the radius of
/// curvature: exact to 1e-9 m over 100 km.
fn meridian_arc(from: f64, to: f64) -> f64 {
    let radius = |latitude: f64| {
        let sin = libm::sin(latitude);
        let flat = 1.0 - ECCENTRICITY_SQUARED * sin * sin;
        RADIUS * (1.0 - ECCENTRICITY_SQUARED) / (flat * libm::sqrt(flat))
    };
    (radius(from) + 4.0 * radius(0.5 * (from + to)) + radius(to)) / 6.0 * (to - from)
}
