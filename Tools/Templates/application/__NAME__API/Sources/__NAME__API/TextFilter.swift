public import PluginABI

/// Changes a text of the application.
///
/// Each requirement throws, because a plug-in may run in a process of its own, which can end during any call.
public protocol TextFilter: Plugin {
    /// Returns the changed text.
    func filter(_ text: String) throws -> String
}

extension ExtensionPoint where Interface == any TextFilter {
    // Raise the version whenever the meaning of a method changes. After each change of the protocol, run “swift package
    // remote-interfaces”: it writes Proxies.swift, through which plug-ins run in processes of their own.
    /// The filters that plug-ins add; their Info.plist names the point under PHFactories.
    public static var textFilter: Self {
        .init("__IDENTIFIER__.text-filter", version: 1, remote: TextFilterProxy.interface)
    }
}
