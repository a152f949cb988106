import Foundation
import TestSupport
import Testing

@testable import PluginHost

/// The last reference to an object ends under a lock that its deinitialiser takes too.
///
/// Each test has a process of its own, because the fault ends the process.
@Suite(.timeLimit(.minutes(5))) struct DroppedReferenceFaults {
    @Test(.fault(170)) func threadsThatOpenAndDropOneBundleGoOn() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["X.bundle/Contents/Info.plist": "<plist><dict/></plist>"])
            let path = tree("X.bundle")
            onThreads(3) { _ in
                for _ in 0..<10_000 { _ = PluginBundle(path: path)?.bundlePath }
            }
            // The dropped bundle is no longer in the table, and the path opens again.
            #expect(BundleTable.shared.bundle(atPath: path) == nil)
            #expect(PluginBundle(path: path)?.bundlePath == path)
        }
    }

    @Test(.fault(170)) func objectsThatCountLiveObjectsInTheirDeinitialiserAreCounted() async {
        await #expect(processExitsWith: .success) {
            let count = ObjectCount()
            onThreads(3) { number in
                for _ in 0..<50_000 {
                    // The other threads use the object while this one drops it.
                    if number == 0 { _ = count.value } else { count.add(Asking(count)) }
                }
            }
            #expect(count.value == 0)
        }
    }
}

/// An object of a plug-in whose deinitialiser calls the library.
private final class Asking: Sendable {
    private let count: ObjectCount

    init(_ count: ObjectCount) { self.count = count }

    deinit { _ = count.value }
}
