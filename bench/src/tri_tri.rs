//! Do two triangles meet? In floating point, for the peers that have trees but give out no such test.
//!
//! Method: signs of the corners against the other's plane, then the intervals that both cut out of the planes' common
//! line (Möller 1997); coplanar triangles by edges against edges. One body for `f32` and `f64`; no tolerance.
//! Not exact: that is the point of the comparison.

macro_rules! tri_tri {
    ($name:ident, $vector:ty, $real:ty) => {
        /// Tells whether the two triangles share a point, up to rounding.
        #[inline]
        pub fn $name(p: &[$vector; 3], q: &[$vector; 3]) -> bool {
            type V = $vector;
            /// The stretch of the common line that a triangle covers, given its corners' sides and places on the line.
            #[inline(always)]
            fn interval(side: [$real; 3], at: [$real; 3]) -> [$real; 2] {
                let mut low = <$real>::INFINITY;
                let mut high = <$real>::NEG_INFINITY;
                for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                    if side[i] * side[j] < 0.0 {
                        let cut = at[i] + (at[j] - at[i]) * (side[i] / (side[i] - side[j]));
                        low = low.min(cut);
                        high = high.max(cut);
                    }
                    if side[i] == 0.0 {
                        low = low.min(at[i]);
                        high = high.max(at[i]);
                    }
                }
                [low, high]
            }
            #[cold]
            fn coplanar(p: &[V; 3], q: &[V; 3], normal: V) -> bool {
                let n = normal.abs();
                let flat = |v: V| match (n.x >= n.y && n.x >= n.z, n.y >= n.z) {
                    (true, _) => [v.y, v.z],
                    (false, true) => [v.z, v.x],
                    (false, false) => [v.x, v.y],
                };
                let (p, q) = (p.map(flat), q.map(flat));
                let turn = |a: [$real; 2], b: [$real; 2], c: [$real; 2]| {
                    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
                };
                // Apart when an edge of either has the other wholly on its outer side.
                let are_disjoint = |t: &[[$real; 2]; 3], u: &[[$real; 2]; 3]| {
                    let around = turn(t[0], t[1], t[2]);
                    (0..3).any(|e| u.iter().all(|&c| turn(t[e], t[(e + 1) % 3], c) * around < 0.0))
                };
                !are_disjoint(&p, &q) && !are_disjoint(&q, &p)
            }
            let normal_q = (q[1] - q[0]).cross(q[2] - q[0]);
            let side_p = [0, 1, 2].map(|i| normal_q.dot(p[i] - q[0]));
            if side_p[0] * side_p[1] > 0.0 && side_p[0] * side_p[2] > 0.0 {
                return false;
            }
            let normal_p = (p[1] - p[0]).cross(p[2] - p[0]);
            let side_q = [0, 1, 2].map(|i| normal_p.dot(q[i] - p[0]));
            if side_q[0] * side_q[1] > 0.0 && side_q[0] * side_q[2] > 0.0 {
                return false;
            }
            if side_p == [0.0; 3] {
                return coplanar(p, q, normal_q);
            }
            let line = normal_p.cross(normal_q);
            let [low_p, high_p] = interval(side_p, p.map(|corner| line.dot(corner)));
            let [low_q, high_q] = interval(side_q, q.map(|corner| line.dot(corner)));
            low_p <= high_q && low_q <= high_p
        }
    };
}

tri_tri!(meet_f32, parry3d::math::Vector, f32);
tri_tri!(meet_f64, parry3d_f64::math::Vector, f64);
