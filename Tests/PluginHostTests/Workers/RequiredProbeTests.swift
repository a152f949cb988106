import Foundation
import HostBasics
import PluginABI
import PropertyLists
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// Catalogues that demand a probe of each plug-in, with plug-ins in real worker processes.
@Suite(.serialized, .enabled(if: OtherUser.canConfine), .timeLimit(.minutes(5))) struct RequiredProbeTests {
    /// A plug-in and catalogues of it, in a process that has no others.
    final class World: Sendable {
        let plugin: CrashingPlugin
        private let askedLimits = Lock(0)
        private let lines = Lock<[String]>([])

        /// A plug-in that fails is one for the application's process, where it would end the test: nothing of it but a
        /// probe asks the policy for limits.
        init(_ place: CrashingPlugin.Place = .entry, execution: String = "any") throws {
            plugin = try CrashingPlugin(place, execution: execution)
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            HostEnvironment.current.isolation.limits = { [self] _, asked in
                askedLimits.withLock { $0 += 1 }
                return asked
            }
            HostEnvironment.current.log = { [self] record in lines.withLock { $0.append(record.message) } }
        }

        let identifier = "org.example.Crashing"
        var index: String { plugin.directory.appending(path: "index").path }

        /// Each call is like another start of the application.
        func catalog(_ storage: PluginCatalog.IndexStorage? = nil) -> PluginCatalog {
            PluginCatalog(
                searchPaths: [plugin.directory.path],
                options: .init(index: storage ?? .directory(index), requiresProbe: true))
        }

        /// How many probes of a plug-in for the application's process there were since the last question.
        func probes() -> Int {
            askedLimits.withLock { count in
                defer { count = 0 }
                return count
            }
        }

        /// What was logged about results since the last question.
        func logged() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines.filter { $0.contains("result of a probe") }
            }
        }

        /// Where the result is.
        func file() throws -> String {
            let names = try BundleNames(directory: index, extensions: ["probe"]).names
            try #require(names.count == 1)
            return Path.join(index, names[0].text)
        }

        /// The result, which each probe replaces.
        func identity() throws -> FileIdentity { try #require(FileIdentity(path: try file())) }

        /// Uses the plug-in, which must fail.
        @discardableResult
        func refuse(_ catalog: PluginCatalog, _ comment: Comment? = nil) -> PluginError? {
            let error = #expect(throws: PluginError.self, comment) { try catalog.activate(identifier) }
            #expect(error?.findings.map(\.code) == [.probeFailed, .workerEnded], comment)
            return error
        }

        /// Puts the code of another plug-in in the place of this one's.
        func replaceCode(by place: CrashingPlugin.Place) throws {
            let other = try CrashingPlugin(place, name: "Other")
            let new = plugin.directory.appending(path: "new").path
            try FileManager.default.copyItem(
                atPath: Path.join(other.bundle.bundlePath, "Contents/Linux/Other"), toPath: new)
            try #require(rename(new, Path.join(plugin.bundle.bundlePath, "Contents/Linux/Crashing")) == 0)
        }
    }

    @Test func onlyTheFirstUseTriesAPlugin() async {
        await #expect(processExitsWith: .success) {
            let world = try World(.nowhere, execution: "isolated")
            let catalog = world.catalog()
            #expect(try BundleNames(directory: world.index, extensions: ["probe"]).names.isEmpty)
            try catalog.activate(world.identifier)
            let result = try world.identity()
            #expect(result.mode & 0o777 == 0o600)
            // The next load, and the next start of the application.
            for next in [catalog, world.catalog()] {
                #expect(world.plugin.bundle.unload())
                try next.activate(world.identifier)
                #expect(try world.identity() == result)
            }
            #expect(PluginCatalog.forgetProbes(of: world.plugin.bundle, in: .directory(world.index)) == 1)
            #expect(world.plugin.bundle.unload())
            try catalog.activate(world.identifier)
            #expect(try world.identity() != result)
            #expect(world.logged().isEmpty)
        }
    }

    @Test func aPluginThatFailsIsRefusedByName() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            let catalog = world.catalog()
            #expect(catalog.explanation(of: world.identifier).remedy.isEmpty)
            for next in [catalog, catalog, world.catalog()] {
                let error = world.refuse(next)
                #expect(error?.subject == world.identifier && error?.bundlePath == world.plugin.bundle.bundlePath)
                let text = error?.description ?? ""
                #expect(text.contains("“\(world.identifier)” is not loaded, because it failed when it was tried"))
                #expect(text.contains("remove “\(try world.file())”") && text.contains("SIGABRT"), "\(text)")
                guard case .failed(let failure) = next.state(of: world.identifier) else {
                    fatalError("The plug-in is usable.")
                }
                #expect(failure.code == .probeFailed)
            }
            #expect(world.probes() == 1)
            let explanation = catalog.explanation(of: world.identifier)
            #expect(explanation.sentence.contains("But it does not load: ") && !explanation.remedy.isEmpty)

            // As `pluginhost probe` does.
            let bundle = world.plugin.bundle
            #expect(PluginCatalog.forgetProbes(of: bundle, in: .directory(world.index)) == 1)
            #expect(PluginCatalog.forgetProbes(of: bundle, in: .directory(world.index)) == 0)
            world.refuse(catalog)
            #expect(world.probes() == 1)
        }
    }

    @Test func aChangedFileIsTriedAgain() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            let catalog = world.catalog()
            world.refuse(catalog)
            #expect(world.probes() == 1)
            // A result of the old code is not one of the new.
            try world.replaceCode(by: .constructor)
            world.refuse(catalog)
            world.refuse(catalog)
            #expect(world.probes() == 1)
            #expect(try !world.file().isEmpty, "the new result replaces the old one")
            try world.replaceCode(by: .nowhere)
            try catalog.activate(world.identifier)
            #expect(world.probes() == 1 && world.plugin.bundle.isLoaded)
        }
    }

    @Test func aDamagedResultIsIgnoredAndReported() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            let catalog = world.catalog()
            world.refuse(catalog)
            let path = try world.file()
            let good = String(decoding: try fileBytes(path), as: UTF8.self)
            func isTriedAgain(_ what: String) throws {
                _ = world.probes()
                world.refuse(catalog, "\(what)")
                #expect(world.probes() == 1, "\(what)")
                let lines = world.logged()
                #expect(lines.count == 1 && lines[0].contains(path) && lines[0].contains("tried again"), "\(lines)")
                let new = ProbeResult(list: try PropertyListReader.read(fileBytes(path)).value)
                #expect(new?.findings.map(\.code) == [.workerEnded], "\(what)")
            }
            let hostile = [
                "", "no list", String(good.prefix(good.count / 2)), "{ Check = 0; }", "( )",
                good.replacing("<key>Passed</key>", with: "<key>Fassed</key>"),
                good.replacing("<false/>", with: "<true/>"), good.replacing("/Crashing<", with: "/Crashinh<"),
                String(repeating: " ", count: 2 << 20),
            ]
            for text in hostile {
                #expect(text != good)
                try Data(text.utf8).write(to: URL(filePath: path))
                try isTriedAgain(String(text.prefix(100)))
            }
            try #require(chmod(path, 0o666) == 0)
            try isTriedAgain("a file that everybody may write")
            try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
            try isTriedAgain("a FIFO")
            // A good file about other files is nothing to report.
            let other = ProbeResult(of: world.plugin.bundle, files: [], findings: [])
            try Data(try other.bytes()).write(to: URL(filePath: path))
            _ = world.probes()
            world.refuse(catalog)
            #expect(world.probes() == 1 && world.logged().isEmpty)
        }
    }

    @Test func usesAtTheSameTimeTryAPluginOnce() async {
        await #expect(processExitsWith: .success) {
            let world = try World(.nowhere)
            let catalog = world.catalog()
            let refused = Lock(0)
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do { try catalog.activate(world.identifier) } catch { refused.withLock { $0 += 1 } }
            }
            #expect(world.probes() == 1 && refused.withLock(\.self) == 0)
        }
    }

    /// Where root runs the tests, the user of the worker cannot enter the directory of private copies.
    @Test(.enabled(if: geteuid() != 0)) func aNewGenerationIsTriedBeforeItReplacesTheOldOne() async {
        await #expect(processExitsWith: .success) {
            let world = try World(.nowhere)
            let catalog = world.catalog()
            // The test reloads in the place of the watch.
            let events = try catalog.watch(quietPeriod: .seconds(3600))
            try catalog.activate(world.identifier)
            #expect(world.probes() == 1 && catalog.generations(of: world.identifier).map(\.number) == [1])
            // Loaded from a private copy, and kept for the installed bundle.
            let installed = world.plugin.bundle
            let kept = try ProbeResult(list: PropertyListReader.read(fileBytes(world.file())).value)
            #expect(kept?.files.first?.path == installed.executablePath)

            try world.replaceCode(by: .entry)
            let generations = catalog.generationTable?.generations(of: world.identifier)
            guard case .failed(let error) = generations?.reload(at: installed.bundlePath) else {
                fatalError("The new generation was loaded.")
            }
            #expect(error.code == .probeFailed && error.bundlePath == installed.bundlePath)
            #expect(world.probes() == 1 && catalog.state(of: world.identifier) == .active)
            withExtendedLifetime(events) {}
        }
    }

    @Test func aCallerWithoutTimeDecidesNothing() async {
        await #expect(processExitsWith: .success) {
            let world = try World(.nowhere)
            let catalog = world.catalog()
            _ = try PluginCall.within(.zero) { try catalog.activate(world.identifier) }
            #expect(world.probes() == 1 && world.plugin.bundle.isLoaded)
        }
    }

    @Test(.fault(839)) func aProbeThatSomebodyElseEndedDecidesNothing() async {
        await #expect(processExitsWith: .success) {
            let world = try World(.killed)
            for signal in [SIGKILL, SIGTERM, SIGSEGV] {
                let catalog = world.catalog(signal == SIGTERM ? PluginCatalog.IndexStorage.none : nil)
                // A second use tries it again, although nothing changed.
                for _ in 0..<2 {
                    Thread {
                        func isLoading() -> Bool {
                            PluginWorker.all.contains { worker in
                                worker.values.withLock { !$0.residents.loaded.isEmpty }
                            }
                        }
                        let limit = Wait.ofATest
                        while !isLoading(), limit.sleep() {}
                        for worker in PluginWorker.all { kill(worker.processIdentifier, signal) }
                    }.start()
                    let error = world.refuse(catalog, "\(signal)")
                    #expect(error?.workerEnd?.cause == .signal(signal))
                    #expect(error?.findings[0].remedy.contains("this result is not kept") == true)
                    #expect(world.probes() == 1, "\(signal)")
                }
                #expect(try BundleNames(directory: world.index, extensions: ["probe"]).names.isEmpty)
                #expect(!catalog.explanation(of: world.identifier).sentence.contains("But it does not load"))
            }
            // What it does itself is kept.
            try world.replaceCode(by: .entry)
            let error = world.refuse(world.catalog())
            #expect(error?.findings[0].remedy.contains("another version") == true)
            #expect(try !world.file().isEmpty)
        }
    }

    @Test func resultsWithoutAFileHoldForTheCatalogue() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            let file = world.plugin.directory.appending(path: "file").path
            try Data().write(to: URL(filePath: file))
            for storage in [PluginCatalog.IndexStorage.none, .directory(Path.join(file, "index"))] {
                let catalog = world.catalog(storage)
                for probes in [1, 0] {
                    world.refuse(catalog)
                    #expect(world.probes() == probes)
                }
            }
            #expect(world.logged().contains { $0.contains("cannot be written") })
        }
    }

    @Test func whatCannotBeTriedIsNotLoaded() async {
        await #expect(processExitsWith: .success) {
            let world = try World(.nowhere, execution: "in-process")
            let error = #expect(throws: PluginError.self) { try world.catalog().activate(world.identifier) }
            #expect(error?.findings.map(\.code) == [.probeFailed, .executionConflict])
            #expect(try BundleNames(directory: world.index, extensions: ["probe"]).names.isEmpty)
            // Another catalogue demands nothing.
            let catalog = PluginCatalog(searchPaths: [world.plugin.directory.path], options: .init(index: .none))
            try catalog.activate(world.identifier)
            #expect(world.plugin.bundle.isLoaded)
        }
    }
}
