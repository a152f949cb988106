#include "ffi_shims.h"

#include <ffi.h>
#include <stdlib.h>
#include <string.h>

struct phs_ffi_call {
    ffi_cif cif;
    phs_ffi_type result;
    size_t count;
    ffi_type *types[]; // count of them; the cif points here
};

static ffi_type *ffi_type_of(phs_ffi_type type) {
    switch (type) {
    case PHS_FFI_VOID: return &ffi_type_void;
    case PHS_FFI_INT8: return &ffi_type_sint8;
    case PHS_FFI_INT16: return &ffi_type_sint16;
    case PHS_FFI_INT32: return &ffi_type_sint32;
    case PHS_FFI_INT64: return &ffi_type_sint64;
    case PHS_FFI_UINT8: return &ffi_type_uint8;
    case PHS_FFI_UINT16: return &ffi_type_uint16;
    case PHS_FFI_UINT32: return &ffi_type_uint32;
    case PHS_FFI_UINT64: return &ffi_type_uint64;
    case PHS_FFI_FLOAT: return &ffi_type_float;
    case PHS_FFI_DOUBLE: return &ffi_type_double;
    case PHS_FFI_POINTER: return &ffi_type_pointer;
    }
    return NULL;
}

phs_ffi_call *phs_ffi_prepare(phs_ffi_type result, const phs_ffi_type *arguments, size_t count) {
    phs_ffi_call *call = malloc(sizeof *call + count * sizeof call->types[0]);
    if (call == NULL) return NULL;
    call->result = result;
    call->count = count;
    for (size_t i = 0; i < count; i++) call->types[i] = ffi_type_of(arguments[i]);
    if (ffi_prep_cif(&call->cif, FFI_DEFAULT_ABI, (unsigned)count, ffi_type_of(result), call->types) != FFI_OK) {
        free(call);
        return NULL;
    }
    return call;
}

// libffi reads each argument through a pointer to exactly its type: narrow integers are copied into a variable of their
// size.
typedef union narrow {
    int8_t i8; int16_t i16; int32_t i32; uint8_t u8; uint16_t u16; uint32_t u32;
    phs_ffi_value whole;
} narrow;

static void narrow_argument(const ffi_type *type, const phs_ffi_value *from, narrow *to) {
    to->whole = *from;
    switch (type->type) {
    case FFI_TYPE_SINT8: to->i8 = (int8_t)from->i; break;
    case FFI_TYPE_SINT16: to->i16 = (int16_t)from->i; break;
    case FFI_TYPE_SINT32: to->i32 = (int32_t)from->i; break;
    case FFI_TYPE_UINT8: to->u8 = (uint8_t)from->u; break;
    case FFI_TYPE_UINT16: to->u16 = (uint16_t)from->u; break;
    case FFI_TYPE_UINT32: to->u32 = (uint32_t)from->u; break;
    default: break;
    }
}

void phs_ffi_invoke(phs_ffi_call *call, void (*code)(void), const phs_ffi_value *arguments, phs_ffi_value *result) {
    narrow values[call->count > 0 ? call->count : 1];
    void *pointers[call->count > 0 ? call->count : 1];
    for (size_t i = 0; i < call->count; i++) {
        narrow_argument(call->types[i], &arguments[i], &values[i]);
        pointers[i] = &values[i];
    }
    union {
        ffi_arg word; // integers narrower than a register are returned widened to one
        ffi_sarg signed_word;
        phs_ffi_value whole;
    } returned;
    memset(&returned, 0, sizeof returned);
    ffi_call(&call->cif, code, &returned, pointers);
    memset(result, 0, sizeof *result);
    switch (call->result) {
    case PHS_FFI_INT8: result->i = (int8_t)returned.signed_word; break;
    case PHS_FFI_INT16: result->i = (int16_t)returned.signed_word; break;
    case PHS_FFI_INT32: result->i = (int32_t)returned.signed_word; break;
    case PHS_FFI_UINT8: result->u = (uint8_t)returned.word; break;
    case PHS_FFI_UINT16: result->u = (uint16_t)returned.word; break;
    case PHS_FFI_UINT32: result->u = (uint32_t)returned.word; break;
    default: *result = returned.whole; break;
    }
}

void phs_ffi_free(phs_ffi_call *call) { free(call); }
