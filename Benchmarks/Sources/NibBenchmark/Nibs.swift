import CHeap
import Foundation
import Measuring
import PluginABI
import PluginHost

/// Nibs of one bundle, compared with the same graph made by hand, with expat, and with looking for a resource.
struct Nibs {
    private let folder: URL
    private let bundle: PluginBundle
    private let rounds: Int

    /// How many objects the nibs of the bundle have, without File's Owner; with it, the last one has as many as are allowed.
    static let sizes = [100, 1_000, 2_047]

    /// `rounds`: how often each body is measured; the shortest time counts.
    init(rounds: Int) throws {
        self.rounds = rounds
        folder = FileManager.default.temporaryDirectory.appending(path: "pluginhost-nibs-\(getpid()).bundle")
        let resources = folder.appending(path: "Contents/Resources")
        try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        try "{ CFBundleIdentifier = \"org.example.Nibs\"; }".write(
            to: folder.appending(path: "Contents/Info.plist"), atomically: true, encoding: .utf8)
        for size in Self.sizes {
            try Graph.document(size).write(
                to: resources.appending(path: "Board\(size).xib"), atomically: true, encoding: .utf8)
        }
        try Data([0x89, 0x50, 0x4E, 0x47]).write(to: resources.appending(path: "dot.png"))
        // An installed bundle is old. Directories that changed just now are read at each look-up.
        for directory in [folder, resources.deletingLastPathComponent(), resources] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: directory.path)
        }
        // That was a change too, whose time cannot be set.
        Thread.sleep(forTimeInterval: 0.05)
        bundle = try PluginBundle.linked(at: folder.path) { host in
            registerPlugin(with: host) { $0.register(Cell.self) }
        }
        try bundle.loadAndReturnError()
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    // MARK: Figures

    private static func makeByHand(_ count: Int) {
        let owner = Board()
        withExtendedLifetime((owner, Graph.make(count, owner: owner))) {}
    }

    func figures() throws -> [Figure] {
        let nib = try bundle.nib(named: "Board100"), large = try bundle.nib(named: "Board2047")
        try check(nib, 100)
        let times = try Self.times(
            rounds,
            [
                { Self.makeByHand(100) },
                { withExtendedLifetime(try nib.instantiate(owner: Board())) {} },
                { [bundle] in withExtendedLifetime(try bundle.nib(named: "Board100").instantiate(owner: Board())) {} },
                { Self.makeByHand(2_047) },
                { withExtendedLifetime(try large.instantiate(owner: Board())) {} },
            ])
        var figures = [
            Figure("100 objects by hand", times[0] / 1_000, "us"),
            Figure("100 objects, nib in memory", times[1] / times[0], goal: 2.5),
            Figure("2,047 objects, nib in memory", times[4] / times[3], goal: 2.5),
            Figure("100 objects, from the file", times[2] / times[0], goal: 8),
        ]
        figures += try parsing()
        figures += try images()
        figures.append(try memory())
        return figures
    }

    /// The nib makes what the hand makes.
    private func check(_ nib: Nib, _ count: Int) throws {
        let (owner, other) = (Board(), Board())
        let made = try nib.instantiate(owner: owner).objects.compactMap { $0 as? Cell }
        let cells = Graph.make(count, owner: other)
        let isSame =
            made.count == cells.count
            && zip(made, cells).allSatisfy { a, b in
                a.title == b.title && a.tag == b.tag && a.isOn == b.isOn && a.next?.tag == b.next?.tag
                    && (a.onPress == nil) == (b.press == nil) && a.awoken == 1 && b.awoken == 1
            }
        for cell in made { try cell.onPress?.send(from: cell) }
        for cell in cells { try cell.press?(cell) }
        guard isSame, owner.presses == other.presses, owner.first === made.first else {
            throw Child.Failure(description: "the nib does not make the graph that is made by hand")
        }
    }

    private func parsing() throws -> [Figure] {
        // About 240 KB.
        let bytes = Array(Graph.document(1_000).utf8)
        guard let expat = ExpatPass() else { return [] }
        let times = try Self.times(
            rounds,
            [{ try expat.run(bytes) }, { [bundle] in _ = try Nib(nibData: bytes, bundle: bundle) }])
        return [
            Figure("a pass of expat over \(bytes.count / 1_000) KB", times[0] / 1_000, "us"),
            Figure("parsing the same nib", times[1] / times[0], goal: 0.2),
        ]
    }

    private func images() throws -> [Figure] {
        guard bundle.image(named: "dot") != nil else {
            throw Child.Failure(description: "the bundle has no image")
        }
        let times = try Self.times(
            rounds,
            [
                // Many, because both look at the file system once in a while.
                { [bundle] in for _ in 0..<2_000 { _ = bundle.path(forResource: "dot", ofType: "png") } },
                { [bundle] in for _ in 0..<2_000 { _ = bundle.image(named: "dot") } },
            ])
        return [Figure("a second look for an image (a resource = 1)", times[1] / times[0], goal: 1.3)]
    }

    /// What a nib holds: the bytes that stay allocated for 20 of them.
    private func memory() throws -> Figure {
        let bytes = Array(Graph.document(1_000).utf8)
        _ = try Nib(nibData: bytes, bundle: bundle)
        let before = heap_in_use()
        var nibs: [Nib] = []
        for _ in 0..<20 { nibs.append(try Nib(nibData: bytes, bundle: bundle)) }
        let held = Double(heap_in_use()) - Double(before)
        withExtendedLifetime(nibs) {}
        return Figure("memory of a nib (its file = 1)", held / 20 / Double(bytes.count), Figure.count, goal: 3)
    }

    /// The shortest time of each body, measured in turns: other processes can only make a time longer.
    private static func times(_ rounds: Int, _ bodies: [() throws -> Void]) throws -> [Double] {
        var least = bodies.map { _ in Double.infinity }
        for _ in 0..<rounds {
            for (index, body) in bodies.enumerated() {
                let start = now()
                try body()
                least[index] = min(least[index], Double(now() - start))
            }
        }
        return least
    }

    // MARK: System calls

    /// Makes the objects of a nib from its file some times, for strace.
    func load(_ count: Int) throws {
        for _ in 0..<count { withExtendedLifetime(try bundle.nib(named: "Board100").instantiate(owner: Board())) {} }
    }

    /// Makes the objects of a nib in memory some times, for a profiler.
    func instantiate(_ count: Int) throws {
        let nib = try bundle.nib(named: "Board100")
        for _ in 0..<count { withExtendedLifetime(try nib.instantiate(owner: Board())) {} }
    }

    /// System calls from the file to the objects; nil if strace is not installed.
    static func systemCalls() throws -> Figure? {
        guard let strace = Child.strace else { return nil }
        let counts = try [10, 110].map { count in
            let log = FileManager.default.temporaryDirectory.appending(path: "pluginhost-nib-calls-\(getpid())")
            defer { try? FileManager.default.removeItem(at: log) }
            _ = try Child.run(strace, ["-f", "-o", log.path, Child.thisProgram, "--calls", "\(count)"])
            let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
            // Memory grows in steps; those calls belong to no single nib.
            return lines.filter { line in
                ![" brk(", "MAP_ANONYMOUS", " munmap(", " madvise(", "+++"].contains { line.contains($0) }
            }.count
        }
        // Each nib makes the same calls, so a fraction is a call that happened once in a run, a wait for a lock for example.
        let each = (Double(counts[1] - counts[0]) / 100).rounded()
        return Figure("system calls, from the file", each, Figure.count, goal: 5)
    }
}
