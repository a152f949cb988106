import BundleReading
import CSandbox
import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginWorkers

/// What a host and a worker send each other on the control socket.
@Suite struct ControlMessageTests {
    private static let finding: PluginFinding = {
        var finding = PluginFinding(
            .warning, .manifestInvalid, filePath: "/b/Info.plist", subject: "PHPoint", message: "M", remedy: "R",
            systemMessage: "S")
        finding.place = PluginFinding.Place(line: 3, column: 14)
        finding.refusal = EMFILE
        return finding
    }()

    private static let report = LoadedReport(
        providers: [
            .init(
                number: 7, name: "n", point: "p", pointVersion: 2, order: -1, text: "ä", methods: ["a(_:)", "b()"]),
            .init(number: 8, name: "n", point: "q", pointVersion: 1, order: 0, text: "", methods: nil),
        ],
        cProviders: [.init(number: 1, name: "c", point: "", pointVersion: 0, order: 3)],
        functions: [.init(number: 0, name: "add", signature: "(int, int) -> int")], classes: ["M.C"],
        warnings: [finding])

    private static let hello: WorkerHello = {
        var hello = WorkerHello(fingerprint: "f")
        hello.hostName = "host"
        hello.hostVersion = "1"
        hello.capabilities = ["a"]
        hello.languages = ["de", "en"]
        hello.device = "phone"
        hello.scale = 2
        hello.requiresDeclaredRegistrations = true
        var application = ApplicationBundle(program: "/bin/x", path: "/x.app", layout: .contents, manifestPath: "/p")
        application.texts = ["CFBundleName": "X"]
        application.allowsMixedLocalizations = true
        application.localizations = ["en", "de"]
        hello.application = application
        hello.filter = WorkerFilter(connects: true)
        hello.longestMessage = 99
        hello.waitsForDebugger = true
        return hello
    }()

    /// One message of each kind, with every field set.
    private static let samples: [ControlMessage] = [
        .hello(hello),
        .load(
            LoadRequest(
                bundle: 3, path: "/b", stateDirectory: "/s",
                settings: SettingsUpdate(version: 9, values: ["rate": .real(0.5)]))),
        // One value each, because a dictionary has no order.
        .settings(3, SettingsUpdate(version: 10, values: ["on": .boolean(true)])),
        .settings(3, SettingsUpdate(version: 11, values: ["count": .integer(-1)])),
        .settings(3, SettingsUpdate(version: 12, values: ["name": .text("x")])),
        .stored(7, SettingsUpdate(version: 13, values: ["on": .boolean(false)])), .notStored(8, [finding]),
        .resources(3),
        .store(StoreRequest(number: 9, bundle: 3, key: "rate", value: .real(0.5))),
        .store(StoreRequest(number: 10, bundle: 3, key: "rate", value: nil)),
        .release([1, 2, 3]),
        .unload(3), .bye, .ready(WorkerReady(fingerprint: "f")), .confined(["systemCalls"]), .loaded(3, report),
        .failed(3, [finding, finding]), .unloaded(3), .step(3, .entry), .log(.warning, bundleIdentifier: "b", "text"),
        .crashed(
            WorkerCrash(
                signal: SIGSEGV, isDeadly: true, isFromOutside: false,
                frames: [.init(path: "/x", offset: 31), .init(path: "", offset: 0)])),
        .descriptors(lane: 1, turn: 77),
    ]

    @Test func everyKindComesBackAsItWasSent() throws {
        #expect(Set(Self.samples.map(\.kind)) == Set(ControlMessage.Kind.allCases))
        for message in Self.samples {
            let read = try ControlMessage(message.kind, message.bytes())
            #expect("\(read)" == "\(message)")
        }
    }

    @Test(.fault(410)) func everyShorterOrLongerMessageIsAViolation() throws {
        for message in Self.samples where message.kind != .bye {
            let bytes = try message.bytes()
            for count in bytes.indices {
                #expect(throws: RemoteFailure.self) { try ControlMessage(message.kind, Array(bytes[..<count])) }
            }
            #expect(throws: RemoteFailure.self) { try ControlMessage(message.kind, bytes + [0]) }
        }
        #expect(throws: RemoteFailure.self) { try ControlMessage(.bye, [0]) }
    }

