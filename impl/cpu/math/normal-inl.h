/* SPDX-License-Identifier: BSD-3-Clause */
// The normal distribution, for Gelu and its gradient. scripts/minimax makes the coefficients.
#if defined(IMPL_CPU_MATH_NORMAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_NORMAL_INL_H_
#undef IMPL_CPU_MATH_NORMAL_INL_H_
#else
#define IMPL_CPU_MATH_NORMAL_INL_H_
#endif

#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
struct NormalConstants;
template <>
struct NormalConstants<float> {
  static constexpr float kLast = 13.2f;  // for larger y, e^(-y^2 / 2) is subnormal and the tail counts as 0
  static constexpr float kShift = 3.0f;
  // Polynomial in kSlope y / (y + kShift) - 1 of Tail(y) e^(y^2 / 2) (y + kShift) for y from 0 to kLast, with error
  // 2^-25.8. kSlope is chosen so that the first coefficient has a small rounding error.
  static constexpr float kSlope = 2.470792293548584f;
  static constexpr float kTail[] = {0.834796f,      -0.48713347f,  0.1666216f,     -0.01959392f,
                                    -0.007006574f,  0.0017805806f, 5.8847887e-04f, -1.2145245e-04f,
                                    -7.021352e-05f, 4.130984e-06f, 6.5779695e-06f};
};
template <>
struct NormalConstants<double> {
  static constexpr double kLast = 37.6;
  static constexpr double kShift = 5.0;
  // The polynomial of NormalConstants<float>::kTail, with error 2^-56.1.
  static constexpr double kSlope = 2.2707955932617185;
  static constexpr double kTail[] = {
      0.8561513578678557,     -0.7029103239494873,    0.4831098803018652,      -0.27520034451717174,
      0.12686658043478136,    -0.04494322217098699,   0.010687648197975984,    -0.0007995254235296188,
      -0.000508821686024522,  0.0001821811923747029,  5.364971205963003e-06,   -1.6734398223228525e-05,
      1.5982786147687685e-06, 1.4823425743327476e-06, -2.5588216763741856e-07, -1.4924634710463808e-07,
      2.9574218781037266e-08, 1.7594801056123357e-08, -2.8489428623932885e-09, -2.268462850916029e-09,
      2.0318780993749207e-10, 2.7050742950620927e-10, -7.094852918383019e-12,  -2.0573038127366336e-11};
};

// The probability that a normal number exceeds y, for y from 0 to kLast, with a small relative error for large y too.
// It is scale (1 + q) p / (y + kShift), where scale (1 + q) (1 + q_low) is e^(-y^2 / 2). The exponential would magnify
// the rounding error of y^2, so the error is part of its argument. Without kPrecise, the low parts are less precise.
template <class V>
struct NormalTail {
  V scale;       // a power of two, 0 beyond kLast
  V q, q_low;    // a sum of two parts
  V p, p_low;    // the polynomial and its rounding error
  V inverse;     // of y + kShift
  V ratio;       // y / (y + kShift)
  V correction;  // the error of ratio
};
template <bool kPrecise, class D, class V>
HWY_INLINE NormalTail<V> TailOfNormal(D d, V magnitude) {
  using T = hn::TFromD<D>;
  using C = NormalConstants<T>;
  const V last = hn::Set(d, C::kLast), shift = hn::Set(d, C::kShift);
  const V y = AtMost(last, magnitude);
  const TwoNumbers<V> square = TwoProduct(d, y, y);
  const V minus_half = hn::Set(d, T(-0.5));
  const TwoNumbers<V> exponent{hn::Mul(minus_half, square.high), hn::Mul(minus_half, square.low)};
  const PreciselyReducedExp<V> e = ReduceExp(d, exponent);
  NormalTail<V> n;
  const TwoNumbers<V> q = PreciseExpm1OfReduced(d, e.r);
  n.q = q.high;
  n.q_low = hn::MulAdd(n.q, e.r_low, e.r_low);
  if constexpr (kPrecise) n.q_low = hn::Add(n.q_low, q.low);
  n.scale = hn::IfThenElseZero(hn::Le(magnitude, last), PowerOfTwo(d, e.k));
  const V sum = hn::Add(y, shift);
  const V sum_low = hn::Sub(hn::Min(y, shift), hn::Sub(sum, hn::Max(y, shift)));
  n.inverse = Inverse(d, sum);
  n.ratio = hn::Mul(y, n.inverse);
  const TwoNumbers<V> product = TwoProduct(d, n.ratio, sum);
  const V rest = hn::NegMulAdd(n.ratio, sum_low, hn::Sub(hn::Sub(y, product.high), product.low));
  n.correction = hn::Mul(rest, n.inverse);
  const V slope = hn::Set(d, C::kSlope);
  const V one = hn::Set(d, T(1)), c0 = hn::Set(d, C::kTail[0]);
  if constexpr (!kPrecise) {  // p_low is not used
    const V t = hn::MulSub(n.ratio, slope, one);
    n.p = hn::MulAdd(HornerFrom<1>(d, t, C::kTail), t, c0);
    n.p_low = hn::Zero(d);
    return n;
  }
  const TwoNumbers<V> along = TwoProduct(d, n.ratio, slope);
  const V t = hn::Add(hn::Sub(along.high, one), hn::MulAdd(n.correction, slope, along.low));
  const V c1 = hn::Set(d, C::kTail[1]), beyond = HornerFrom<2>(d, t, C::kTail);
  const V varying = hn::MulAdd(beyond, t, c1);
  const V varying_low = hn::MulAdd(beyond, t, hn::Sub(c1, varying));
  const TwoNumbers<V> term = TwoProduct(d, varying, t);
  n.p = hn::Add(c0, term.high);
  n.p_low = hn::MulAdd(varying_low, t, hn::Add(hn::Sub(term.high, hn::Sub(n.p, c0)), term.low));
  return n;
}

