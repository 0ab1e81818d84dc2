//! Lanes that fill one register: the operations written once, with the intrinsics of each instruction set.

/// Implements [`Lanes`](super::Lanes) by intrinsics.
///
/// SAFETY of every use: the code that works with the registers runs only where the processor has the instructions, for
/// the reason given by the module that calls the macro.
macro_rules! lanes_in_register {
    ($lanes:ident, $width:literal, splat $splat:path, load $load:path, store $store:path, add $add:path, sub $sub:path,
     mul $mul:path, div $div:path, sqrt $sqrt:path, min $min:path, max $max:path, andnot $andnot:path, gt $gt:path,
     eq $eq:path, or $or:path, and $and:path, xor $xor:path, blend $blend:path, mask $mask:path) => {
        impl Lanes<$width> for $lanes {
            #[inline(always)]
            fn splat(x: f32) -> Self {
                unsafe { Self($splat(x)) }
            }
            #[inline(always)]
            fn load(from: &[f32; $width]) -> Self {
                // SAFETY: as above; `from` holds as many numbers as there are lanes.
                unsafe { Self($load(from.as_ptr())) }
            }
            #[inline(always)]
            fn to_array(self) -> [f32; $width] {
                let mut out = [0.0; $width];
                // SAFETY: as above; `out` has room for all lanes.
                unsafe { $store(out.as_mut_ptr(), self.0) };
                out
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                unsafe { Self($add(self.0, other.0)) }
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                unsafe { Self($sub(self.0, other.0)) }
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                unsafe { Self($mul(self.0, other.0)) }
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                unsafe { Self($div(self.0, other.0)) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                unsafe { Self($sqrt(self.0)) }
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                unsafe { Self($min(self.0, other.0)) }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                unsafe { Self($max(self.0, other.0)) }
            }
            #[inline(always)]
            fn abs(self) -> Self {
                unsafe { Self($andnot($splat(-0.0), self.0)) }
            }
            #[inline(always)]
            fn gt(self, other: Self) -> Self {
                unsafe { Self($gt(self.0, other.0)) }
            }
            #[inline(always)]
            fn eq(self, other: Self) -> Self {
                unsafe { Self($eq(self.0, other.0)) }
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                unsafe { Self($or(self.0, other.0)) }
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                unsafe { Self($and(self.0, other.0)) }
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                unsafe { Self($xor(self.0, other.0)) }
            }
            #[inline(always)]
            fn select(self, yes: Self, no: Self) -> Self {
                unsafe { Self($blend(no.0, yes.0, self.0)) }
            }
            #[inline(always)]
            fn bits(self) -> u32 {
                unsafe { $mask(self.0) as u32 }
            }
        }
    };
}

pub(super) use lanes_in_register;
