import Foundation
@_spi(Tools) import PluginHost

extension Operations {
    // MARK: Catalogues

    private mutating func someCatalog() -> PluginCatalog {
        let index: PluginCatalog.IndexStorage = chance.oneIn(2) ? .none : .directory(world.index)
        let validation: PluginCatalog.Validation = chance.oneIn(2) ? .folders : .bundles
        return PluginCatalog(searchPaths: world.searchPaths, options: .init(validation: validation, index: index))
    }

    mutating func makeCatalog() throws {
        let catalog = someCatalog()
        let expected = world.resources.count + world.code.count + world.samples.count
        // Wordlist is a sample without code.
        let found = catalog.plugins.count
        expect(found >= expected, "the catalogue lists \(expected) plug-ins at least, not \(found)")
        expect(catalog.refresh().isEmpty, "nothing has changed")
        expect(catalog.explanation(of: "org.example.none").candidates.isEmpty, "nobody has an unknown identifier")
        if chance.oneIn(4), let candidate = catalog.candidates.first { _ = catalog.change(without: candidate) }
    }

    mutating func useCatalog() throws {
        let catalog = someCatalog()
        let identifier = "org.example.C\(chance.below(world.code.count))"
        try catalog.withPlugin(identifier) { bundle in
            // Other threads may unload it at any time; a request loads it again.
            let factory = try bundle.cProviders().first
            expect(try factory?.make() != nil, "\(identifier) makes an object")
        }
        if chance.oneIn(4) { catalog.deactivate(identifier) }
    }

    // MARK: Files that change

    mutating func watch() throws {
        let catalog = PluginCatalog(searchPaths: [world.turning], options: .init(index: .none))
        let events = try catalog.watch(quietPeriod: .milliseconds(chance.below(10) + 1))
        let done = DispatchSemaphore(value: 0)
        let task = Task {
            for await event in events { _ = "\(event)" }
            done.signal()
        }
        for _ in 0..<chance.below(4) { try changeFile() }
        usleep(UInt32(chance.below(20_000)))
        task.cancel()
        if done.wait(timeout: .now() + 60) != .success { log.add("A stream of events does not end.") }
    }

    mutating func changeFile() throws {
        let number = chance.below(4)
        let bundle = "\(world.turning)/T\(number).bundle"
        switch chance.below(3) {
        // If another thread has just renamed the bundle, there is nothing to write to.
        case 0:
            let text = "key0 = \"\(chance.below(100))\";"
            let file = bundle + "/Contents/Resources/en.lproj/Other.strings"
            try? text.write(toFile: file, atomically: true, encoding: .utf8)
        case 1:
            let info: [String: Any] = [
                "CFBundleIdentifier": "org.example.T\(number)", "CFBundleVersion": "\(chance.below(9))",
            ]
            let list = try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            try? list.write(to: URL(filePath: bundle + "/Contents/Info.plist"), options: .atomic)
        default:
            let aside = "\(world.turning)/T\(number).aside"
            if rename(bundle, aside) == 0 { _ = rename(aside, bundle) }
        }
    }

    mutating func useReloaded() throws {
        let number = chance.below(1000)
        let identifier = "org.example.W\(chance.below(world.reloaded.count))"
        let result = try reload.catalog.withPlugin(identifier) { bundle in
            try bundle.function("twice")(.int(Int64(number))).int64
        }
        expect(result == Int64(2 * number), "\(identifier) gives twice \(number)")
    }

    // MARK: Listeners

    mutating func observe() throws {
        let bundle = try PluginBundle.open(path: chance.pick(world.code))
        let observer = NotificationCenter.default.addObserver(
            forName: PluginBundle.didLoadNotification, object: nil, queue: nil
        ) { note in
            _ = (note.object as? PluginBundle)?.state
            _ = note.userInfo?[PluginBundle.loadedClassesKey] as? [String]
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        bundle.unload()
        try bundle.loadAndReturnError()
    }

    mutating func readStreams() throws {
        let bundle = try PluginBundle.open(path: chance.pick(world.code))
        let done = DispatchGroup()
        let catalog = someCatalog()
        let tasks = [
            Task.reading(PluginBundle.loads, done), Task.reading(PluginBundle.stateChanges, done),
            Task.reading(catalog.changes, done),
        ]
        bundle.unload()
        try bundle.loadAndReturnError()
        catalog.refresh()
        for task in tasks { task.cancel() }
        if done.wait(timeout: .now() + 60) != .success { log.add("A stream of events does not end.") }
    }
}

extension Task where Success == Void, Failure == Never {
    fileprivate static func reading<Event: Sendable>(_ events: AsyncStream<Event>, _ done: DispatchGroup) -> Self {
        done.enter()
        return Task {
            for await event in events { withExtendedLifetime(event) {} }
            done.leave()
        }
    }
}
