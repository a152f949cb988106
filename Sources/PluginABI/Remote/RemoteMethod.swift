/// One requirement of an interface, as performed by the process that owns the object.
public struct RemoteMethod<Interface>: Sendable {
    /// The name by which host and plug-in identify the same requirement, such as `filter(_:)`.
    public let name: String
    @usableFromInline let role: Role

    @usableFromInline
    enum Role: Sendable {
        /// Reads the arguments, calls the method and sends the result.
        case method(@Sendable (Interface, inout RemoteReader) throws -> Void)
        case constant(
            write: @Sendable (Interface, inout RemoteWriter) throws -> Void,
            read: @Sendable (inout RemoteReader) throws -> any Sendable)
    }

    /// A method that has a result.
    ///
    /// - Parameters:
    ///   - name: its name, with the labels of its arguments.
    ///   - body: calls it: `{ try $0.filter($1) }`.
    @inlinable
    public init<Result: RemoteValue, each Argument: RemoteValue>(
        _ name: String, _ body: @escaping @Sendable (Interface, repeat each Argument) throws -> Result
    ) {
        self.init(
            name,
            .method { object, reader in
                let arguments = (repeat try reader.next((each Argument).self))
                let call = try reader.perform()
                let result = try body(object, repeat each arguments)
                try call.reply { try $0.write(result) }
            })
    }

    /// A method without a result.
    ///
    /// - Parameters:
    ///   - name: its name, with the labels of its arguments.
    ///   - body: calls it: `{ try $0.begin($1) }`.
    @inlinable
    public init<each Argument: RemoteValue>(
        _ name: String, _ body: @escaping @Sendable (Interface, repeat each Argument) throws -> Void
    ) {
        self.init(
            name,
            .method { object, reader in
                let arguments = (repeat try reader.next((each Argument).self))
                let call = try reader.perform()
                try body(object, repeat each arguments)
                try call.reply { _ in }
            })
    }

    /// An asynchronous method that has a result.
    ///
    /// - Parameters:
    ///   - name: its name, with the labels of its arguments.
    ///   - body: calls it: `{ try await $0.fetch($1) }`.
    public init<Result: RemoteValue, each Argument: RemoteValue>(
        async name: String, _ body: @escaping @Sendable (Interface, repeat each Argument) async throws -> Result
    ) {
        self.name = name
        role = .method { object, reader in
            nonisolated(unsafe) let arguments = (repeat try reader.next((each Argument).self))
            nonisolated(unsafe) let object = object
            let call = try reader.perform()
            let result = try WaitingThread.run { try await body(object, repeat each arguments) }
            try call.reply { try $0.write(result) }
        }
    }

    /// An asynchronous method without a result.
    ///
    /// - Parameters:
    ///   - name: its name, with the labels of its arguments.
    ///   - body: calls it: `{ try await $0.wait($1) }`.
    public init<each Argument: RemoteValue>(
        async name: String, _ body: @escaping @Sendable (Interface, repeat each Argument) async throws -> Void
    ) {
        self.name = name
        role = .method { object, reader in
            nonisolated(unsafe) let arguments = (repeat try reader.next((each Argument).self))
            nonisolated(unsafe) let object = object
            let call = try reader.perform()
            try WaitingThread.run { try await body(object, repeat each arguments) }
            try call.reply { _ in }
        }
    }

    @usableFromInline
    init(_ name: String, _ role: Role) {
        self.name = name
        self.role = role
    }

    /// A property that never changes.
    ///
    /// Its value is sent once, together with the object.
    ///
    /// - Parameters:
    ///   - name: the name of the property.
    ///   - value: returns it: `{ $0.fileExtension }`.
    /// - Returns: the requirement.
    public static func constant<Value: RemoteValue & Sendable>(
        _ name: String, _ value: @escaping @Sendable (Interface) -> Value
    ) -> Self {
        Self(
            name,
            .constant(write: { try $1.write(value($0)) }, read: { try $0.next(Value.self) }))
    }
}
