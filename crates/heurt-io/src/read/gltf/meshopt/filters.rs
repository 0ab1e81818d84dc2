//! Filters of meshopt compression: unit vectors, quaternions, floating-point numbers and colours.
//!
//! In: elements as the attribute codec gives them, changed in place. Method: appendix B.
//! Guarantees: any bits give some element; numbers outside the ranges of the specification give unspecified ones.
//! Cost: O(elements).

/// Component types of a filter: signed or unsigned integers of 8 or 16 bits, as `f32`.
fn read(element: &[u8], at: usize, size: usize, is_signed: bool) -> i32 {
    match (size, is_signed) {
        (1, true) => i32::from(element[at] as i8),
        (1, false) => i32::from(element[at]),
        (_, true) => i32::from(i16::from_le_bytes([element[2 * at], element[2 * at + 1]])),
        (_, false) => i32::from(u16::from_le_bytes([element[2 * at], element[2 * at + 1]])),
    }
}

/// Writes a component, rounded to the nearest integer, halves away from zero; what overflows saturates.
fn write(element: &mut [u8], at: usize, size: usize, value: f32, is_signed: bool) {
    let bytes = match (size, is_signed) {
        (1, true) => [value.round() as i8 as u8, 0],
        (1, false) => [value.round() as u8, 0],
        (_, true) => (value.round() as i16).to_le_bytes(),
        (_, false) => (value.round() as u16).to_le_bytes(),
    };
    element[size * at..size * (at + 1)].copy_from_slice(&bytes[..size]);
}

/// Decodes unit vectors of octahedral coordinates; elements are of 4 or 8 bytes.
pub(super) fn octahedral(elements: &mut [u8], stride: usize) {
    let size = stride / 4;
    let max = if size == 1 { 127.0 } else { 32767.0 };
    for element in elements.chunks_exact_mut(stride) {
        let one = read(element, 2, size, true) as f32;
        let mut x = read(element, 0, size, true) as f32 / one;
        let mut y = read(element, 1, size, true) as f32 / one;
        let z = 1.0 - x.abs() - y.abs();
        // The lower hemisphere is folded over the edges of the square.
        let fold = z.min(0.0);
        x -= fold.copysign(x);
        y -= fold.copysign(y);
        let length = (x * x + y * y + z * z).sqrt();
        for (at, value) in [x, y, z].into_iter().enumerate() {
            write(element, at, size, value / length * max, true);
        }
    }
}

/// Decodes unit quaternions whose largest component is left out; elements are of 8 bytes.
pub(super) fn quaternion(elements: &mut [u8]) {
    for element in elements.chunks_exact_mut(8) {
        let last = read(element, 3, 2, true);
        let one = (last | 3) as f32;
        let [x, y, z] = [0, 1, 2].map(|at| read(element, at, 2, true) as f32 / one * std::f32::consts::FRAC_1_SQRT_2);
        let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
        let largest = (last & 3) as usize;
        for (offset, value) in [w, x, y, z].into_iter().enumerate() {
            write(element, (largest + offset) % 4, 2, value * 32767.0, true);
        }
    }
}

/// Decodes numbers of 8 bits of exponent and 24 bits of mantissa to `f32`, exactly.
pub(super) fn exponential(elements: &mut [u8]) {
    for number in elements.as_chunks_mut::<4>().0 {
        let bits = i32::from_le_bytes(*number);
        let (exponent, mantissa) = (bits >> 24, (bits << 8) >> 8);
        // Powers of two from 2⁻¹²⁸ to 2¹²⁷ are normal in `f64`, so that only the conversion to `f32` may round.
        let power = f64::from_bits(((1023 + exponent) as u64) << 52);
        *number = ((power * f64::from(mantissa)) as f32).to_le_bytes();
    }
}

/// Decodes colours of luma and chroma; elements are of 4 or 8 bytes.
pub(super) fn color(elements: &mut [u8], stride: usize) {
    let size = stride / 4;
    let max = if size == 1 { 255.0 } else { 65535.0 };
    for element in elements.chunks_exact_mut(stride) {
        let alpha = read(element, 3, size, false);
        // The highest bit of alpha gives the number of bits of all components.
        let scale = (1i32 << (32 - alpha.leading_zeros())) - 1;
        let y = read(element, 0, size, false);
        let [co, cg] = [1, 2].map(|at| read(element, at, size, true));
        let opacity = alpha & (scale >> 1);
        let opacity = (opacity << 1) | (opacity & 1);
        let factor = max / scale.max(1) as f32;
        for (at, value) in [y + co - cg, y + cg, y - co - cg, opacity].into_iter().enumerate() {
            write(element, at, size, value as f32 * factor, false);
        }
    }
}
