//! heurt-bvh
