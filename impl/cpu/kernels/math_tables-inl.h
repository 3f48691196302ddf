// Piecewise polynomials of float whose coefficients lie in vector registers: 16 pieces, one table lookup per
// coefficient. Shorter than any formula where a vector has 16 lanes and one instruction looks up all of them.
#if defined(IMPL_CPU_KERNELS_MATH_TABLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_KERNELS_MATH_TABLES_INL_H_
#undef IMPL_CPU_KERNELS_MATH_TABLES_INL_H_
#else
#define IMPL_CPU_KERNELS_MATH_TABLES_INL_H_
#endif

#include "math_common-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

inline constexpr bool kLooksUp16Floats = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;

// tanh(k / kInverseStep + u) as polynomials of u, from 0 to where it rounds to 1; minimax relative to tanh (2^-29).
struct TanhPieces {
  static constexpr float kInverseStep = 0x1.af286bca1af28p+0f, kStep = 0.59375f, kLast = 9.2f;
  static constexpr float kSlopeError = 0.0f;  // what rounding took from the slope at 0
  HWY_ALIGN static constexpr float kCoefficients[8][16] = {
      {0.0f, 0.53258729f, 0.829801917f, 0.944829464f, 0.982845008f, 0.994736671f, 0.998391807f, 0.999509275f,
       0.999850333f, 0.999954343f, 0.999986053f, 0.999995768f, 0.999998689f, 0.999999583f, 0.999999881f, 0.99999994f},
      {1.0f, 0.716350794f, 0.311428785f, 0.107297339f, 0.0340156481f, 0.0104989931f, 0.00321375742f, 0.000981237041f,
       0.000299362495f, 9.13099066e-05f, 2.78488315e-05f, 8.49349544e-06f, 2.59037756e-06f, 7.90021204e-07f,
       2.4094291e-07f, 7.34834487e-08f},
      {-1.78193474e-07f, -0.381519526f, -0.25842458f, -0.101377547f, -0.0334320962f, -0.0104437349f, -0.00320859067f,
       -0.000980756013f, -0.00029931785f, -9.13057884e-05f, -2.78484586e-05f, -8.49346452e-06f, -2.59037552e-06f,
       -7.90021318e-07f, -2.40943024e-07f, -7.34834842e-08f},
      {-0.333324075f, -0.0355943888f, 0.110632613f, 0.0600187182f, 0.0215200093f, 0.00688909926f, 0.00213217735f,
       0.000653195544f, 0.000199485483f, 6.08649607e-05f, 1.85651206e-05f, 5.66226117e-06f, 1.7269125e-06f,
       5.26680481e-07f, 1.60628645e-07f, 4.89889835e-08f},
      {-0.000179409195f, 0.146140963f, -0.00564021012f, -0.022922866f, -0.0100076692f, -0.00337147899f, -0.0010591388f,
       -0.000325927627f, -9.96738381e-05f, -3.04240875e-05f, -9.28117515e-06f, -2.83081749e-06f, -8.63370872e-07f,
       -2.63315144e-07f, -8.0306755e-08f, -2.44921932e-08f},
      {0.13495408f, -0.0499151051f, -0.0253019743f, 0.00403277809f, 0.00341860577f, 0.00129082287f, 0.000418183394f,
       0.000129859662f, 3.98220327e-05f, 1.21652583e-05f, 3.71207648e-06f, 1.13229441e-06f, 3.45346592e-07f,
       1.05326272e-07f, 3.21228377e-08f, 9.79692594e-09f},
      {-0.00716085825f, -0.0307967905f, 0.0167375617f, 0.00172167434f, -0.000751181389f, -0.000394353585f,
       -0.000137202776f, -4.34659487e-05f, -1.34085267e-05f, -4.10356097e-06f, -1.25283646e-06f, -3.82216456e-07f,
       -1.16580864e-07f, -3.55562193e-08f, -1.08441327e-08f, -3.30728289e-09f},
      {-0.0406371579f, 0.0286864918f, -0.00344375684f, -0.00177616195f, 8.5613392e-06f, 9.0379006e-05f, 3.70227535e-05f,
       1.22104429e-05f, 3.81060522e-06f, 1.17025934e-06f, 3.57662373e-07f, 1.09150967e-07f, 3.3295688e-08f,
       1.01552171e-08f, 3.0972227e-09f, 9.44604839e-10f},
  };
};
// The same for erf (2^-30).
struct ErfPieces {
  static constexpr float kInverseStep = 0x1.f07c1f07c1f08p+1f, kStep = 0.2578125f, kLast = 3.99f;
  static constexpr float kSlopeError = -0x1.f7ac920000000p-25f;
  HWY_ALIGN static constexpr float kCoefficients[7][16] = {
      {0.0f, 0.284591436f, 0.534123063f, 0.725959837f, 0.855271816f, 0.931698084f, 0.971302092f, 0.9892959f,
       0.996463776f, 0.998967111f, 0.999733686f, 0.999939442f, 0.999987841f, 0.999997854f, 0.999999642f, 0.99999994f},
      {1.12837923f, 1.05581713f, 0.8649472f, 0.620379925f, 0.389576852f, 0.214188322f, 0.103101693f, 0.0434513465f,
       0.0160327721f, 0.00517944945f, 0.00146499125f, 0.000362822495f, 7.87084791e-05f, 1.49879306e-05f,
       2.53975986e-06f, 4.19650831e-07f},
      {-2.31317046e-08f, -0.27220273f, -0.445988357f, -0.47982505f, -0.401751071f, -0.276102066f, -0.15948534f,
       -0.0784159973f, -0.0330674686f, -0.0120178033f, -0.00377677823f, -0.001028775f, -0.000243322706f,
       -5.00363822e-05f, -8.95528501e-06f, -1.39610893e-06f},
      {-0.376123846f, -0.305150539f, -0.135008797f, 0.0406119861f, 0.146341577f, 0.165878654f, 0.130103365f,
       0.0798618495f, 0.0401241668f, 0.0168636218f, 0.00600287039f, 0.00182396872f, 0.000475564564f, 0.000106795953f,
       2.0713207e-05f, 3.47692139e-06f},
      {-9.11093666e-05f, 0.130053177f, 0.183467194f, 0.14423719f, 0.0584615804f, -0.0148777897f, -0.0474633984f,
       -0.0459234901f, -0.0303555951f, -0.0155587913f, -0.00647939974f, -0.00224354398f, -0.000654589152f,
       -0.000162307158f, -3.44010732e-05f, -6.25880102e-06f},
      {0.114261568f, 0.0776871592f, 0.00285343663f, -0.0562632792f, -0.067614004f, -0.0420353934f, -0.00982107129f,
       0.00902850088f, 0.0129300766f, 0.00937587302f, 0.00489984965f, 0.00201440579f, 0.000676028489f, 0.000188879218f,
       4.44629623e-05f, 8.88890372e-06f},
      {-0.0101166284f, -0.0405118652f, -0.049108956f, -0.0238953698f, 0.00754374545f, 0.0218517836f, 0.0175819956f,
       0.00675946148f, -0.000789774407f, -0.00307823136f, -0.00246267067f, -0.00129503023f, -0.000518125889f,
       -0.000166266793f, -4.39257456e-05f, -9.700193e-06f},
  };
};

