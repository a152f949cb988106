// A plug-in's everyday work in a confined worker: tasks, Dispatch, Foundation, time zones, JSON, granted files. It
// prints one line for each fact, as the C programs do. Argument: a directory that may be written.
import Dispatch
import Foundation

/// The C function; the pointers are to structs of C that this file does not import.
@_silgen_name("phs_filter_install")
func installFilter(
    _ kernel: UnsafeRawPointer?, _ options: UnsafeRawPointer, _ failure: UnsafeMutableRawPointer?
) -> Int32

@_silgen_name("phs_dispatch_confine") func confineDispatch(_ failure: UnsafeMutableRawPointer?) -> Int32

struct Record: Codable, Equatable {
    var name: String
    var values: [Double]
    var date: Date
}

func fact(_ holds: Bool, _ what: String) {
    FileHandle.standardOutput.write(Data("\(holds ? "holds" : "FAILS"): \(what)\n".utf8))
}

func fact(_ what: String, _ body: () throws -> Bool) {
    do { fact(try body(), what) } catch { fact(false, "\(what): \(error)") }
}

@main struct Everyday {
    static func main() async {
        let nothingGranted = [UInt64](repeating: 0, count: 16)
        fact(
            nothingGranted.withUnsafeBytes { installFilter(nil, $0.baseAddress!, nil) } == 0, "the filter is installed")
        if !CommandLine.arguments.contains("--leave-dispatch") {
            fact(confineDispatch(nil) == 0 && confineDispatch(nil) == 0, "Dispatch is confined")
        }
        await concurrency()
        dispatch()
        values()
        files(URL(filePath: CommandLine.arguments[1]))
        refusals()
    }

    static func concurrency() async {
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 0..<64 {
                group.addTask {
                    await Task.yield()
                    return number
                }
            }
            return await group.reduce(0, +)
        }
        fact(sum == 2016, "64 tasks")
        let slept: Void? = try? await Task.sleep(for: .milliseconds(5))
        fact(slept != nil, "a task sleeps")
    }

    static func dispatch() {
        DispatchQueue.concurrentPerform(iterations: 32) { _ in usleep(100) }
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global(qos: .background).asyncAfter(deadline: .now() + .milliseconds(5)) { done.signal() }
        fact(done.wait(timeout: .now() + 10) == .success, "a queue of low priority")
        // More work than threads, for longer than a second: Dispatch looks at the state of its threads meanwhile.
        let group = DispatchGroup()
        for _ in 0..<100 { DispatchQueue.global().async(group: group) { usleep(50_000) } }
        for _ in 0..<40 { DispatchQueue.global().async(group: group) { usleep(700_000) } }
        fact(group.wait(timeout: .now() + 30) == .success, "more work than threads")
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + .milliseconds(2))
        timer.setEventHandler { done.signal() }
        timer.resume()
        fact(done.wait(timeout: .now() + 10) == .success, "a timer source")
        let thread = Thread { done.signal() }
        thread.stackSize = 1 << 20
        thread.start()
        fact(done.wait(timeout: .now() + 10) == .success, "a thread")
        OperationQueue().addOperation { done.signal() }
        fact(done.wait(timeout: .now() + 10) == .success, "an operation queue")
    }

    static func values() {
        let record = Record(name: "ä", values: [1, 2.5], date: Date(timeIntervalSince1970: 1_000_000_000))
        fact("JSON") { try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(record)) == record }
        fact("a property list") {
            try PropertyListDecoder().decode(Record.self, from: PropertyListEncoder().encode(record)) == record
        }
        let dates = DateFormatter()
        dates.timeZone = TimeZone(identifier: "Europe/Berlin")
        dates.locale = Locale(identifier: "de_DE")
        dates.dateFormat = "yyyy-MM-dd HH:mm"
        fact(dates.string(from: record.date) == "2001-09-09 03:46", "a time zone: \(dates.string(from: record.date))")
        let numbers = NumberFormatter()
        numbers.numberStyle = .spellOut
        numbers.locale = Locale(identifier: "en")
        fact(numbers.string(from: 42) == "forty-two", "a locale")
        fact("a regular expression") { "A1b22".replacing(try Regex("[0-9]+"), with: "#") == "A#b#" }
        fact(UUID() != UUID() && ProcessInfo.processInfo.activeProcessorCount > 0, "identifiers, processors")
        fact(
            Bundle.main.executablePath != nil && !ProcessInfo.processInfo.arguments.isEmpty,
            "the main bundle, arguments")
    }

    static func files(_ folder: URL) {
        let file = folder.appending(path: "everyday"), manager = FileManager.default
        fact("writing") {
            try Data("hello".utf8).write(to: file); return try Data(contentsOf: file).count == 5
        }
        fact("writing atomically") {
            try Data("hello2".utf8).write(to: file, options: .atomic); return true
        }
        fact("writing a string") {
            try "text".write(to: file, atomically: true, encoding: .utf8); return true
        }
        fact("truncating") {
            let handle = try FileHandle(forUpdating: file)
            try handle.truncate(atOffset: 2)
            try handle.close()
            return try Data(contentsOf: file).count == 2
        }
        let copy = folder.appending(path: "copy"), moved = folder.appending(path: "moved")
        fact("copying and moving") {
            try manager.copyItem(at: file, to: copy)
            try manager.moveItem(at: copy, to: moved)
            return try Data(contentsOf: moved).count == 2
        }
        fact("directories") {
            try manager.createDirectory(at: folder.appending(path: "a/b"), withIntermediateDirectories: true)
            let names = try manager.contentsOfDirectory(atPath: folder.path)
            try manager.removeItem(at: folder.appending(path: "a"))
            return names.contains("a") && !manager.fileExists(atPath: folder.appending(path: "a").path)
        }
        fact("removing") {
            try manager.removeItem(at: moved); try manager.removeItem(at: file); return true
        }
    }

    static func refusals() {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/true")
        do {
            try process.run()
            fact(false, "a process is refused")
        } catch {
            fact(true, "a process is refused")
        }
        fact(FileManager.default.contents(atPath: "/etc/passwd") == nil, "a file that was not granted is refused")
    }
}
