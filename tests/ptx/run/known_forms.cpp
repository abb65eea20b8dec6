// SPDX-License-Identifier: Apache-2.0
// All forms of opcodes that are understood. One that is not here is an error, so that no modifier is passed over; one
// that is here and that no unit test runs fails the tests.
#include <unordered_set>

#include "code.hpp"
#include "text.hpp"

namespace ptx {
namespace {

/// {a,b} stands for each of these; an element may begin with a dot, or be empty.
constexpr std::string_view patterns[] = {
    // Integers.
    "{add,sub,div,rem,min,max}.{s16,u16,s32,u32,s64,u64}",
    "{neg,abs}.{s16,s32,s64}",
    "{mul,mad}.{lo,hi}.{s16,u16,s32,u32,s64,u64}",
    "{mul,mad}.wide.{s16,u16,s32,u32}",
    "{add,sub,addc,subc}.cc.{s32,u32,s64,u64}",
    "{addc,subc}.{s32,u32,s64,u64}",
    "dp4a.{u32,s32}.{u32,s32}",
    // Bits.
    "{and,or,xor,not}.{b16,b32,b64,pred}",
    "cnot.{b16,b32,b64}",
    "shl.{b16,b32,b64}",
    "shr.{b16,b32,b64,u16,u32,u64,s16,s32,s64}",
    "shf.{l,r}.{wrap,clamp}.b32",
    "lop3.b32",
    "prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}",
    "bfe.{u32,s32,u64,s64}",
    "bfi.{b32,b64}",
    "{popc,clz,brev}.{b32,b64}",
    "bfind{,.shiftamt}.{u32,s32,u64,s64}",
    // Floats.
    "{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32",
    "{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64",
    "fma.{rn,rz,rm,rp}{,.ftz}{,.sat}.f32",
    "fma.{rn,rz,rm,rp}.f64",
    "{div,rcp,sqrt}.{rn,rz,rm,rp}{,.ftz}.f32",
    "{div,rcp,sqrt}.{rn,rz,rm,rp}.f64",
    "div.full{,.ftz}.f32",
    "{div,rcp,sqrt,rsqrt,sin,cos,lg2,ex2}.approx{,.ftz}.f32",
    "tanh.approx.f32",
    "{rcp,rsqrt}.approx.ftz.f64",
    "rsqrt.approx.f64",
    "{neg,abs}{,.ftz}.f32",
    "{neg,abs}.f64",
    "{min,max}{,.ftz}{,.NaN}.f32",
    "{min,max}.f64",
    "copysign.{f32,f64}",
    // float16 and bfloat16.
    "{add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16,f16x2}",
    "{add,sub,mul}{,.rn}.{bf16,bf16x2}",
    "fma.rn{,.ftz}{,.sat,.relu}.{f16,f16x2}",
    "fma.rn{,.relu}.{bf16,bf16x2}",
    "{neg,abs}.{f16,f16x2,bf16,bf16x2}",
    "{min,max}{,.ftz}{,.NaN}.{f16,f16x2}",
    "{min,max}{,.NaN}.{bf16,bf16x2}",
    "{ex2,tanh}.approx.{f16,f16x2}",
    "{tanh.approx,ex2.approx.ftz}.{bf16,bf16x2}",
    // Comparisons.
    "setp.{eq,ne,lt,le,gt,ge}{,.and,.or,.xor}.{s16,s32,s64}",
    "setp.{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}{,.and,.or,.xor}.{u16,u32,u64}",
    "setp.{eq,ne}{,.and,.or,.xor}.{b16,b32,b64}",
    "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{,.and,.or,.xor}{,.ftz}.f32",
    "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{,.and,.or,.xor}.{f64,f16,bf16}",
    "set.{eq,ne,lt,le,gt,ge}.{u32,s32,f32}.{s16,s32,s64,u16,u32,u64}",
    "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{u32,s32,f32}.{f32,f64}",
    "testp.{finite,infinite,number,notanumber,normal,subnormal}.{f32,f64}",
    // Moves.
    "mov.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64,pred}",
    "selp.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}",
    "cvta{,.to}.{global,shared,local,const,param}.u64",
    "isspacep.{global,shared,local}",
    // Conversions.
    "cvt{,.sat}.{u8,u16,u32,u64,s8,s16,s32,s64}.{u8,u16,u32,u64,s8,s16,s32,s64}",
    "cvt.{rn,rz,rm,rp}{,.sat}.{f16,f32,f64}.{u8,u16,u32,u64,s8,s16,s32,s64}",
    "cvt.{rn,rz,rm,rp}.bf16.{u8,u16,u32,u64,s8,s16,s32,s64}",
    "cvt.{rni,rzi,rmi,rpi}{,.ftz}{,.sat}.{u8,u16,u32,u64,s8,s16,s32,s64}.f32",
    "cvt.{rni,rzi,rmi,rpi}{,.sat}.{u8,u16,u32,u64,s8,s16,s32,s64}.{f16,f64}",
    "cvt.{rni,rzi,rmi,rpi}.{u8,u16,u32,u64,s8,s16,s32,s64}.bf16",
    "cvt.{rn,rz,rm,rp}{,.ftz}{,.sat}.f32.f64",
    "cvt{,.ftz}{,.sat}.f64.f32",
    "cvt{,.ftz}{,.sat}.f32.f16",
    "cvt{,.sat}.f64.f16",
    "cvt.{f32,f64}.bf16",
    "cvt.{rn,rz,rm,rp}{,.ftz}{,.sat}.f16.f32",
    "cvt.{rn,rz,rm,rp}{,.sat}.f16.f64",
    "cvt.{rn,rz}{,.relu}.bf16.f32",
    "cvt.{rn,rz,rm,rp}.bf16.f64",
    "cvt{,.rni,.rzi,.rmi,.rpi}{,.ftz}{,.sat}.f32.f32",
    "cvt{,.rni,.rzi,.rmi,.rpi}{,.sat}.{f16.f16,f64.f64}",
    "cvt.{rn,rz}{,.relu}.{f16x2,bf16x2}.f32",
    // Memory.
    "ld{,.global,.shared,.local,.param,.const}{,.v2,.v4}.{b8,b16,b32,b64,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64}",
    "ld.global.nc{,.v2,.v4}.{b8,b16,b32,b64,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64}",
    "ld.global{,.nc}.v8.{b32,u32,s32,f32}",
    "ld.volatile{,.global,.shared}{,.v2,.v4}.{b8,b16,b32,b64,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64}",
    "ld.{relaxed,acquire}.{cta,gpu,sys}{,.global,.shared}.{b32,b64,u32,u64,s32,s64,f32,f64}",
    "st{,.global,.shared,.local,.param}{,.v2,.v4}.{b8,b16,b32,b64,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64}",
    "st.global.v8.{b32,u32,s32,f32}",
    "st.volatile{,.global,.shared}{,.v2,.v4}.{b8,b16,b32,b64,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64}",
    "st.{relaxed,release}.{cta,gpu,sys}{,.global,.shared}.{b32,b64,u32,u64,s32,s64,f32,f64}",
    "atom{,.relaxed,.acquire,.release,.acq_rel}{,.cta,.gpu,.sys}{,.global,.shared}."
    "{add.{u32,s32,u64,f32,f64},exch.{b32,b64},cas.{b16,b32,b64},{min,max}.{u32,s32,u64,s64},{and,or,xor}.{b32,b64}}",
    "atom{,.cta,.gpu,.sys}{,.global,.shared}.{inc,dec}.u32",
    "red{,.relaxed,.release}{,.cta,.gpu,.sys}{,.global,.shared}."
    "{add.{u32,s32,u64,f32,f64},{min,max}.{u32,s32,u64,s64},{and,or,xor}.{b32,b64},{inc,dec}.u32}",
    "membar.{cta,gl,sys}",
    "fence.{sc,acq_rel}.{cta,gpu,sys}",
    // Threads together.
    "bar{,.cta}.sync",
    "barrier{,.cta}.sync{,.aligned}",
    "bar.warp.sync",
    "shfl.sync.{up,down,bfly,idx}.b32",
    "vote.sync.{all,any,uni}.pred",
    "vote.sync.ballot.b32",
    "match.{any,all}.sync.{b32,b64}",
    "redux.sync.{add,min,max}.{u32,s32}",
    "redux.sync.{and,or,xor}.b32",
    "activemask.b32",
    // Control.
    "{bra,ret,call,brx.idx}{,.uni}",
    "{exit,trap}",
};

void expand(const std::string& pattern, std::vector<std::string>& into) {
  const std::size_t open = pattern.find('{');
  if (open == std::string::npos) {
    into.push_back(pattern);
    return;
  }
  const std::size_t close = closing(pattern, open);
  std::string_view choices = std::string_view(pattern).substr(open + 1, close - open - 1);
  // list_elements leaves out an empty last element, of which there is none.
  for (const std::string& choice : list_elements(choices)) {
    expand(pattern.substr(0, open) + choice + pattern.substr(close + 1), into);
  }
}

}  // namespace

const std::vector<std::string>& known_forms() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> forms;
    for (const std::string_view pattern : patterns) expand(std::string(pattern), forms);
    return forms;
  }();
  return all;
}

bool is_known_form(const std::string& opcode) {
  static const std::unordered_set<std::string> all(known_forms().begin(), known_forms().end());
  return all.contains(opcode);
}

}  // namespace ptx