template <size_t I, class D, class V, class Indices, size_t N>
HWY_INLINE V HornerOfPieces(D d, V u, Indices piece, const float (&c)[N][16]) {
  const V coefficient = hn::TableLookupLanes(hn::Load(d, c[I]), piece);
  if constexpr (I + 1 == N) {
    return coefficient;
  } else {
    return hn::MulAdd(HornerOfPieces<I + 1>(d, u, piece, c), u, coefficient);
  }
}

// An odd function that is constant from Pieces::kLast on, for finite and infinite x; NaN stays NaN.
template <class Pieces, class D, class V>
HWY_INLINE V OddByPieces(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V magnitude = AtMost(hn::Set(d, Pieces::kLast), hn::Abs(x));
  const Rounded<V> k = RoundScaled(d, magnitude, hn::Set(d, Pieces::kInverseStep));
  const V u = hn::NegMulAdd(k.number, hn::Set(d, Pieces::kStep), magnitude);
  const auto piece = hn::IndicesFromVec(d, hn::And(hn::BitCast(di, k.magic), hn::Set(di, 15)));
  V value = hn::TableLookupLanes(hn::Load(d, Pieces::kCoefficients[0]), piece);
  if constexpr (Pieces::kSlopeError != 0) value = hn::MulAdd(u, hn::Set(d, Pieces::kSlopeError), value);
  return hn::CopySign(hn::MulAdd(HornerOfPieces<1>(d, u, piece, Pieces::kCoefficients), u, value), x);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_KERNELS_MATH_TABLES_INL_H_