// Returns x times the probability of a normal number below x: for x > 0 this is x minus x times the tail, for x < 0
// minus |x| times the tail. The product of |x| and the tail is ratio times p times the exponential; it is not rounded
// before the difference.
template <class D, class V>
HWY_INLINE V GeluOfAny(D d, V x) {
  const NormalTail<V> n = TailOfNormal<true>(d, hn::Abs(x));
  const TwoNumbers<V> v = TwoProduct(d, n.ratio, n.p);
  const V rest = hn::MulAdd(n.ratio, n.p_low, hn::MulAdd(n.p, n.correction, v.low));
  const TwoNumbers<V> varying = TwoProduct(d, v.high, n.q);
  const V high = hn::Add(v.high, varying.high), high_low = hn::Sub(varying.high, hn::Sub(high, v.high));
  const V low = hn::Add(high_low, hn::Add(varying.low, hn::MulAdd(v.high, n.q_low, rest)));
  // For x < 0 this is -0, or NaN if x is -infinity.
  const V base = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Neg(hn::Sub(x, x)), x);
  return hn::Sub(hn::Sub(base, hn::Mul(n.scale, high)), hn::Mul(n.scale, low));
}
template <class D, class V>
HWY_NOINLINE V GeluWithFarTail(D d, V x) {
  return GeluOfAny(d, x);
}

