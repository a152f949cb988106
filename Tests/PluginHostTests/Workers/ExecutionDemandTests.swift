import Foundation
import HostBasics
import PluginABI
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Extension points that demand a place for the code of their plug-ins.
///
/// Each test runs in a process of its own, because all tests share the environment.
@Suite struct ExecutionDemandTests {
    private static func require(_ isTrue: Bool) { precondition(isTrue) }

    private static func loadError(_ bundle: PluginBundle) -> PluginError? {
        do {
            try bundle.loadAndReturnError()
            return nil
        } catch {
            return error as? PluginError
        }
    }

    @Test func aPluginThatDeclaresAListedPointRunsWhereThePointDemands() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.points = [.init(.guarded), .init(.sealed)]
            let plugin = try GadgetPlugin("GuardedByPolicy", execution: "any")
            try ExecutionDemandTests.require(plugin.bundle.placement().execution == .isolated)
            let gadget = try plugin.bundle.providers(of: .guarded)[0].make()
            try ExecutionDemandTests.require(gadget.process() != getpid())
            let sealed = try GadgetPlugin("SealedByPolicy", execution: "isolated")
            try ExecutionDemandTests.require(sealed.bundle.placement().execution == .sandboxed)
            // A point that is not listed decides nothing.
            let other = try GadgetPlugin("GadgetOfNoPoint", execution: "any")
            try ExecutionDemandTests.require(other.bundle.placement().execution == .inProcess)
            try ExecutionDemandTests.require(other.make().process() == getpid())
        }
    }

    @Test(.fault(668)) func aDemandThatTheApplicationDoesNotListRefusesCodeInItsProcess() async {
        await #expect(processExitsWith: .success) {
            let plugin = try GadgetPlugin("GuardedInProcess", execution: "any")
            let error = ExecutionDemandTests.loadError(plugin.bundle)
            precondition(error?.code == .executionConflict && error?.subject == "org.example.gadget-guarded")
            precondition(error?.bundlePath == plugin.bundle.bundlePath && !plugin.bundle.isLoaded)
            precondition(error?.findings[0].message.contains("“isolated” or safer") == true)
            precondition(error?.findings[0].remedy.contains("isolation.points") == true)
        }
    }

    @Test func aPluginThatCannotRunElsewhereConflictsWithTheDemand() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.points = [.init(.guarded)]
            let plugin = try GadgetPlugin("GuardedInside", execution: "in-process")
            let error = ExecutionDemandTests.loadError(plugin.bundle)
            precondition(error?.code == .executionConflict && error?.subject == "PHExecution")
        }
    }

    /// It is the application's own, as the point is, and cannot run anywhere else.
    @Test(arguments: [false, true]) func aPointDemandsNothingOfCodeThatIsLinkedIntoTheProgram(_ isListed: Bool) async {
        await #expect(processExitsWith: .success) { [isListed] in
            if isListed { HostEnvironment.current.isolation.points = [.init(.sealed)] }
            let tree = try TemporaryTree()
            try tree.write(
                "Linked.bundle/Contents/Info.plist",
                """
                {
                    CFBundleIdentifier = linked;
                    PHFactories = ( { name = Sealed; extensionPoint = "org.example.gadget-sealed"; version = 1; } );
                }
                """)
            let bundle = try PluginBundle.linked(at: tree("Linked.bundle")) { host in
                registerPlugin(with: host) { plugin in
                    plugin.provide(.sealed, named: "Sealed") { RealGadget($0, isHelper: false) }
                }
            }
            try ExecutionDemandTests.require(bundle.placement().execution == .inProcess)
            let gadget = try bundle.providers(of: .sealed)[0].make()
            try ExecutionDemandTests.require(gadget.process() == getpid())
            // What the application decides about the plug-in itself still counts.
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            let other = try TemporaryTree()
            try other.write("Other.bundle/Contents/Info.plist", "{ CFBundleIdentifier = other; }")
            let second = try PluginBundle.linked(at: other("Other.bundle")) { _ in plugin_status(PLUGIN_OK) }
            precondition(ExecutionDemandTests.loadError(second)?.code == .executionConflict)
        }
    }

    @Test(.fault(669)) func aProviderForAPointThatInfoPlistDoesNotDeclareFailsTheRegistration() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.points = [.init(.guarded), .init(.sealed)]
            let plugin = try GadgetPlugin("GuardedUndeclared", execution: "any", declares: false)
            let error = ExecutionDemandTests.loadError(plugin.bundle)
            precondition(error?.code == .executionConflict && error?.subject == "org.example.gadget-guarded")
            precondition(error?.findings[0].remedy.contains("PHFactories") == true)
            // In a worker that is less safe than the point demands, the worker itself refuses.
            let sealed = try GadgetPlugin("SealedUndeclared", execution: "isolated", declares: false)
            let refused = ExecutionDemandTests.loadError(sealed.bundle)
            precondition(
                refused?.code == .executionConflict && refused?.subject == "org.example.gadget-sealed",
                "\(String(describing: refused))")
            precondition(refused?.findings[0].message.contains("runs “isolated”") == true)
        }
    }

    @Test(.fault(669)) func aCFactoryForAPointThatInfoPlistDoesNotDeclareIsRefusedToo() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.points = [.init(.sealed)]
            let text = """
                #include <plugin_abi.h>
                PLUGIN_DECLARE_NOTE;
                static plugin_status create(const plugin_factory *factory, const plugin_host *host, void **made) {
                    *made = (void *)1;
                    return PLUGIN_OK;
                }
                static void release(void *made) {}
                static const plugin_factory factory = {
                    {sizeof factory, 1}, PLUGIN_STRING("secret"), PLUGIN_STRING("org.example.gadget-sealed"), 1, 0, NULL,
                    NULL, create, NULL, release};
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                    return host->register_factory(host, &factory);
                }
                """
            for execution in ["any", "isolated"] {
                let name = "SecretFactory\(execution)"
                let directory = try CPluginSource(
                    name: name, info: "PHExecution = \"\(execution)\";", text: "#include <stddef.h>\n" + text
                ).build()
                let bundle = try PluginBundle.open(path: directory.appending(path: "\(name).bundle").path)
                let error = ExecutionDemandTests.loadError(bundle)
                precondition(error?.code == .executionConflict && error?.subject == "org.example.gadget-sealed")
            }
        }
    }

    @Test func theApplicationsPointIsComparedAgainWhenItIsAsked() async {
        await #expect(processExitsWith: .success) {
            let plugin = try GadgetPlugin("GadgetOfOldTimes", execution: "any")
            try plugin.bundle.loadAndReturnError()
            let stricter = ExtensionPoint<any Gadget>(
                "org.example.gadget", remote: GadgetProxy.interface, execution: .isolated)
            do {
                _ = try plugin.bundle.providers(of: stricter)
                preconditionFailure("It was offered.")
            } catch let error as PluginError {
                precondition(error.code == .executionConflict && error.subject == "org.example.gadget")
            }
            try ExecutionDemandTests.require(plugin.bundle.providers(of: .gadget).count == 1)
        }
    }
}
