import CPluginSupport
import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

/// The C table `org.pluginhost.settings/1`, by calls as a plug-in in C makes them.
@Suite struct CSettingsTests {
    private final class Plugin: @unchecked Sendable {
        // @unchecked because of the C table, which never changes.
        let host: SettingsHost
        let table: HostTable
        let settings: plugin_settings

        init() throws {
            host = try SettingsHost()
            // The bundle's own settings have the files of the test.
            _ = host.bundle.settingsReference.storeIfNil(BundleSettings(files: host.files))
            table = HostTable(bundle: host.bundle)
            // The closure must not capture an object that is not complete yet.
            let pointer = table.pointer
            let found = try #require(
                Self.withString(PLUGIN_SETTINGS_ID) { pointer.pointee.get_extension(pointer, $0) })
            settings = found.assumingMemoryBound(to: plugin_settings.self).pointee
        }

        static func withString<Result>(_ text: String, _ body: (plugin_string) -> Result) -> Result {
            text.withCString { body(plugin_string(ptr: $0, len: text.utf8.count)) }
        }

        /// Nil if it cannot be read.
        func rate() -> Double? {
            var value = -2.0
            let status = Self.withString("rate") { settings.get_real(table.pointer, $0, &value) }
            return status == PLUGIN_OK ? value : nil
        }
    }

    @Test func everyTypeIsReadAndStored() throws {
        let plugin = try Plugin()
        #expect(plugin.rate() == 0.5)
        Plugin.withString("rate") { key in
            #expect(plugin.settings.set_real(plugin.table.pointer, key, 0.25, nil) == PLUGIN_OK)
            #expect(plugin.rate() == 0.25)
            #expect(plugin.settings.reset(plugin.table.pointer, key, nil) == PLUGIN_OK)
            #expect(plugin.rate() == 0.5)
        }
        Plugin.withString("on") { key in
            var value: Int32 = -1
            #expect(plugin.settings.get_boolean(plugin.table.pointer, key, &value) == PLUGIN_OK && value == 0)
            #expect(plugin.settings.set_boolean(plugin.table.pointer, key, 1, nil) == PLUGIN_OK)
            #expect(plugin.settings.get_boolean(plugin.table.pointer, key, &value) == PLUGIN_OK && value == 1)
        }
        Plugin.withString("count") { key in
            var value: Int64 = -1
            #expect(plugin.settings.set_integer(plugin.table.pointer, key, 12, nil) == PLUGIN_OK)
            #expect(plugin.settings.get_integer(plugin.table.pointer, key, &value) == PLUGIN_OK && value == 12)
        }
        Plugin.withString("name") { key in
            var value: UnsafeMutablePointer<CChar>?
            let status = Plugin.withString("Ada") { plugin.settings.set_string(plugin.table.pointer, key, $0, nil) }
            #expect(status == PLUGIN_OK)
            #expect(plugin.settings.get_string(plugin.table.pointer, key, &value) == PLUGIN_OK)
            #expect(value.map { String(cString: $0) } == "Ada")
            plugin.table.pointer.pointee.free(plugin.table.pointer, value)
        }
    }

    @Test(.fault(570)) func eachRefusalHasItsStatusAndItsReason() throws {
        let plugin = try Plugin()
        func set(_ key: String, _ value: Double) -> (plugin_status, String) {
            var reason: UnsafeMutablePointer<CChar>?
            let status = Plugin.withString(key) { plugin.settings.set_real(plugin.table.pointer, $0, value, &reason) }
            defer { free(reason) }
            return (status, reason.map { String(cString: $0) } ?? "")
        }
        #expect(set("none", 1).0 == PLUGIN_NOT_FOUND && set("none", 1).1.contains("does not declare"))
        #expect(set("rate", 2).0 == PLUGIN_INVALID_ARGUMENT && set("rate", 2).1.contains("a number from 0.0 to 1.0"))
        #expect(set("password", 2).0 == PLUGIN_FAILED && set("password", 2).1.contains("secret"))
        var value = 0.0
        let wrong = Plugin.withString("count") { plugin.settings.get_real(plugin.table.pointer, $0, &value) }
        let none = Plugin.withString("none") { plugin.settings.get_real(plugin.table.pointer, $0, &value) }
        #expect(wrong == PLUGIN_INVALID_ARGUMENT && none == PLUGIN_NOT_FOUND)
    }

    /// What an observer has seen.
    private final class Seen: Sendable {
        let keys = Lock<[[String]]>([])
        let plugin: Plugin
        let blocks: Bool

        init(_ plugin: Plugin, blocks: Bool) {
            self.plugin = plugin
            self.blocks = blocks
        }

        func waits(_ count: Int) -> Bool {
            let wait = Wait(atMost: .seconds(5))
            while keys.withLock(\.count) < count { guard wait.sleep() else { return false } }
            return true
        }
    }

    private static let observer: plugin_settings_observer = { host, keys, count, data in
        let seen = Unmanaged<Seen>.fromOpaque(data!).takeUnretainedValue()
        let names = (0..<count).map { index in
            String(decoding: UnsafeRawBufferPointer(start: keys![index].ptr, count: keys![index].len), as: UTF8.self)
        }
        seen.keys.withLock { $0.append(names) }
        if seen.blocks { usleep(1_000_000) }
        // It may use the table.
        if names == ["count"] {
            Plugin.withString("on") { _ = seen.plugin.settings.set_boolean(host, $0, 1, nil) }
        }
        if names == ["name"] { HostTable.of(host).endSettings() }
    }

    @Test(.fault(577)) func anObserverMaySetBlockAndUnload() throws {
        let plugin = try Plugin()
        let seen = Seen(plugin, blocks: false)
        let data = Unmanaged.passUnretained(seen).toOpaque()
        #expect(plugin.settings.observe(plugin.table.pointer, Self.observer, data) == PLUGIN_OK)
        try plugin.host.settings.set(.count, to: 5)
        #expect(seen.waits(2) && seen.keys.withLock(\.self) == [["count"], ["on"]])
        // It ends itself inside of its own call.
        try plugin.host.settings.set(.name, to: "x")
        #expect(seen.waits(3))
        try plugin.host.settings.set(.count, to: 6)
        usleep(50_000)
        #expect(seen.keys.withLock(\.count) == 3)
    }

    @Test(.fault(577)) func theEndWaitsForARunningObserverAndNoneIsCalledAfterIt() throws {
        let plugin = try Plugin()
        let seen = Seen(plugin, blocks: true)
        let data = Unmanaged.passUnretained(seen).toOpaque()
        #expect(plugin.settings.observe(plugin.table.pointer, Self.observer, data) == PLUGIN_OK)
        let time = try ContinuousClock().measure {
            try plugin.host.settings.set(.rate, to: 0.1)
            plugin.host.settings.overrides["rate"] = .real(0.2)
        }
        #expect(seen.waits(1) && time < .milliseconds(900), "a change waits for no observer")
        plugin.host.settings.overrides["rate"] = .real(0.3)
        #expect(ContinuousClock().measure { plugin.table.endSettings() } < .seconds(2))
        let count = seen.keys.withLock(\.count)
        usleep(1_200_000)
        #expect(seen.keys.withLock(\.count) == count)
    }

    @Test func aPlugInHasAtMostAThousandObservers() throws {
        let plugin = try Plugin()
        for _ in 0..<SettingsObservers.most {
            #expect(plugin.settings.observe(plugin.table.pointer, Self.observer, nil) == PLUGIN_OK)
        }
        #expect(plugin.settings.observe(plugin.table.pointer, Self.observer, nil) == PLUGIN_FAILED)
        #expect(plugin.settings.observe(plugin.table.pointer, nil, nil) == PLUGIN_INVALID_ARGUMENT)
    }
}