// The tail at k kStep + u as polynomials in u, up to the y for which x - x tail(y) rounds to x; error 2^-24.2.
// The second row has the rounding errors of the first. A piece extends further to the left of its centre, where the
// tail is larger, than to the right.
struct NormalPieces {
  static constexpr float kInverseStep = 0x1.6a13cd1537290p+1f, kStep = 0.353515625f, kLeft = 0.2f * kStep;
  static constexpr float kLast = 5.4f;
  static constexpr float kFar = -4.0f;  // below it the pieces are not precise enough
  HWY_ALIGN static constexpr float kCoefficients[10][16] = {
      {0.5f, 0.36185095f, 0.23977353f, 0.14444794f, 0.078671776f, 0.03856573f, 0.016956957f, 0.0066690985f,
       0.002341076f, 7.3221704e-04f, 2.0376705e-04f, 5.039714e-05f, 1.1067582e-05f, 2.156462e-06f, 3.725598e-07f,
       5.7040427e-08f},
      {0.0f, 1.1340141e-08f, 2.2122466e-09f, 6.559511e-10f, 4.5131293e-10f, 2.572048e-11f, -1.5167546e-10f,
       1.1190633e-10f, -9.101652e-12f, 3.4424627e-12f, 1.5867127e-12f, 6.6259395e-13f, -9.16118e-15f, 6.475495e-14f,
       1.3075395e-14f, 1.4948396e-15f},
      {-0.3989423f, -0.3747766f, -0.31071314f, -0.22733778f, -0.14679402f, -0.08365076f, -0.04206842f, -0.01867099f,
       -0.007313129f, -0.0025279236f, -7.7116874e-04f, -2.0761545e-04f, -4.9328137e-05f, -1.0343191e-05f,
       -1.9139877e-06f, -3.125709e-07f},
      {-7.5706944e-14f, 0.06624469f, 0.10984196f, 0.120551184f, 0.10378796f, 0.07392963f, 0.044615533f, 0.023101702f,
       0.0103412215f, 0.004021472f, 0.001363101f, 4.0367417e-04f, 1.046296e-04f, 2.3767117e-05f, 4.736372e-06f,
       8.2874027e-07f},
      {0.06649038f, 0.054656588f, 0.025898295f, -0.0047270986f, -0.024455218f, -0.029617004f, -0.024533173f,
       -0.015944066f, -0.008529901f, -0.003843639f, -0.0014777302f, -4.886496e-04f, -1.3973143e-04f, -3.4685e-05f,
       -7.494779e-06f, -1.4127664e-06f},
      {-1.0945114e-09f, -0.015871271f, -0.02288472f, -0.018838538f, -0.008652692f, 7.6598773e-04f, 0.005573368f,
       0.00601355f, 0.0043073697f, 0.002387024f, 0.0010788182f, 4.0777042e-04f, 1.3075348e-04f, 3.5889316e-05f,
       8.483937e-06f, 1.7347608e-06f},
      {-0.009973517f, -0.0070764683f, -6.486443e-04f, 0.004705049f, 0.006115464f, 0.0041717417f, 0.0013155822f,
       -5.8466906e-04f, -0.0011568734f, -9.423709e-04f, -5.4108776e-04f, -2.4383592e-04f, -8.9976675e-05f,
       -2.7785603e-05f, -7.274223e-06f, -1.6281617e-06f},
      {-7.8998784e-07f, 0.0025326207f, 0.0031280236f, 0.0016808149f, -2.8721488e-04f, -0.0013312263f, -0.0012084931f,
       -5.6084525e-04f, -2.9022618e-05f, 1.8150987e-04f, 1.750119e-04f, 1.0367958e-04f, 4.6180805e-05f, 1.6492158e-05f,
       4.8659113e-06f, 1.2063184e-06f},
      {0.0011959973f, 7.202453e-04f, -2.4100069e-04f, -8.213458e-04f, -6.7404157e-04f, -1.5973565e-04f, 2.1237138e-04f,
       2.6966017e-04f, 1.4959431e-04f, 2.9118588e-05f, -2.4428586e-05f, -2.8727602e-05f, -1.7267912e-05f,
       -7.477951e-06f, -2.546734e-06f, -7.0830873e-07f},
      {-4.957892e-05f, -2.6375242e-04f, -3.3468855e-04f, -1.21703386e-04f, 1.2110589e-04f, 1.8571947e-04f,
       9.537274e-05f, -9.916298e-06f, -4.924214e-05f, -3.576326e-05f, -1.1587243e-05f, 1.6589602e-06f, 4.315507e-06f,
       2.8836066e-06f, 1.2820356e-06f, 4.3562193e-07f},
  };
};
template <class D>
struct PieceOf {
  PieceNumbers<D> piece;
  hn::Vec<D> u;
};
template <class P, class D, class V>
HWY_INLINE PieceOf<D> FindPiece(D d, V y) {
  const Rounded<V> k = RoundScaled(d, hn::Add(y, hn::Set(d, P::kLeft)), hn::Set(d, P::kInverseStep));
  return {NumbersOfPieces(d, k.magic), hn::NegMulAdd(k.number, hn::Set(d, P::kStep), y)};
}
template <class D, class V>
HWY_INLINE V GeluByPieces(D d, V x) {
  using P = NormalPieces;
  const V y = AtMost(hn::Set(d, P::kLast), hn::Abs(x));
  const PieceOf<D> at = FindPiece<P>(d, y);
  const V centre = LookUp(d, P::kCoefficients[0], at.piece);
  const V beside = HornerOfPieces<1>(d, at.u, at.piece, P::kCoefficients);
  const V base = hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
  return hn::NegMulAdd(y, centre, hn::NegMulAdd(y, beside, base));
}

