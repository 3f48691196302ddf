/* SPDX-License-Identifier: BSD-3-Clause */
// Piecewise polynomials whose coefficients are in vector registers: each lane has one piece, and one table lookup loads
// one coefficient. This is faster if few instructions look up 16 floats. scripts/minimax makes the coefficients.
#if defined(IMPL_CPU_MATH_TABLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_TABLES_INL_H_
#undef IMPL_CPU_MATH_TABLES_INL_H_
#else
#define IMPL_CPU_MATH_TABLES_INL_H_
#endif

#include "impl/cpu/math/common-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Whether vectors have 512 bits and one instruction looks up all lanes.
inline constexpr bool kLooksUpWholeTables = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;
// Vectors of 256 bits look up both halves of a table. This is faster than other ways only for Gelu, not for tanh and
// erf.
template <typename T>
inline constexpr bool kLooksUpPieces = kLooksUpWholeTables || (HWY_TARGET == HWY_AVX2 && kIsFloat32<T>);

// Minimax polynomials in u of tanh(k / kInverseStep + u), from 0 to where tanh rounds to 1, with error 2^-24.8
// relative to tanh.
struct TanhPieces {
  static constexpr float kInverseStep = 0x1.af286bca1af28p+0f, kStep = 0.59375f, kLast = 9.2f;
  static constexpr float kSlopeError = 0.0f;  // rounding error of the slope at 0
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
// The polynomials of erf in float, with error 2^-23.8.
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

// The polynomials of erf in double, with error 2^-53.9.
struct ErfPiecesOfDouble {
  static constexpr double kInverseStep = 0x1.4141414141414p+0, kStep = 0.796875, kLast = 5.97;
  static constexpr double kSlopeError = 0x1.1ae3a914fed80p-56;
  HWY_ALIGN static constexpr double kCoefficients[17][8] = {
      {0.0, 0.7402369841174793, 0.9757977205900914, 0.9992773915094418, 0.999993449849224, 0.9999999824694816,
       0.9999999999863626, 0.9999999999999969},
      {1.1283791670955126, 0.5979623254177844, 0.08898772635666959, 0.0037189807023429466, 4.364708704083846e-05,
       1.438547246657979e-07, 1.3314671970670817e-10, 3.4592500031766216e-14},
      {1.2417934577914434e-19, -0.47650122806729733, -0.14182418888094214, -0.008890688241538637,
       -0.00013912508994272317, -5.73171168651202e-07, -6.366078269256325e-10, -1.9304683245328002e-13},
      {-0.37612638903183754, 0.05382050227148492, 0.1210256252337649, 0.012929874150840178, 0.0002810917871146635,
       1.4745343418275304e-06, 1.9848052034850708e-09, 7.063569761055447e-13},
      {3.0044626619447865e-15, 0.1373896363153686, -0.04916756548118432, -0.012491677448747606, -0.00040161500573281057,
       -2.746491827921185e-06, -4.53272232980328e-09, -1.9057247941022334e-12},
      {0.1128379167094108, -0.05993909725648356, -0.004963364574738025, 0.00806620431491052, 0.0004277315961754335,
       3.934861048953219e-06, 8.073389879319006e-09, 4.040240203041456e-12},
      {3.913940960251643e-12, -0.020715913645666995, 0.01574813822585694, -0.003096642577051495, -0.0003473674860918132,
       -4.493589508163996e-06, -1.1658239213102813e-08, -7.00412924681553e-12},
      {-0.026866170716236776, 0.018987783237481872, -0.005989273802578812, 0.00019459264562482018,
       0.00021451167572318858, 4.178598490883753e-06, 1.4003752422214866e-08, 1.0200914509793662e-11},
      {8.898347026247807e-10, 0.0006564020155309691, -0.000988249784989757, 0.0005472667538295018,
       -9.650310116043594e-05, -3.199363853741328e-06, -1.4240664778873391e-08, -1.2724582819620356e-11},
      {0.005223969682828501, -0.0038083063978575924, 0.0015145870907117825, -0.00032857308978504434,
       2.664576017637424e-05, 2.0202654435765995e-06, 1.2407741594945317e-08, 1.3788716509074479e-11},
      {5.16544790821699e-08, 0.0004902534478637095, -0.0003070854747348504, 5.98071723410399e-05,
       1.6942487816069925e-07, -1.0411223739883287e-06, -9.333253174574883e-09, -1.3121328093169978e-11},
      {-0.0008550801240006025, 0.0005521412610569758, -0.00015886772431919632, 2.77727734483239e-05,
       -4.458410574163909e-06, 4.2362580976178806e-07, 6.083362663815171e-09, 1.1062709929772795e-11},
      {8.740669295195562e-07, -0.00014759596507750076, 8.872407669793498e-05, -2.012772182715905e-05,
       2.342963668381949e-06, -1.2357672439508272e-07, -3.433310714438909e-09, -8.292464610694585e-12},
      {0.00011829597153570864, -5.973621356179612e-05, 7.258103528164865e-07, 3.4725184151898194e-06,
       -5.20161544643449e-07, 1.6058795375681055e-08, 1.666509236007555e-09, 5.4794596924843e-12},
      {4.1686462850869575e-06, 2.6173829337789946e-05, -1.184503584520843e-05, 1.470139882857748e-06,
       -7.27349082434772e-08, 7.204988900282996e-09, -6.869415207742391e-10, -3.2977996581355376e-12},
      {-2.0195486275673546e-05, 4.4868031848962825e-06, 2.1545144535114335e-06, -8.497841190401066e-07,
       9.515720409321024e-08, -5.998650360466903e-09, 2.353627343335991e-10, 2.050373323647127e-12},
      {4.175109544317737e-06, -3.2309564036244047e-06, 8.859037008617932e-07, 7.645676756219129e-08,
       -2.734638484478045e-08, 1.989679413004227e-09, -5.609083027797371e-11, -9.673582041720815e-13},
  };
};

// The pieces of the lanes.
template <class D>
struct PieceNumbers {
  decltype(hn::IndicesFromVec(D(), hn::Zero(hn::RebindToSigned<D>()))) in_half;
  hn::Mask<D> in_upper_half;  // not used for whole tables
};
// The number of the piece is in the lowest bits of k, the magic number of a Rounded.
template <class D, class V>
HWY_INLINE PieceNumbers<D> NumbersOfPieces(D d, V k) {
  constexpr int kPieces = 64 / sizeof(hn::TFromD<D>);
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, k);
  if constexpr (kLooksUpWholeTables) {
    return {hn::IndicesFromVec(d, hn::And(bits, hn::Set(di, kPieces - 1))), hn::MaskFromVec(hn::Zero(d))};
  } else {
    const auto upper = hn::Ne(hn::And(bits, hn::Set(di, kPieces / 2)), hn::Zero(di));
    return {hn::IndicesFromVec(d, hn::And(bits, hn::Set(di, kPieces / 2 - 1))), hn::RebindMask(d, upper)};
  }
}
template <class D>
HWY_INLINE hn::Vec<D> LookUp(D d, const hn::TFromD<D>* table, const PieceNumbers<D>& piece) {
  const auto lower = hn::TableLookupLanes(hn::Load(d, table), piece.in_half);
  if constexpr (kLooksUpWholeTables) return lower;
  const auto upper = hn::TableLookupLanes(hn::Load(d, table + hn::Lanes(d)), piece.in_half);
  return hn::IfThenElse(piece.in_upper_half, upper, lower);
}

