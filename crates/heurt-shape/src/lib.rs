//! heurt-shape
