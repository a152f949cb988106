/// The table of functions that C plug-ins have at an extension point, described as text, so that their objects can be used
/// from another process.
///
/// The author of the application's API writes it beside the C header:
/// ```c
/// typedef struct counter_functions {
///     plugin_header header;
///     plugin_string title;
///     uint64_t (*add)(void *instance, uint64_t number);
///     void (*digest)(void *instance, uint8_t digest[16]);
/// } counter_functions;
/// ```
/// ```swift
/// let counter = CRemoteTable(
///     "org.example.counter", version: 1,
///     [
///         "title": "bytes",
///         "add": "(object, uint64) -> uint64",
///         "digest": "(object, out 16) -> void",
///     ])
/// ```
/// The application lists it in `HostEnvironment.remoteTables`. Nothing changes for plug-ins and for the application's calls:
/// the object and the table have the same types as in one process.
///
/// 1. The table begins with a `plugin_header`. The fields after it are named in the order of the struct, all of them up to
///    the last one that the application uses.
/// 2. A **constant** has the type of its value: a number, `bool`, `string` for `const char *`, `bytes` for a `plugin_string` or
///    `plugin_bytes`. It is read once.
/// 3. A **function** has a signature of the grammar of docs/abi.md. Its first argument is `object`.
/// 4. An argument `out 16` is the address of 16 bytes that the function writes; `out NAME` of as many bytes as the constant
///    NAME states.
/// 5. Addresses and callbacks do not cross: `pointer`, `kept` and closures are refused.
///
/// **Threads.** A value.
public struct CRemoteTable: Sendable, Hashable {
    /// A constant or a function of the table.
    public struct Field: Sendable, Hashable {
        /// The field's name, for messages and for `out NAME`.
        public let name: String
        /// The type of a constant, or the signature of a function.
        public let type: String

        /// Creates a field.
        public init(_ name: String, _ type: String) {
            self.name = name
            self.type = type
        }
    }

    /// The extension point.
    public let extensionPoint: String
    /// The version of the extension point.
    public let version: UInt32
    /// The fields after the table's header, in order.
    public let fields: [Field]

    /// Describes a table.
    ///
    /// The texts are read when the first object is made: an error there names the field and the position.
    ///
    /// - Parameters:
    ///   - extensionPoint: the extension point of the factories.
    ///   - version: its version.
    ///   - fields: the type of each field after the header, in order.
    public init(_ extensionPoint: String, version: UInt32, _ fields: KeyValuePairs<String, String>) {
        self.extensionPoint = extensionPoint
        self.version = version
        self.fields = fields.map { Field($0.key, $0.value) }
    }
}
