#include "ffi_shims.h"

#include <ffi.h>
#include <stdlib.h>
#include <string.h>

struct phs_ffi_call {
    ffi_cif cif;
    uint16_t result; // the first number of the result's type
    bool throws;
    unsigned count;  // of arguments, without the extra one for the result of a function that throws
    size_t result_size;
    size_t frame_size;
    uint32_t *offsets; // of each argument in the frame; this array and those of the cif come after the struct in memory
};

static ffi_type *scalar(uint16_t type) {
    switch (type) {
    case PHS_FFI_VOID: return &ffi_type_void;
    case PHS_FFI_BOOL: return &ffi_type_uint8;
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
    default: return &ffi_type_pointer;
    }
}

// Makes libffi's types. The memory has space for one struct and two pointers for each number.
typedef struct builder {
    const uint16_t *next;
    ffi_type *structs;
    ffi_type **pointers;
} builder;

static ffi_type *build(builder *from) {
    uint16_t type = *from->next++;
    if (type != PHS_FFI_STRUCT) return scalar(type);
    unsigned count = *from->next++;
    ffi_type *made = from->structs++;
    made->type = FFI_TYPE_STRUCT;
    made->elements = from->pointers;
    from->pointers += count + 1;
    for (unsigned i = 0; i < count; i++) made->elements[i] = build(from);
    made->elements[count] = NULL;
    return made;
}

// libffi computes the size of a struct together with the offsets of its fields.
static bool has_size(ffi_type *type) {
    return type->type != FFI_TYPE_STRUCT || ffi_get_struct_offsets(FFI_DEFAULT_ABI, type, NULL) == FFI_OK;
}

static size_t rounded(size_t size) { return (size + 7) & ~(size_t)7; }

phs_ffi_call *phs_ffi_prepare(const uint16_t *types, size_t length, bool throws) {
    size_t room = sizeof(phs_ffi_call)
        + length * (sizeof(ffi_type) + 2 * sizeof(ffi_type *) + sizeof(ffi_type *) + sizeof(uint32_t)) + sizeof(ffi_type *);
    phs_ffi_call *call = calloc(1, room);
    if (call == NULL) return NULL;
    builder from = {types, (ffi_type *)(call + 1), NULL};
    from.pointers = (ffi_type **)(from.structs + length);
    ffi_type **arguments = from.pointers + 2 * length;
    call->offsets = (uint32_t *)(arguments + length + 1);
    call->result = types[0];
    call->throws = throws;

    ffi_type *result = build(&from);
    bool sized = has_size(result);
    call->result_size = types[0] == PHS_FFI_VOID ? 0 : result->size;
    size_t size = rounded(call->result_size < PHS_FFI_RESULT ? PHS_FFI_RESULT : call->result_size);
    while (sized && from.next < types + length) {
        ffi_type *argument = build(&from);
        sized = has_size(argument);
        arguments[call->count] = argument;
        call->offsets[call->count++] = (uint32_t)size;
        size += rounded(argument->size);
    }
    call->frame_size = size;
    unsigned count = call->count;
    if (throws && call->result_size > 0) arguments[count++] = &ffi_type_pointer;
    ffi_type *returned = throws ? &ffi_type_sint32 : result;
    if (!sized || ffi_prep_cif(&call->cif, FFI_DEFAULT_ABI, count, returned, arguments) != FFI_OK) {
        free(call);
        return NULL;
    }
    return call;
}

void phs_ffi_free(phs_ffi_call *call) { free(call); }

size_t phs_ffi_frame_size(const phs_ffi_call *call) { return call->frame_size; }

// For integers that are narrower than a register: libffi returns them as a whole register.
static void narrow(void *place, size_t size) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    memmove(place, (char *)place + sizeof(ffi_arg) - size, size);
#else
    (void)place, (void)size;
#endif
}

static bool is_narrow(uint16_t type, size_t size) {
    return size < sizeof(ffi_arg) && type != PHS_FFI_STRUCT && type != PHS_FFI_FLOAT;
}

int32_t phs_ffi_invoke(const phs_ffi_call *call, void (*code)(void), void *frame) {
    void *pointers[call->count + 1];
    for (unsigned i = 0; i < call->count; i++) pointers[i] = (char *)frame + call->offsets[i];
    int32_t status = 0;
    if (call->throws) {
        ffi_arg returned = 0;
        void *result = frame;
        pointers[call->count] = &result;
        ffi_call((ffi_cif *)&call->cif, code, &returned, pointers);
        status = (int32_t)returned;
    } else {
        ffi_call((ffi_cif *)&call->cif, code, frame, pointers);
        if (is_narrow(call->result, call->result_size)) narrow(frame, call->result_size);
    }
    if (call->result == PHS_FFI_BOOL) *(uint8_t *)frame = *(uint8_t *)frame != 0;
    return status;
}

struct phs_ffi_closure {
    ffi_closure *made;
    void *code;
    const phs_ffi_call *signature;
    phs_ffi_handler handler;
    void *context;
};

static void widen(const phs_ffi_call *signature, const void *from, void *to) {
    switch (signature->result) {
    case PHS_FFI_INT8: *(ffi_sarg *)to = *(const int8_t *)from; break;
    case PHS_FFI_INT16: *(ffi_sarg *)to = *(const int16_t *)from; break;
    case PHS_FFI_INT32: *(ffi_sarg *)to = *(const int32_t *)from; break;
    case PHS_FFI_BOOL:
    case PHS_FFI_UINT8: *(ffi_arg *)to = *(const uint8_t *)from; break;
    case PHS_FFI_UINT16: *(ffi_arg *)to = *(const uint16_t *)from; break;
    default: *(ffi_arg *)to = *(const uint32_t *)from; break;
    }
}

// libffi calls this function. `returned` has space for the result, and at least for a register.
static void run(ffi_cif *cif, void *returned, void **arguments, void *context) {
    (void)cif;
    const phs_ffi_closure *closure = context;
    const phs_ffi_call *signature = closure->signature;
    if (signature->throws) {
        void *result = NULL;
        if (signature->result_size > 0) {
            result = *(void **)arguments[signature->count];
            memset(result, 0, signature->result_size);
        }
        *(ffi_sarg *)returned = closure->handler(closure->context, result, arguments);
    } else if (is_narrow(signature->result, signature->result_size) && signature->result_size > 0) {
        uint64_t word = 0;
        closure->handler(closure->context, &word, arguments);
        widen(signature, &word, returned);
    } else {
        memset(returned, 0, signature->result_size);
        closure->handler(closure->context, signature->result_size > 0 ? returned : NULL, arguments);
    }
}

phs_ffi_closure *phs_ffi_closure_make(const phs_ffi_call *signature, phs_ffi_handler handler, void *context) {
    phs_ffi_closure *closure = calloc(1, sizeof *closure);
    if (closure == NULL) return NULL;
    closure->signature = signature;
    closure->handler = handler;
    closure->context = context;
    closure->made = ffi_closure_alloc(sizeof(ffi_closure), &closure->code);
    if (closure->made == NULL
        || ffi_prep_closure_loc(closure->made, (ffi_cif *)&signature->cif, run, closure, closure->code) != FFI_OK) {
        phs_ffi_closure_free(closure);
        return NULL;
    }
    return closure;
}

void *phs_ffi_closure_code(const phs_ffi_closure *closure) { return closure->code; }

void phs_ffi_closure_free(phs_ffi_closure *closure) {
    if (closure->made != NULL) ffi_closure_free(closure->made);
    free(closure);
}
