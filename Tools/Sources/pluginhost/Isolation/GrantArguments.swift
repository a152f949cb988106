import ArgumentParser
import Glibc
import HostBasics
@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers

/// `--grant`: which of the permissions that a sandboxed plug-in asks for it gets.
struct GrantArguments: ParsableArguments {
    /// The value of one `--grant`.
    struct Grant {
        /// The text on the command line.
        let text: String
        /// The permissions; nil means everything that the plug-in asks for.
        let permissions: PluginPermissions?

        /// No permission.
        static let nothing = Grant(text: "none", permissions: PluginPermissions())

        private init(text: String, permissions: PluginPermissions?) {
            self.text = text
            self.permissions = permissions
        }

        init(parsing text: String) throws {
            self.text = text
            do {
                permissions = text == "all" ? nil : try PluginPermissions(parsing: text)
            } catch {
                throw ValidationError(error.reason)
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            """
            Grant permissions that the plug-in asks for: all, or files=PATH[:write], network=any|connect:PORT|listen:PORT, \
            devices=PATH, environment=NAME, processes.
            """, valueName: "permissions"),
        transform: Grant.init(parsing:))
    var grant: [Grant] = []

    /// The arguments that grant the same permissions in another process of the tool.
    var arguments: [String] { grant.flatMap { ["--grant", $0.text] } }

    /// Makes the grants and an execution the policy of this process.
    ///
    /// `execution`: the least strict execution for the code of every bundle.
    func apply(with execution: PluginExecution) {
        var policy = IsolationPolicy.ofTool
        policy.execution = { _ in execution }
        let grants = grant.map(\.permissions)
        policy.grant = { _, asked in
            var permissions = PluginPermissions()
            for grant in grants {
                guard let grant else { return asked }
                permissions.add(grant)
            }
            return permissions
        }
        HostEnvironment.current.isolation = policy
    }
}

extension IsolationPolicy {
    /// The policy of processes in which the tool loads bundles.
    ///
    /// Each bundle's own demand decides.
    static var ofTool: IsolationPolicy {
        var policy = IsolationPolicy()
        // A confined process must not belong to root.
        if geteuid() == 0 { policy.user = "nobody" }
        return policy
    }
}
