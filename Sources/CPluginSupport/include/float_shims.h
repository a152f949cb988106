#pragma once
// How a thread calculates with floating-point numbers. See Sources/HostBasics/Threads/FloatState.swift.
#ifndef PHS_FLOAT_SHIMS_H
#define PHS_FLOAT_SHIMS_H

#include <stdint.h>

// Why C: Swift cannot read these registers. Why not fegetenv(): it also reads and resets state that is not compared, and
// takes ten times as long. Only control bits are returned; the flags of past exceptions are left out, because every
// calculation may set them.
//
// x86-64: the control bits of MXCSR, and above them those of the x87 control word. AArch64: FPCR. Otherwise 0.
// Any thread; it concerns the calling thread.
static inline uint64_t phs_float_state(void) {
#if defined(__x86_64__)
    uint32_t vector;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(vector), "=m"(x87) : : "memory");
    return (uint64_t)(x87 & 0x0F3F) << 32 | (vector & 0xFFC0);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control) : : "memory");
    return control;
#else
    return 0;
#endif
}

// Writes control bits that phs_float_state() returned. Any thread; it concerns the calling thread.
static inline void phs_set_float_state(uint64_t state) {
#if defined(__x86_64__)
    uint32_t vector;
    uint16_t x87, status;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(vector), "=m"(x87), "=m"(status) : : "memory");
    vector = (vector & ~0xFFC0u) | (uint32_t)(state & 0xFFC0);
    x87 = (uint16_t)((x87 & ~0x0F3F) | (state >> 32 & 0x0F3F));
    // If an exception becomes unmasked whose flag is set, the next x87 instruction would raise SIGFPE.
    if (status & ~x87 & 0x3F) __asm__ volatile("fnclex" : : : "memory");
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(vector), "m"(x87) : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(state) : "memory");
#else
    (void)state;
#endif
}

#endif
