/*
 * plugin.hpp - makes plugin_abi.h easier to use in C++17. It is only a header; no library has to be linked.
 *
 *     #include "plugin.hpp"
 *
 *     static double mean(plugin::bytes data) {
 *         if (data.size == 0) throw plugin::failure("There are no bytes.", "Choose a file that is not empty.");
 *         double sum = 0;
 *         for (std::uint8_t byte : data) sum += byte;
 *         return sum / data.size;
 *     }
 *
 *     PLUGIN_ENTRY(registrar) { registrar.function<&mean>("mean"); }       // "(bytes) throws -> double"
 *
 * Exceptions do not leave the plug-in. An exception in the entry, in a constructor or in a function becomes the error
 * of the load, of make() or of the call, and the host adds the bundle's name and path. If a function of the C interface
 * cannot return an error, the exception is logged under the bundle's identifier. docs/abi.md has the rules and a
 * complete example.
 */
#ifndef PLUGIN_HPP
#define PLUGIN_HPP

#include "plugin_abi.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

/* Hidden, because each plug-in has its own host table. Otherwise all plug-ins in a process would share one variable. */
namespace plugin __attribute__((visibility("hidden"))) {

/* The table that the host passed to this plug-in's entry; NULL before that. [any thread] */
inline const plugin_host *host = nullptr;

/* An error for the user: a sentence about what happened, one about what to do, and a domain and code that the plug-in
 * chooses. */
class failure : public std::exception {
public:
    explicit failure(std::string message, std::string hint = {}, std::int32_t code = 0, std::string domain = {})
        : message(std::move(message)), hint(std::move(hint)), domain(std::move(domain)), code(code) {}
    const char *what() const noexcept override { return message.c_str(); }

    const std::string message, hint, domain;
    const std::int32_t code;
};

/* Bytes that this object does not own. An argument is borrowed for the call; the host copies a result at once. */
struct bytes {
    const std::uint8_t *data = nullptr;
    std::size_t size = 0;
    const std::uint8_t *begin() const { return data; }
    const std::uint8_t *end() const { return data + size; }
};

/* ---- The names of types in a signature -------------------------------------------------------------------------- */

/* Specialise this template for each struct that functions take or return by value:
 *
 *     template <> struct plugin::type<point> : plugin::structure<&point::x, &point::y> {};
 */
template <typename T, typename = void> struct type;

template <> struct type<void> { static std::string name() { return "void"; } };
template <> struct type<bool> { static std::string name() { return "bool"; } };
template <> struct type<float> { static std::string name() { return "float"; } };
template <> struct type<double> { static std::string name() { return "double"; } };
template <> struct type<const char *> { static std::string name() { return "string?"; } };
template <> struct type<std::string_view> { static std::string name() { return "string"; } };
template <> struct type<std::string> { static std::string name() { return "owned string"; } };
template <> struct type<bytes> { static std::string name() { return "bytes"; } };
template <> struct type<plugin_bytes> { static std::string name() { return "bytes"; } };
template <> struct type<std::vector<std::uint8_t>> { static std::string name() { return "owned bytes"; } };
template <typename T> struct type<T, std::enable_if_t<std::is_integral_v<T>>> {
    static std::string name() { return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(sizeof(T) * 8); }
};
template <typename T> struct type<T *, std::enable_if_t<!std::is_function_v<T> && !std::is_same_v<T, const char>>> {
    static std::string name() { return "pointer?"; }
};

namespace detail {

template <typename... A> std::string names() {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + type<A>::name()), ...);
    return text;
}
template <typename> struct member;
template <typename S, typename F> struct member<F S::*> { using field = F; };

} // namespace detail

/* A C function of the host. The plug-in may call it until the function that got it as an argument returns. */
template <typename R, typename... A> struct type<R (*)(A...)> {
    static std::string name() { return "(" + detail::names<A...>() + ") -> " + type<R>::name(); }
};

