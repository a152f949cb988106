// The constants that accompany NSBundle on Apple's systems and that Foundation on Linux lacks.

/// The key for the names of the loaded classes in the `userInfo` of ``PluginBundle/didLoadNotification``.
public let NSLoadedClasses = PluginBundle.loadedClassesKey

/// 32-bit x86, in ``PluginBundle/executableArchitectures``.
public let NSBundleExecutableArchitectureI386 = 0x0000_0007
/// 32-bit PowerPC; a Linux bundle never has it.
public let NSBundleExecutableArchitecturePPC = 0x0000_0012
/// 64-bit x86, in ``PluginBundle/executableArchitectures``.
public let NSBundleExecutableArchitectureX86_64 = 0x0100_0007
/// 64-bit PowerPC; a Linux bundle never has it.
public let NSBundleExecutableArchitecturePPC64 = 0x0100_0012
/// 64-bit ARM, in ``PluginBundle/executableArchitectures``.
public let NSBundleExecutableArchitectureARM64 = 0x0100_000C