// NormalPieces with error 2^-22.4, which is below the precision of float16 and bfloat16, and without the row of
// rounding errors.
struct RoughNormalPieces : NormalPieces {
  HWY_ALIGN static constexpr float kCoefficients[8][16] = {
      {0.5f, 0.36185095f, 0.23977353f, 0.14444794f, 0.078671776f, 0.03856573f, 0.016956957f, 0.0066690985f,
       0.002341076f, 7.3221704e-04f, 2.0376705e-04f, 5.039714e-05f, 1.1067582e-05f, 2.156462e-06f, 3.725598e-07f,
       5.7040427e-08f},
      {-0.3989423f, -0.3747766f, -0.31071314f, -0.22733778f, -0.14679402f, -0.08365076f, -0.04206842f, -0.01867099f,
       -0.007313129f, -0.0025279236f, -7.7116874e-04f, -2.0761545e-04f, -4.9328137e-05f, -1.0343191e-05f,
       -1.9139877e-06f, -3.125709e-07f},
      {8.1370045e-13f, 0.06624469f, 0.10984196f, 0.120551184f, 0.10378796f, 0.07392963f, 0.044615533f, 0.023101702f,
       0.0103412215f, 0.0040214723f, 0.001363101f, 4.0367417e-04f, 1.0462959e-04f, 2.3767107e-05f, 4.7363674e-06f,
       8.287387e-07f},
      {0.06649038f, 0.054656595f, 0.025898304f, -0.004727095f, -0.024455221f, -0.02961701f, -0.024533175f,
       -0.015944066f, -0.0085299f, -0.003843638f, -0.0014777299f, -4.8864965e-04f, -1.3973156e-04f, -3.4685087e-05f,
       -7.494817e-06f, -1.4127795e-06f},
      {6.419017e-09f, -0.015871545f, -0.02288506f, -0.018838657f, -0.008652565f, 7.6617755e-04f, 0.0055734636f,
       0.006013538f, 0.004307319f, 0.002386988f, 0.0010788067f, 4.0777223e-04f, 1.307579e-04f, 3.589224e-05f,
       8.48523e-06f, 1.7351987e-06f},
      {-0.009973718f, -0.0070783906f, -6.5111055e-04f, 0.004704136f, 0.0061163423f, 0.004173109f, 0.001316291f,
       -5.847369e-04f, -0.0011572349f, -9.4263535e-04f, -5.411742e-04f, -2.438242e-04f, -8.994494e-05f, -2.776429e-05f,
       -7.264722e-06f, -1.6249269e-06f},
      {1.9570439e-06f, 0.0025458485f, 0.0031443853f, 0.0016865075f, -2.9335302e-04f, -0.0013403279f, -0.0012130579f,
       -5.6027627e-04f, -2.659382e-05f, 1.8324306e-04f, 1.7556085e-04f, 1.0359066e-04f, 4.596887e-05f, 1.6352253e-05f,
       4.8041325e-06f, 1.185435e-06f},
      {0.0011773702f, 8.5137674e-04f, -7.560165e-05f, -7.618086e-04f, -7.344051e-04f, -2.5156882e-04f, 1.6547056e-04f,
       2.7475998e-04f, 1.7398008e-04f, 4.675636e-05f, -1.8743907e-05f, -2.9565987e-05f, -1.9402854e-05f,
       -8.9004525e-06f, -3.1781635e-06f, -9.226029e-07f},
  };
};
template <class D, class V>
HWY_INLINE V RoughGelu(D d, V x) {
  if constexpr (kLooksUpPieces<hn::TFromD<D>>) {
    using P = RoughNormalPieces;
    const auto far = hn::Lt(x, hn::Set(d, -P::kLast));
    const V y = AtMost(hn::Set(d, P::kLast), hn::Abs(x));
    const PieceOf<D> at = FindPiece<P>(d, y);
    const V base = hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
    const V near = hn::NegMulAdd(y, HornerOfPieces<0>(d, at.u, at.piece, P::kCoefficients), base);
    if (HWY_LIKELY(hn::AllFalse(d, far))) return near;
    return hn::IfThenElse(far, GeluWithFarTail(d, x), near);
  }
  return GeluWithFarTail(d, x);
}

// Gelu: at most 1.9 ULP in float, 2.7 in double.
template <class D, class V>
HWY_INLINE V Gelu(D d, V x) {
  if constexpr (kIsFloat32<hn::TFromD<D>> && kLooksUpPieces<float>) {
    const auto far = hn::Lt(x, hn::Set(d, NormalPieces::kFar));
    const V near = GeluByPieces(d, x);
    if (HWY_LIKELY(hn::AllFalse(d, far))) return near;
    return hn::IfThenElse(far, GeluWithFarTail(d, x), near);
  }
  return GeluOfAny(d, x);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_NORMAL_INL_H_
