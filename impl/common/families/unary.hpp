// SPDX-License-Identifier: BSD-3-Clause
// Functions of one tensor, element by element. impl/<vendor>/functions/unary.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_UNARY_HPP_
#define IMPL_COMMON_FAMILIES_UNARY_HPP_

#include "arguments/unary.hpp"
#include "impl/common/engine/elementwise.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::AbsArgs& args) {
  return run_unary(ctx, UnaryOp::kAbs, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::NegArgs& args) {
  return run_unary(ctx, UnaryOp::kNeg, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::SignArgs& args) {
  return run_unary(ctx, UnaryOp::kSign, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::SgnArgs& args) {
  return run_unary(ctx, UnaryOp::kSgn, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::FloorArgs& args) {
  return run_unary(ctx, UnaryOp::kFloor, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::CeilArgs& args) {
  return run_unary(ctx, UnaryOp::kCeil, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::ReciprocalArgs& args) {
  return run_unary(ctx, UnaryOp::kReciprocal, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::SqrtArgs& args) {
  return run_unary(ctx, UnaryOp::kSqrt, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::RsqrtArgs& args) {
  return run_unary(ctx, UnaryOp::kRsqrt, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::ExpArgs& args) {
  return run_unary(ctx, UnaryOp::kExp, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::Expm1Args& args) {
  return run_unary(ctx, UnaryOp::kExpm1, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::LogArgs& args) {
  return run_unary(ctx, UnaryOp::kLog, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::Log2Args& args) {
  return run_unary(ctx, UnaryOp::kLog2, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::Log10Args& args) {
  return run_unary(ctx, UnaryOp::kLog10, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::Log1pArgs& args) {
  return run_unary(ctx, UnaryOp::kLog1p, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::SinArgs& args) {
  return run_unary(ctx, UnaryOp::kSin, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::CosArgs& args) {
  return run_unary(ctx, UnaryOp::kCos, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::TanArgs& args) {
  return run_unary(ctx, UnaryOp::kTan, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::AsinArgs& args) {
  return run_unary(ctx, UnaryOp::kAsin, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::AcosArgs& args) {
  return run_unary(ctx, UnaryOp::kAcos, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::AtanArgs& args) {
  return run_unary(ctx, UnaryOp::kAtan, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::SinhArgs& args) {
  return run_unary(ctx, UnaryOp::kSinh, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::CoshArgs& args) {
  return run_unary(ctx, UnaryOp::kCosh, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::TanhArgs& args) {
  return run_unary(ctx, UnaryOp::kTanh, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::AsinhArgs& args) {
  return run_unary(ctx, UnaryOp::kAsinh, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::AcoshArgs& args) {
  return run_unary(ctx, UnaryOp::kAcosh, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::AtanhArgs& args) {
  return run_unary(ctx, UnaryOp::kAtanh, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::ErfArgs& args) {
  return run_unary(ctx, UnaryOp::kErf, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::ErfinvArgs& args) {
  return run_unary(ctx, UnaryOp::kErfinv, args.out, args.input);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/unary.hpp"

#endif  // IMPL_COMMON_FAMILIES_UNARY_HPP_
