import DemoAPI
import Foundation
import PluginABI
import PluginHost

/// The operations of one thread, chosen at random.
struct Operations {
    let world: World
    let reload: HotReload
    let log: Findings
    var chance: Chance
    /// Objects that are held for a while.
    private var kept: [Any] = []

    init(world: World, reload: HotReload, log: Findings, chance: Chance) {
        self.world = world
        self.reload = reload
        self.log = log
        self.chance = chance
    }

    private struct Operation: Sendable {
        let name: String
        let weight: Int
        let run: @Sendable (inout Operations) throws -> Void
    }

    /// All operations, with the relative frequency of each.
    ///
    /// Operations that take milliseconds are rare, or nothing else would run.
    private static let all: [Operation] = [
        Operation(name: "open and drop a bundle", weight: 200) { $0.openAndDrop() },
        Operation(name: "look up a resource", weight: 100) { $0.findResource() },
        Operation(name: "look up a string", weight: 100) { $0.findString() },
        Operation(name: "choose other languages", weight: 2) { $0.chooseLanguages() },
        Operation(name: "look up an identifier", weight: 10) { $0.findIdentifier() },
        Operation(name: "load a bundle", weight: 40) { try $0.load() },
        Operation(name: "unload a bundle", weight: 30) { try $0.unload() },
        Operation(name: "make an object of a C factory", weight: 40) { try $0.makeInstance() },
        Operation(name: "call a C function", weight: 40) { try $0.callFunction() },
        Operation(name: "make an object of a provider", weight: 60) { try $0.makeThing() },
        Operation(name: "make a principal object", weight: 30) { try $0.makePrincipal() },
        Operation(name: "filter a text by a sample plug-in", weight: 20) { try $0.filterText() },
        Operation(name: "ask for a service", weight: 40) { try $0.askForService() },
        Operation(name: "offer and withdraw a service", weight: 10) { $0.offer() },
        Operation(name: "count living objects", weight: 20) { $0.count() },
        Operation(name: "drop objects", weight: 20) { $0.dropSome() },
        Operation(name: "replace the log", weight: 3) { $0.replaceLog() },
        Operation(name: "make, scan and drop a catalogue", weight: 10) { try $0.makeCatalog() },
        Operation(name: "use a plug-in of a catalogue", weight: 20) { try $0.useCatalog() },
        Operation(name: "watch a folder while files change", weight: 3) { try $0.watch() },
        Operation(name: "change a file", weight: 5) { try $0.changeFile() },
        Operation(name: "use a plug-in that is replaced", weight: 40) { try $0.useReloaded() },
        Operation(name: "replace a plug-in's code", weight: 3) {
            try $0.reload.replace($0.chance.pick($0.world.reloaded))
        },
        Operation(name: "observe loads", weight: 5) { try $0.observe() },
        Operation(name: "read streams of events", weight: 5) { try $0.readStreams() },
        Operation(name: "check a bundle before it is loaded", weight: 2) { try $0.preflight() },
        Operation(name: "fail to load a bundle", weight: 5) { $0.failToLoad() },
    ]
    private static let weights = all.reduce(0) { $0 + $1.weight }

    mutating func runOne() {
        var number = chance.below(Self.weights)
        for operation in Self.all {
            number -= operation.weight
            guard number < 0 else { continue }
            do {
                try operation.run(&self)
            } catch let error as PluginError where Self.isLimit(error) {
                log.addRefusal()
            } catch {
                log.add("\(operation.name): \(error)")
            }
            log.note(operation.name)
            return
        }
    }

    /// Releases everything that is held.
    mutating func drop() { kept = [] }

    /// Whether the system has no watches left for this user: other programs use them too.
    private static func isLimit(_ error: PluginError) -> Bool { error.code == .watchFailed }

    func expect(_ holds: Bool, _ fact: @autoclosure () -> String) {
        if !holds { log.add("It does not hold that \(fact()).") }
    }

    private mutating func keep(_ object: Any) {
        if kept.count < 32 { kept.append(object) } else { kept[chance.below(kept.count)] = object }
    }

    private mutating func dropSome() { if !kept.isEmpty { kept.removeLast(chance.below(kept.count) + 1) } }

    // MARK: Bundles and resources

    private mutating func openAndDrop() {
        // Few, so that several threads use the same one.
        let path = world.resources[chance.below(4)]
        expect(PluginBundle(path: path)?.bundlePath == path, "\(path) opens")
    }

    private mutating func bundleOfResources() throws -> PluginBundle {
        try PluginBundle.open(path: chance.pick(world.resources))
    }

    private mutating func findResource() {
        guard let bundle = try? bundleOfResources() else { return expect(false, "a bundle opens") }
        let language = chance.pick(World.languages)
        let path = bundle.path(forResource: "page", ofType: "txt", inDirectory: nil, forLocalization: language)
        expect(
            path?.hasSuffix("\(language).lproj/page.txt") ?? false,
            "the page is found in \(language), not \(path ?? "")")
        expect(bundle.path(forResource: "plain", ofType: "txt") != nil, "plain.txt is found")
        expect(bundle.path(forResource: "none", ofType: "txt") == nil, "what is not there is not found")
        if chance.oneIn(10) {
            let all = bundle.paths(forResourcesOfType: "txt", inDirectory: nil)
            expect(all.count == 2, "there are two texts, not \(all.count)")
        }
    }

