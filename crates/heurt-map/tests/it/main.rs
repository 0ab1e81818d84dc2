//! Tests of heurt-map, a topic a module.

mod build;
mod delaunay;
mod draw;
mod edits;
mod geodesic;
mod hostile;
mod kernel;
mod multires;
mod placed;
mod placed_search;
mod probes;
mod registration;
mod segment_voronoi;
mod track_plane;
mod track_sizes;
mod track_space;
mod track_surface;
