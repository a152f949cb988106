package import HostBasics
@_spi(PluginHost) package import PluginABI

/// A message on the control socket between a host and a worker.
///
/// A worker is not trusted. The host checks the size of a message before reading it, and never reads beyond its bytes.
/// A message without the required form is a ``ControlFault``, and the host ends the worker.
package enum ControlMessage: Sendable {
    // From the host.
    case hello(WorkerHello)
    case load(LoadRequest)
    /// The host no longer uses these objects.
    case release([UInt32])
    /// The number of the bundle.
    case unload(UInt32)
    case bye
    /// The number of the bundle, and its changed settings.
    case settings(UInt32, SettingsUpdate)
    /// The number of a ``store(_:)``, and the values after the change.
    case stored(UInt32, SettingsUpdate)
    /// The number of a ``store(_:)``, and why nothing was changed.
    case notStored(UInt32, [PluginFinding])
    /// The number of a bundle of which resources changed.
    case resources(UInt32)
    // From the worker.
    case ready(WorkerReady)
    /// What the worker now enforces on itself.
    case confined([String])
    /// The number of the bundle, and everything that its code registered.
    case loaded(UInt32, LoadedReport)
    /// The number of the bundle, or 0 if the worker cannot serve any.
    case failed(UInt32, [PluginFinding])
    case unloaded(UInt32)
    /// A step begins that runs code of a plug-in.
    case step(UInt32, LoadStep)
    case log(PluginLogger.Level, bundleIdentifier: String, String)
    /// A plug-in changes one of its settings while no call of the host is under way on its thread.
    case store(StoreRequest)
    /// A signal handler has caught the signal of a crash. This may come at any time, even between the packets of
    /// another message.
    case crashed(WorkerCrash)
    // From both.
    /// Descriptors that belong to a turn of a lane.
    case descriptors(lane: UInt32, turn: UInt32)

    /// The number of a message's case, and the rules for it.
    package enum Kind: UInt16, CaseIterable, Sendable {
        case hello = 1, load, release, unload, bye, settings, stored, notStored, resources
        case ready = 33, confined, loaded, failed, unloaded, step, log, store
        /// PHS_CONTROL_CRASHED.
        case crashed = 64
        case descriptors = 65

        /// Who may send it.
        package enum Sender: Sendable { case host, worker, both }

        var sender: Sender {
            switch rawValue {
            case ...32: .host
            case ...64: .worker
            default: .both
            }
        }

        /// The most bytes that a message of this kind may have, in all its packets.
        var longest: Int {
            switch self {
            case .hello: 1 << 20
            case .load: (1 << 20) + SettingsUpdate.longest
            case .settings, .stored, .store: SettingsUpdate.longest
            case .notStored: 1 << 20
            case .loaded: LoadedReport.longest
            case .failed: 1 << 20
            default: ControlPacket.longest
            }
        }

        /// The most descriptors that may come with it.
        var mostDescriptors: Int {
            switch self {
            case .hello: 1
            case .descriptors: LaneChannel.mostDescriptors
            default: 0
            }
        }
    }

    var kind: Kind {
        switch self {
        case .hello: .hello
        case .load: .load
        case .release: .release
        case .unload: .unload
        case .bye: .bye
        case .settings: .settings
        case .stored: .stored
        case .notStored: .notStored
        case .resources: .resources
        case .ready: .ready
        case .confined: .confined
        case .loaded: .loaded
        case .failed: .failed
        case .unloaded: .unloaded
        case .step: .step
        case .log: .log
        case .store: .store
        case .crashed: .crashed
        case .descriptors: .descriptors
        }
    }

    // MARK: Bytes

    /// The bytes of the message.
    ///
    /// - Throws: ``RemoteFailure`` of code `messageTooLarge` if it has more than ``Kind/longest``.
    func bytes() throws -> [UInt8] {
        let bytes = try MessageBytes.written { writer in
            switch self {
            case .hello(let hello): try writer.write(hello)
            case .load(let request): try writer.write(request)
            case .release(let objects): try writer.write(objects)
            case .unload(let bundle), .resources(let bundle), .unloaded(let bundle): try writer.write(bundle)
            case .bye: break
            case .settings(let number, let update), .stored(let number, let update):
                try writer.write(number)
                try writer.write(update)
            case .ready(let ready): try writer.write(ready)
            case .confined(let layers): try writer.write(layers)
            case .loaded(let bundle, let report):
                try writer.write(bundle)
                try writer.write(report)
            case .failed(let number, let findings), .notStored(let number, let findings):
                try writer.write(number)
                try writer.write(findings.map(SentFinding.init))
            case .step(let bundle, let step):
                try writer.write(bundle)
                try writer.write(step.rawValue)
            case .log(let level, let bundleIdentifier, let message):
                try writer.write(level.rawValue)
                try writer.write(bundleIdentifier)
                try writer.write(message)
            case .store(let request): try writer.write(request)
            case .crashed(let crash): try writer.write(crash)
            case .descriptors(let lane, let turn):
                try writer.write(lane)
                try writer.write(turn)
            }
        }
        guard bytes.count <= kind.longest else {
            throw RemoteFailure(
                .messageTooLarge,
                "A message of kind \(kind) between the application and a worker has \(bytes.count) bytes; the limit is "
                    + "\(kind.longest).")
        }
        return bytes
    }

    /// Reads a message.
    ///
    /// - Throws: ``RemoteFailure`` of code `protocolViolation` if the bytes are not exactly one message of the kind.
    init(_ kind: Kind, _ bytes: [UInt8]) throws {
        self = try MessageBytes.read(bytes) { reader in
            switch kind {
            case .hello: .hello(try reader.next())
            case .load: .load(try reader.next())
            case .release: .release(try reader.next())
            case .unload: .unload(try reader.next())
            case .bye: .bye
            case .settings: .settings(try reader.next(), try reader.next())
            case .stored: .stored(try reader.next(), try reader.next())
            case .notStored: .notStored(try reader.next(), try reader.next([SentFinding].self).map(\.finding))
            case .resources: .resources(try reader.next())
            case .ready: .ready(try reader.next())
            case .confined: .confined(try reader.next())
            case .loaded: .loaded(try reader.next(), try reader.next())
            case .failed:
                .failed(try reader.next(), try reader.next([SentFinding].self).map(\.finding))
            case .unloaded: .unloaded(try reader.next())
            case .step: .step(try reader.next(), try reader.named(LoadStep.self))
            case .log:
                .log(
                    try PluginLogger.Level(rawValue: reader.next()) ?? .error, bundleIdentifier: try reader.next(),
                    try reader.next())
            case .store: .store(try reader.next())
            case .crashed: .crashed(try reader.next())
            case .descriptors: .descriptors(lane: try reader.next(), turn: try reader.next())
            }
        }
    }
}

extension RemoteReader {
    /// Reads an enum that is written as its text.
    mutating func named<Value: RawRepresentable<String>>(_ type: Value.Type = Value.self) throws -> Value {
        let name = try next(String.self)
        guard let value = Value(rawValue: name) else {
            throw RemoteFailure.violation("\(quoted(name)) in a message is no \(Value.self).")
        }
        return value
    }
}
