import CSandbox
import Foundation
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import HostBasics
@testable import PluginHost
@testable import PluginWorkers

/// What the list of grants for a sandboxed worker has, and what is refused.
@Suite(.timeLimit(.minutes(5))) struct SandboxGrantsTests {
    private func grants(devices: Set<String>) throws(WorkerFailure) -> SandboxGrants {
        var permissions = PluginPermissions()
        permissions.devices = devices
        let places = PermissionPlaces(identifier: "a", application: "b", user: UserDirectories { _ in nil })
        return try SandboxGrants(program: "/bin/sh", bundles: [], permissions: permissions, places: places)
    }

    @Test func aDeviceIsGrantedByItsDescriptor() throws {
        let file = try #require(try grants(devices: ["/dev/full"]).files.last)
        let descriptor = try #require(file.opened).descriptor
        let opened = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        #expect(opened == "/dev/full" && file.access & PHS_FILES_DEVICE.rawValue != 0)
        #expect(file.access & PHS_FILES_WRITE.rawValue != 0)
    }

    @Test func aDeviceThatDoesNotExistIsLeftOut() throws {
        let count = try grants(devices: []).files.count
        #expect(try grants(devices: ["/dev/no-such-device"]).files.count == count)
    }

    @Test func whatIsNoDeviceIsRefusedAsADevice() throws {
        let tree = try TemporaryTree(["file": "text", "folder/file": "text"])
        for path in [tree("file"), tree("folder"), "/dev"] {
            let failure = #expect(throws: WorkerFailure.self) { try grants(devices: ["/dev/full", path]) }
            #expect(failure?.errno == ENODEV && failure?.path == path && failure?.layer == .files)
        }
    }

    @Test func noLinkLeadsToADevice() throws {
        let tree = try TemporaryTree()
        try FileManager.default.createSymbolicLink(atPath: tree("link"), withDestinationPath: "/dev/full")
        try FileManager.default.createSymbolicLink(atPath: tree("links"), withDestinationPath: "/dev")
        for path in [tree("link"), tree("links/full")] {
            let failure = #expect(throws: WorkerFailure.self) { try grants(devices: [path]) }
            #expect(failure?.errno == ELOOP && failure?.path == path && failure?.layer == .files)
        }
    }

    @Test(.enabled(if: OtherUser.canConfine)) func aLoadWithALinkAsADeviceNamesThePathAndTheNextStep() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .sandboxed }
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            // A link wherever there is a /dev.
            let asks = "PHPermissions = { devices = (\"/dev/stdin\"); };"
            let plugin = try CrashingPlugin(execution: "any", info: asks)
            let error = #expect(throws: PluginError.self) { try plugin.bundle.loadAndReturnError() }
            #expect(error?.code == .sandboxUnavailable && error?.filePath == "/dev/stdin")
            #expect(error?.bundlePath == plugin.bundle.bundlePath)
            #expect(error?.findings[0].message.contains("symbolic link") == true)
            #expect(error?.findings[0].remedy.contains("PHPermissions") == true)
            let full = "PHPermissions = { devices = (\"/dev/full\"); };"
            let granted = try CrashingPlugin(execution: "any", name: "Granted", info: full)
            #expect(try granted.bundle.function("opens")(.string("/dev/full")) == .int(1))
            HostEnvironment.current.isolation.grant = { _, _ in PluginPermissions() }
            let denied = try CrashingPlugin(execution: "any", name: "Denied", info: full)
            #expect(try denied.bundle.function("opens")(.string("/dev/full")) == .int(0))
        }
    }
}
