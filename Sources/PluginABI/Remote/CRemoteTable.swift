/// Describes, as text, the function table that C plug-ins provide at an extension point, so that other processes can
/// use their objects.
///
/// The author of the application's API writes this description next to the C header:
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
/// The application lists the description in `HostEnvironment.remoteTables`. The plug-ins and the application's calls
/// stay the same: the object and the table have the same types as within one process.
///
/// 1. The table begins with a `plugin_header`. The description names the fields after it in the order of the struct,
///    all of them up to the last one that the application uses.
/// 2. A **constant** has the type of its value: a number, `bool`, `string` for `const char *`, `bytes` for a
///    `plugin_string` or `plugin_bytes`. It is read once.
/// 3. A **function** has a signature of the grammar of docs/abi.md. Its first argument is `object`.
/// 4. An argument `out 16` is the address of 16 bytes that the function writes. For `out NAME`, the constant NAME
///    states the number of bytes.
/// 5. Addresses and callbacks cannot cross to another process: `pointer`, `kept` and closures are refused.
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
    /// The texts are parsed when the first object is made. An error then names the field and the position.
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