/* Lists all fields of a struct, in their order. */
template <auto... Fields> struct structure {
    static std::string name() {
        return "{" + detail::names<typename detail::member<decltype(Fields)>::field...>() + "}";
    }
};

/* ---- Exceptions -------------------------------------------------------------------------------------------------- */

namespace detail {

/* Thrown if the host refuses a registration. The host has recorded the reason. */
struct refusal {
    plugin_status status;
};

inline plugin_string borrowed(std::string_view text) { return {text.data(), text.size()}; }

inline void set_error(std::string_view domain, std::int32_t code, std::string_view message, std::string_view hint) {
    host->set_error(host, borrowed(domain), code, borrowed(message), borrowed(hint));
}

/* The type name of the current exception. */
inline std::string thrown_type() {
    const std::type_info *thrown = abi::__cxa_current_exception_type();
    if (thrown == nullptr) return "an exception of another language";
    int status = 0;
    char *name = abi::__cxa_demangle(thrown->name(), nullptr, nullptr, &status);
    std::string text = name != nullptr ? name : thrown->name();
    std::free(name);
    return text;
}

/* Calls body; an exception becomes set_error() and a negative status. */
template <typename Body> plugin_status guarded(Body &&body) {
    try {
        body();
        return PLUGIN_OK;
    } catch (abi::__forced_unwind &) {
        throw; /* the thread is exiting, which must not be stopped */
    } catch (const refusal &refused) {
        return refused.status;
    } catch (const failure &failure) {
        set_error(failure.domain, failure.code, failure.message, failure.hint);
    } catch (const std::bad_alloc &) {
        set_error("", 0, "There is no memory left.", "Close other programs and try again.");
        return PLUGIN_NO_MEMORY;
    } catch (const std::exception &exception) {
        set_error(thrown_type(), 0, exception.what(), "");
    } catch (...) {
        set_error(thrown_type(), 0, "An exception was thrown that has no text.", "");
    }
    return PLUGIN_FAILED;
}

/* ---- Functions by signature -------------------------------------------------------------------------------------- */

inline void *allocated(std::size_t size) {
    void *memory = host->alloc(host, size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

/* Converts a result to its type in C. */
template <typename R> struct result {
    using c_type = R;
    static R converted(R value) { return value; }
};
template <> struct result<bytes> {
    using c_type = plugin_bytes;
    static plugin_bytes converted(bytes value) { return {value.data, value.size}; }
};
template <> struct result<std::string> {
    using c_type = char *;
    static char *converted(const std::string &value) {
        return static_cast<char *>(std::memcpy(allocated(value.size() + 1), value.c_str(), value.size() + 1));
    }
};
template <> struct result<std::vector<std::uint8_t>> {
    using c_type = plugin_bytes;
    static plugin_bytes converted(const std::vector<std::uint8_t> &value) {
        void *memory = allocated(value.size());
        if (!value.empty()) std::memcpy(memory, value.data(), value.size());
        return {memory, value.size()};
    }
};

/* Makes an argument from one or more parameters of the C function, starting at an index. */
template <typename... C> struct list {};
template <typename T> struct argument {
    using c_types = list<T>;
    template <std::size_t at, typename All> static T converted(const All &all) { return std::get<at>(all); }
};
template <> struct argument<std::string_view> {
    using c_types = list<const char *>;
    template <std::size_t at, typename All> static std::string_view converted(const All &all) {
        return std::get<at>(all);
    }
};
template <> struct argument<bytes> {
    using c_types = list<const void *, std::size_t>;
    template <std::size_t at, typename All> static bytes converted(const All &all) {
        return {static_cast<const std::uint8_t *>(std::get<at>(all)), std::get<at + 1>(all)};
    }
};

template <typename... Lists> struct joined;
template <> struct joined<> { using type = list<>; };
template <typename... C> struct joined<list<C...>> { using type = list<C...>; };
template <typename... A, typename... B, typename... Rest> struct joined<list<A...>, list<B...>, Rest...> {
    using type = typename joined<list<A..., B...>, Rest...>::type;
};

template <typename T> constexpr std::size_t width = std::is_same_v<T, bytes> ? 2 : 1;

/* The index of the first parameter for each argument. */
template <typename... A> constexpr std::size_t place(std::size_t index) {
    std::size_t widths[] = {width<A>..., 0};
    std::size_t sum = 0;
    for (std::size_t i = 0; i < index; i++) sum += widths[i];
    return sum;
}

template <auto Function, typename R, typename Arguments, typename Parameters, typename Indices> struct c_function;
template <auto Function, typename R, typename... A, typename... C, std::size_t... I>
struct c_function<Function, R, list<A...>, list<C...>, std::index_sequence<I...>> {
    static R called([[maybe_unused]] const std::tuple<C...> &all) {
        return Function(argument<A>::template converted<place<A...>(I)>(all)...);
    }
    /* The C function for a noexcept function, which cannot fail. */
    static auto plain(C... parameters) noexcept {
        if constexpr (std::is_void_v<R>) {
            called(std::tuple<C...>(parameters...));
        } else {
            return result<R>::converted(called(std::tuple<C...>(parameters...)));
        }
    }
    static plugin_status throwing(C... parameters, typename result<R>::c_type *value) {
        return guarded([&] { *value = result<R>::converted(called(std::tuple<C...>(parameters...))); });
    }
};
template <auto Function, typename... A, typename... C, std::size_t... I>
struct c_function<Function, void, list<A...>, list<C...>, std::index_sequence<I...>> {
    static void plain(C... parameters) noexcept { call(std::tuple<C...>(parameters...)); }
    static plugin_status throwing(C... parameters) {
        return guarded([&] { call(std::tuple<C...>(parameters...)); });
    }

private:
    static void call([[maybe_unused]] const std::tuple<C...> &all) {
        Function(argument<A>::template converted<place<A...>(I)>(all)...);
    }
};

template <auto Function, typename T> struct exported;
template <auto Function, typename R, typename... A> struct exported<Function, R (*)(A...)> {
    using made = c_function<Function, R, list<A...>, typename joined<typename argument<A>::c_types...>::type,
                            std::index_sequence_for<A...>>;
    static std::string signature() { return "(" + names<A...>() + ") throws -> " + type<R>::name(); }
    static plugin_code code() { return reinterpret_cast<plugin_code>(&made::throwing); }
};
template <auto Function, typename R, typename... A> struct exported<Function, R (*)(A...) noexcept> {
    using made = c_function<Function, R, list<A...>, typename joined<typename argument<A>::c_types...>::type,
                            std::index_sequence_for<A...>>;
    static_assert(!std::is_same_v<R, std::string> && !std::is_same_v<R, std::vector<std::uint8_t>>,
                  "memory for the result may be missing: the function must not be noexcept");
    static std::string signature() { return "(" + names<A...>() + ") -> " + type<R>::name(); }
    static plugin_code code() { return reinterpret_cast<plugin_code>(&made::plain); }
};

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

template <typename T> plugin_status create(const plugin_factory *, const plugin_host *given, void **instance) {
    return guarded([&] {
        if constexpr (std::is_constructible_v<T, const plugin_host *>) {
            *instance = new T(given);
        } else {
            *instance = new T();
        }
    });
}

template <typename T> void release(void *instance) { delete static_cast<T *>(instance); }

/* A factory and its texts. It is never destroyed, because the host keeps its address. */
struct kept_factory {
    std::string name, point;
    plugin_factory factory;
};

template <auto Member, typename T> struct method;
template <auto Member, typename S, typename R, typename... A> struct method<Member, R (S::*)(A...)> {
    static R call(void *instance, A... arguments) {
        if constexpr (std::is_same_v<R, plugin_status>) {
            plugin_status status = PLUGIN_OK;
            plugin_status caught = guarded([&] { status = (static_cast<S *>(instance)->*Member)(arguments...); });
            return caught == PLUGIN_OK ? status : caught;
        } else {
            try {
                return (static_cast<S *>(instance)->*Member)(arguments...);
            } catch (abi::__forced_unwind &) {
                throw;
            } catch (const std::exception &exception) {
                log(thrown_type() + ": " + exception.what());
            } catch (...) {
                log(thrown_type());
            }
            return R();
        }
    }

private:
    static void log(const std::string &text) {
        host->log(host, PLUGIN_LOG_ERROR, borrowed("A function of an object let an exception out: " + text));
    }
};
template <auto Member, typename S, typename R, typename... A>
struct method<Member, R (S::*)(A...) const> : method<Member, R (S::*)(A...)> {};
template <auto Member, typename S, typename R, typename... A>
struct method<Member, R (S::*)(A...) noexcept> : method<Member, R (S::*)(A...)> {};
template <auto Member, typename S, typename R, typename... A>
struct method<Member, R (S::*)(A...) const noexcept> : method<Member, R (S::*)(A...)> {};

} // namespace detail

/* Makes a method into a function for an application's table: R (*)(void *instance, A...). If the function returns a
 * plugin_status, an exception becomes set_error() and a negative status. Otherwise the exception is logged, and the
 * function returns R(). */
template <auto Member> inline constexpr auto method = &detail::method<Member, decltype(Member)>::call;

/* ---- Registration ------------------------------------------------------------------------------------------------ */

/* Registers functions and factories; the entry gets one. [entry] */
class registrar {
public:
    /* Registers a function under a name. Its C++ type determines the signature, which `throws` unless it is
     * noexcept. */
    template <auto Function> registrar &function(std::string_view name) {
        using made = detail::exported<Function, decltype(Function)>;
        return function(name, made::signature(), made::code());
    }

    /* Registers a C function under a name and a signature. */
    registrar &function(std::string_view name, std::string_view signature, plugin_code code) {
        plugin_function function = {
            {sizeof(plugin_function), 1}, detail::borrowed(name), detail::borrowed(signature), code};
        return require(host->register_function(host, &function));
    }

    /* Registers a factory of objects of class T at an extension point. It makes an object with T(const plugin_host *)
     * or T(), on any thread, and deletes it when the host releases it. The table of functions is immortal. */
    template <typename T, typename Table>
    registrar &factory(std::string_view name, std::string_view point, std::uint32_t version, const Table *functions,
                       std::int32_t order = 0) {
        auto *kept = new detail::kept_factory{std::string(name), std::string(point), {}};
        kept->factory.header = {sizeof(plugin_factory), 1};
        kept->factory.name = detail::borrowed(kept->name);
        kept->factory.extension_point = detail::borrowed(kept->point);
        kept->factory.extension_version = version;
        kept->factory.order = order;
        kept->factory.functions = functions;
        kept->factory.create = detail::create<T>;
        kept->factory.release = detail::release<T>;
        return require(host->register_factory(host, &kept->factory));
    }

private:
    registrar &require(plugin_status status) {
        if (status != PLUGIN_OK) throw detail::refusal{status};
        return *this;
    }
};

/* Compares the ABI, runs body with a registrar, and returns the result for plugin_entry(). [entry] */
template <typename Body> plugin_status enter(const plugin_host *given, Body &&body) {
    if (given->magic != PLUGIN_ABI_MAGIC || given->abi_major != PLUGIN_ABI_MAJOR) return PLUGIN_ABI_MISMATCH;
    host = given;
    return detail::guarded([&] {
        registrar made;
        body(made);
    });
}

} // namespace plugin

/* Defines the entry and the note; once in a plug-in: PLUGIN_ENTRY(registrar) { registrar.function<&mean>("mean"); } */
#define PLUGIN_ENTRY(name)                                                                                             \
    PLUGIN_DECLARE_NOTE;                                                                                               \
    static void plugin_registrations(plugin::registrar &name);                                                         \
    plugin_status plugin_entry(const plugin_host *host) { return plugin::enter(host, plugin_registrations); }          \
    static void plugin_registrations(plugin::registrar &name)

#endif /* PLUGIN_HPP */