    @Test func noiseIsReadOrRefusedButNeverCrashes() throws {
        var generator = SeededGenerator(seed: 17)
        for message in Self.samples {
            let bytes = try message.bytes()
            guard !bytes.isEmpty else { continue }
            for _ in 0..<2_000 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    damaged[Int.random(in: damaged.indices, using: &generator)] = .random(
                        in: 0...255, using: &generator)
                }
                _ = try? ControlMessage(message.kind, damaged)
            }
        }
    }

    @Test func anotherVersionIsRecognisedWhateverFollows() throws {
        let bytes = try MessageBytes.written { writer in
            try writer.write(UInt32(9))
            try writer.write("other")
            try writer.write([1, 2, 3])
        }
        guard case .ready(let ready) = try ControlMessage(.ready, bytes),
            case .hello(let hello) = try ControlMessage(.hello, bytes)
        else {
            Issue.record("other messages were read")
            return
        }
        #expect(ready == WorkerReady(version: 9, fingerprint: "other"))
        #expect(hello == WorkerHello(version: 9, fingerprint: "other"))
    }

    @Test func aReportOfTooManyRegistrationsIsAViolation() throws {
        var report = LoadedReport()
        report.classes = Array(repeating: "C", count: LoadedReport.mostRegistrations + 1)
        let bytes = try ControlMessage.loaded(1, report).bytes()
        #expect(throws: RemoteFailure.self) { try ControlMessage(.loaded, bytes) }
    }

    // MARK: On a socket

    private func ends() throws -> (RemoteDescriptor, RemoteDescriptor) {
        var ends: [CInt] = [-1, -1]
        try #require(phs_control_make(&ends) == 0)
        return (RemoteDescriptor(adopting: ends[0]), RemoteDescriptor(adopting: ends[1]))
    }

    @Test func aMessageLongerThanAPacketArrivesWhole() throws {
        let (host, worker) = try ends()
        var report = Self.report
        report.classes = (0..<20_000).map { "Class\($0)" }
        let sender = ControlSender(worker)
        let receiver = ControlReceiver(host, from: .worker)
        try sender.send(.loaded(4, report))
        try sender.send(.unloaded(4))
        Thread { sender.flush(until: 0) }.start()
        guard case .message(.loaded(4, let read), _) = try receiver.next(until: 0) else {
            Issue.record("another message arrived")
            return
        }
        #expect(read == report)
        guard case .message(.unloaded(4), _) = try receiver.next(until: 0),
            case .nothing = try receiver.next(until: ControlPacket.atOnce)
        else {
            Issue.record("another message arrived")
            return
        }
    }

    @Test func aSenderNeverWaitsAndLosesNothing() throws {
        let (host, worker) = try ends()
        let sender = ControlSender(host)
        for number in 0..<10_000 { try sender.send(.unload(UInt32(number))) }
        #expect(sender.isWaiting)
        let receiver = ControlReceiver(worker, from: .host)
        for number in 0..<10_000 {
            guard case .message(.unload(UInt32(number)), _) = try receiver.next(until: ControlPacket.atOnce) else {
                Issue.record("message \(number) is missing")
                return
            }
            sender.flush()
        }
        #expect(!sender.isWaiting)
    }

    @Test func descriptorsArriveOnceAndTheEndIsSeen() throws {
        let (host, worker) = try ends()
        let sender = ControlSender(host)
        let file = RemoteDescriptor(adopting: open("/dev/null", O_RDONLY))
        try sender.send(.hello(Self.hello), [file])
        let receiver = ControlReceiver(worker, from: .host)
        guard case .message(.hello, let descriptors) = try receiver.next(until: 0) else {
            Issue.record("another message arrived")
            return
        }
        #expect(descriptors.count == 1 && descriptors[0].descriptor != file.descriptor)
        shutdown(host.descriptor, CInt(SHUT_RDWR))
        guard case .end = try receiver.next(until: 0) else {
            Issue.record("the end was not seen")
            return
        }
        try ControlSender(worker).send(.bye)
    }

    /// A packet that a hostile worker sends.
    private struct Packet {
        var kind: UInt16
        var flags: UInt16 = 0
        var bytes: [UInt8] = []
        var descriptors = 0
        /// The next one if it is nil.
        var sequence: UInt32?

        init(_ kind: UInt16, flags: UInt16 = 0, _ bytes: [UInt8] = [], descriptors: Int = 0) {
            (self.kind, self.flags, self.bytes, self.descriptors) = (kind, flags, bytes, descriptors)
        }

        init(_ kind: ControlMessage.Kind, flags: UInt16 = 0, _ bytes: [UInt8] = [], descriptors: Int = 0) {
            self.init(kind.rawValue, flags: flags, bytes, descriptors: descriptors)
        }
    }

    /// Receives until there is a fault; returns it, or nil if nothing more comes.
    private func fault(from socket: RemoteDescriptor) -> ControlFault? {
        let receiver = ControlReceiver(socket, from: .worker)
        while true {
            do {
                let received = try receiver.next(until: ControlPacket.atOnce)
                if case .message = received { continue }
                return nil
            } catch {
                return error
            }
        }
    }

    private func expectViolation(_ text: String, _ packets: Packet...) throws {
        let (host, worker) = try ends()
        var control = phs_control(descriptor: worker.descriptor, sent: 0, received: 0)
        let path = "/tmp/control-\(UUID().uuidString)"
        let files = (0..<253).map { _ in open(path, O_RDONLY | O_CREAT, 0o600) }
        defer { files.forEach { close($0) } }
        unlink(path)
        for packet in packets {
            if let sequence = packet.sequence { control.sent = sequence &- 1 }
            let error = phs_control_send(
                &control, packet.kind, packet.flags, packet.bytes, packet.bytes.count, files, packet.descriptors, 0, nil
            )
            try #require(error == 0)
        }
        switch fault(from: host) {
        case .violation(let said): #expect(said.contains(text), "\(said)")
        default: Issue.record("no violation: \(text)")
        }
        #expect(openDescriptorCount(of: path) == files.count, "descriptors are left: \(text)")
    }

    @Test(.fault(410)) func packetsOfAWrongFormAreViolations() throws {
        let full = [UInt8](repeating: 0, count: ControlPacket.longest)
        try expectViolation("unknown kind", Packet(999))
        try expectViolation("wrong side", Packet(.hello))
        try expectViolation("unknown flags", Packet(.unloaded, flags: 2))
        try expectViolation("shorter than a packet", Packet(.loaded, flags: 1, [1, 2]))
        try expectViolation("cannot be read", Packet(.unloaded, [1, 2]))
        try expectViolation("more than", Packet(.unloaded, flags: 1, full), Packet(.unloaded, full))
        try expectViolation("inside of one", Packet(.loaded, flags: 1, full), Packet(.unloaded, [0, 0, 0, 0]))
    }

    private static let crash = WorkerCrash(signal: SIGABRT, isDeadly: false, isFromOutside: false, frames: [])

    @Test(.fault(410)) func onlyTheReportOfACrashHasNoNumber() throws {
        let bytes = try ControlMessage.crashed(Self.crash).bytes()
        try expectViolation("wrong sequence", Packet(.crashed, bytes))
        var packet = Packet(.unloaded, [0, 0, 0, 0])
        packet.sequence = UInt32(PHS_CONTROL_UNNUMBERED)
        try expectViolation("wrong sequence", packet)
        packet = Packet(.crashed, [9])
        packet.sequence = UInt32(PHS_CONTROL_UNNUMBERED)
        try expectViolation("cannot be read", packet)
        for signal in [SIGKILL, SIGTERM, 0, -1, 200] {
            let other = WorkerCrash(signal: signal, isDeadly: true, isFromOutside: false, frames: [])
            packet.bytes = try ControlMessage.crashed(other).bytes()
            try expectViolation("cannot be read", packet)
        }
    }

    @Test func theReportOfACrashMayComeInsideOfAnotherMessage() throws {
        #expect(ControlMessage.Kind.crashed.rawValue == UInt16(PHS_CONTROL_CRASHED))
        let (host, worker) = try ends()
        var report = Self.report
        report.classes = (0..<20_000).map { "Class\($0)" }
        let message = try ControlMessage.loaded(4, report).bytes()
        let (begin, rest) = (Array(message.prefix(ControlPacket.longest)), message.dropFirst(ControlPacket.longest))
        let crash = try ControlMessage.crashed(Self.crash).bytes()
        var control = phs_control(descriptor: worker.descriptor, sent: 0, received: 0)
        func send(_ kind: ControlMessage.Kind, _ flags: UInt16, _ bytes: [UInt8]) {
            let error = phs_control_send(&control, kind.rawValue, flags, bytes, bytes.count, nil, 0, 0, nil)
            #expect(error == 0)
        }
        send(.loaded, ControlPacket.continues, begin)
        control.sent = UInt32(PHS_CONTROL_UNNUMBERED) &- 1
        send(.crashed, 0, crash)
        control.sent = 1
        let receiver = ControlReceiver(host, from: .worker)
        guard case .message(.crashed(let read), _) = try receiver.next(until: ControlPacket.atOnce) else {
            Issue.record("another message arrived")
            return
        }
        #expect(read == Self.crash)
        var left = rest
        while !left.isEmpty {
            let part = Array(left.prefix(ControlPacket.longest))
            left = left.dropFirst(part.count)
            send(.loaded, left.isEmpty ? 0 : ControlPacket.continues, part)
            if left.isEmpty { break }
            guard case .nothing = try receiver.next(until: ControlPacket.atOnce) else {
                Issue.record("a message arrived too early")
                return
            }
        }
        guard case .message(.loaded(4, report), _) = try receiver.next(until: ControlPacket.atOnce) else {
            Issue.record("the long message did not arrive")
            return
        }
    }

    @Test func aStackHasLimitsAndAnyPath() throws {
        func crash(_ count: Int) -> WorkerCrash {
            WorkerCrash(
                signal: SIGABRT, isDeadly: true, isFromOutside: false,
                frames: Array(repeating: .init(path: "/x", offset: 1), count: count))
        }
        let most = Int(PHS_STACK_FRAMES)
        guard case .crashed(let read) = try ControlMessage(.crashed, ControlMessage.crashed(crash(most)).bytes()) else {
            Issue.record("another message was read")
            return
        }
        #expect(read.frames.count == most)
        let bytes = try ControlMessage.crashed(crash(most + 1)).bytes()
        #expect(throws: RemoteFailure.self) { try ControlMessage(.crashed, bytes) }
        var damaged = try ControlMessage.crashed(crash(1)).bytes()
        damaged[damaged.count - 1] = 0xff
        guard case .crashed(let repaired) = try ControlMessage(.crashed, damaged) else {
            Issue.record("another message was read")
            return
        }
        #expect(repaired.frames == [.init(path: "/\u{fffd}", offset: 1)])
    }

    @Test(.fault(411)) func surplusDescriptorsAreClosedAndAViolation() throws {
        let full = [UInt8](repeating: 0, count: ControlPacket.longest)
        try expectViolation("comes with 1 descriptors", Packet(.unloaded, [0, 0, 0, 0], descriptors: 1))
        try expectViolation("comes with 253 descriptors", Packet(.ready, descriptors: 253))
        try expectViolation(
            "later part", Packet(.loaded, flags: 1, full), Packet(.loaded, flags: 1, full, descriptors: 1))
    }

    @Test func aMessageTooLargeIsNotSent() throws {
        let (host, _) = try ends()
        let error = #expect(throws: RemoteFailure.self) {
            try ControlSender(host).send(.log(.info, bundleIdentifier: "b", String(repeating: "x", count: 70_000)))
        }
        #expect(error?.code == .messageTooLarge)
    }
}