    private mutating func findString() {
        guard let bundle = try? bundleOfResources() else { return expect(false, "a bundle opens") }
        let key = chance.below(World.keys)
        let text = bundle.localizedString(forKey: "key\(key)", value: nil, table: nil)
        expect(World.languages.contains { text == World.text(key, $0) }, "“\(text)” is a translation of key \(key)")
        let missing = bundle.localizedString(forKey: "none", value: "x", table: chance.oneIn(2) ? "None" : nil)
        expect(missing == "x", "a missing key gives the value and not “\(missing)”")
    }

    private mutating func chooseLanguages() {
        HostEnvironment.current.preferredLanguages = [chance.pick(World.languages)]
    }

    private mutating func findIdentifier() {
        let path = chance.pick(world.code)
        guard let bundle = PluginBundle(path: path), let identifier = bundle.bundleIdentifier else {
            return expect(false, "\(path) has an identifier")
        }
        expect(PluginBundle(identifier: identifier) === bundle, "\(identifier) is found")
        expect(PluginBundle(identifier: "org.example.none") == nil, "an unknown identifier is not found")
        expect(PluginBundle.allBundles.contains(bundle), "\(identifier) is among all bundles")
        _ = PluginBundle(for: LinkedCode.Thing.self).bundlePath
    }

    // MARK: Code

    private mutating func loadable() throws -> PluginBundle {
        try PluginBundle.open(path: chance.pick(chance.oneIn(4) && !world.samples.isEmpty ? world.samples : world.code))
    }

    private mutating func load() throws { try loadable().loadAndReturnError() }

    private mutating func unload() throws {
        if chance.oneIn(4) {
            try chance.pick(reload.linked).unloadAndReturnError()
        } else {
            try loadable().unloadAndReturnError()
        }
    }

    private mutating func makeInstance() throws {
        let bundle = try PluginBundle.open(path: chance.pick(world.code))
        let factories = try bundle.cProviders()
        expect(factories.map(\.name) == ["thing"], "\(bundle) has its factory")
        keep(try factories[0].make())
    }

    private mutating func callFunction() throws {
        let bundle = try PluginBundle.open(path: chance.pick(world.code))
        let number = chance.below(1000)
        do {
            expect(try bundle.function("twice")(.int(Int64(number))).int64 == Int64(2 * number), "twice \(number)")
        } catch let error as PluginError where error.code == .functionUnavailable {
            // Another thread unloaded the bundle between the look-up and the call.
        }
    }

    private mutating func makeThing() throws {
        let bundle = chance.pick(reload.linked)
        guard let provider = try bundle.providers(of: LinkedCode.things).first else {
            return expect(false, "\(bundle) has its provider")
        }
        keep(try provider.make())
    }

    private mutating func makePrincipal() throws {
        keep(try chance.pick(reload.linked).makePrincipal(as: LinkedCode.Thing.self))
    }

    private mutating func filterText() throws {
        guard !world.samples.isEmpty else { return }
        let bundle = try PluginBundle.open(path: chance.pick(world.samples))
        for provider in try bundle.providers(of: .textFilter) {
            let filter = try provider.make()
            expect(try !filter.filter("\"Some\" text.").isEmpty, "\(provider.name) gives a text")
            keep(filter)
        }
        expect(
            bundle.principalClass.map { PluginBundle(for: $0) === bundle } ?? true, "\(bundle) owns its principal class"
        )
    }

    private mutating func askForService() throws {
        let bundle = chance.pick(reload.linked)
        guard let ask = try bundle.providers(of: LinkedCode.asking).first?.make() else {
            return expect(false, "\(bundle) has its provider")
        }
        do {
            keep(try ask())
        } catch let error as PluginError where error.code == .serviceMissing {
            // Without a catalogue only loaded plug-ins are known, and none may be loaded at this moment.
        }
    }

    private mutating func offer() {
        let number = chance.below(1000)
        let point = ExtensionPoint<Int>("org.example.stress.number\(number % 4)")
        HostEnvironment.provide(point, named: "number") { number }.withdraw()
    }

    private mutating func count() {
        let bundle = chance.pick(reload.linked)
        for objects in bundle.liveObjects { expect(objects.count > 0, "what is listed lives") }
        _ = (bundle.registrations.count, bundle.state, bundle.loadWarnings.count)
    }

    private mutating func replaceLog() {
        let log = log
        HostEnvironment.current.log = { record in
            if record.level >= .warning { log.add("log: \(record.message)") }
        }
    }

    private mutating func preflight() throws { try loadable().preflight() }

    private mutating func failToLoad() {
        // It has no code, which is an error and does no harm.
        expect((try? bundleOfResources())?.load() == false, "a bundle without code does not load")
    }
}
