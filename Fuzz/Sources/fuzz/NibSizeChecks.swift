import CFuzz
import Glibc
import NibReading
import PluginABI
@_spi(Tools) import PluginHost
import PluginLinting

/// The limits for every nib and list of classes: memory in proportion to their size, and twenty times the time of a usual
/// nib of that size.
///
/// For a nib of 4 MiB that is less than 200 MB.
struct NibSizeChecks {
    private let nib: [UInt8]
    private let list: [UInt8]

    init(bytes: UnsafeRawBufferPointer) {
        let divide = bytes.firstIndex(of: 0) ?? bytes.endIndex
        nib = Array(bytes[..<divide])
        list = Array(bytes[divide...].dropFirst())
    }

    /// Everything that a command asks of a nib.
    enum Reader: CaseIterable {
        case classes, document, declarations, texts, lint, instantiation

        func read(_ nib: [UInt8], _ list: [UInt8]) throws(Violation) {
            var classes = NibInspection.Classes()
            classes.own = [NibClassList(reading: list)]
            if self == .classes {
                guard classes.faults.count <= 102 else { throw Violation("\(classes.faults.count) faults of classes") }
                return
            }
            if self == .lint { return try Self.check(BundleLinter().lint(nib, as: .nib, named: "-")) }
            guard let inspection = try? NibInspection(nib, named: "/T.xib", limits: NibLimits()) else { return }
            switch self {
            case .document:
                _ = inspection.shape
                _ = inspection.counts
                for number in 0..<10_000
                where inspection.hasObject(ofKey: "v\(number).title") != inspection.hasObject(ofID: "v\(number)") {
                    throw Violation("a key has no object")
                }
            case .declarations: try Self.check(inspection.report(classes: classes))
            case .texts: _ = try? inspection.texts(classes: classes)
            case .instantiation:
                let made = nib.withUnsafeBytes { try? Nib(nibData: $0, bundle: nil).instantiate(owner: FuzzedBlock()) }
                made?.objects.forEach { ($0 as? FuzzedBlock)?.clear() }
            case .classes, .lint: break
            }
        }

        private static func check(_ report: NibInspection.Report) throws(Violation) {
            for findings in [report.findings, report.unknownClasses, report.notes] {
                guard findings.count <= 202 else { throw Violation("\(findings.count) findings are listed") }
                for finding in findings where (finding.message + finding.remedy).utf8.count > 40_000 {
                    throw Violation("a message has \(finding.message.utf8.count) bytes")
                }
            }
            guard !report.isRefused || report.findings.count == 1 && report.notes.isEmpty else {
                throw Violation("a nib over a limit has \(report.findings.count) findings")
            }
        }

        private static func check(_ report: LintReport) throws(Violation) {
            guard report.findings.count <= 500 else { throw Violation("\(report.findings.count) findings are listed") }
        }
    }

    func run() throws(Violation) {
        for reader in Reader.allCases {
            fuzz_memory_start()
            var time = try Self.time(reader, nib, list)
            let peak = fuzz_memory_peak()
            let limit = Self.allowance + Self.memoryForEachByte * (nib.count + list.count)
            guard peak <= limit else {
                throw Violation(
                    "\(reader) takes \(peak) bytes for \(nib.count) and \(list.count), the limit is \(limit)")
            }
            guard time > Self.shortest else { continue }
            let sound = try Self.soundTime(nib.count + Self.usualSize, list.count + Self.usualSize)
            // Other work of the machine does not count as the reader's time.
            for _ in 0..<9 where time > Self.mostTimes * sound { time = min(time, try Self.time(reader, nib, list)) }
            guard time <= Self.mostTimes * sound else {
                throw Violation(
                    "\(reader) takes \(time / 1000) µs for \(nib.count) and \(list.count) bytes, sound ones \(sound / 1000)"
                )
            }
        }
    }

    private static let mostTimes = 20
    /// For the table of what classes inherit, the findings and the excerpts of lines.
    private static let allowance = 48 << 20
    private static let memoryForEachByte = 36
    /// Small files have fixed costs, as much as files of this size.
    private static let usualSize = 1 << 16
    /// Nanoseconds.
    private static let shortest = 8_000_000

    /// The time to check a usual nib of a size against a usual list.
    private static func soundTime(_ nib: Int, _ list: Int) throws(Violation) -> Int {
        let sound = NibSizeChecks(bytes: HostileNibSizes.sound(nib: nib, list: list))
        var most = 0
        for _ in 0..<3 { most = max(most, try time(.declarations, sound.nib, sound.list)) }
        return most
    }

    private init(bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { NibSizeChecks(bytes: $0) }
    }

    /// The time of this thread on the processor.
    private static func time(_ reader: Reader, _ nib: [UInt8], _ list: [UInt8]) throws(Violation) -> Int {
        func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
        let start = now()
        try reader.read(nib, list)
        return now() - start
    }
}