template <size_t I, class D, class V, size_t N, size_t P>
HWY_INLINE V HornerOfPieces(D d, V u, const PieceNumbers<D>& piece, const hn::TFromD<D> (&c)[N][P]) {
  const V coefficient = LookUp(d, c[I], piece);
  if constexpr (I + 1 == N) {
    return coefficient;
  } else {
    return hn::MulAdd(HornerOfPieces<I + 1>(d, u, piece, c), u, coefficient);
  }
}

// An odd function that is constant from Pieces::kLast on. x may be infinite; NaN stays NaN.
template <class Pieces, class D, class V>
HWY_INLINE V OddByPieces(D d, V x) {
  const V magnitude = AtMost(hn::Set(d, Pieces::kLast), hn::Abs(x));
  const Rounded<V> k = RoundScaled(d, magnitude, hn::Set(d, Pieces::kInverseStep));
  const V u = hn::NegMulAdd(k.number, hn::Set(d, Pieces::kStep), magnitude);
  const auto piece = NumbersOfPieces(d, k.magic);
  V value = LookUp(d, Pieces::kCoefficients[0], piece);
  if constexpr (Pieces::kSlopeError != 0) value = hn::MulAdd(u, hn::Set(d, Pieces::kSlopeError), value);
  return hn::CopySign(hn::MulAdd(HornerOfPieces<1>(d, u, piece, Pieces::kCoefficients), u, value), x);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_TABLES_INL_H_
