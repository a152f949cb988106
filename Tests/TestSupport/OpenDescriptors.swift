import Foundation
import HostBasics

/// How many descriptors of this process lead to something whose name contains a text.
///
/// Why not all descriptors: other tests open and close theirs at the same time.
package func openDescriptorCount(of text: String) -> Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.contains(text) == true
    }
}

/// Whether a number of descriptors of this process lead to something whose name contains a text, now or soon.
///
/// Why soon: the thread that watches workers may still hold the last one when another thread learns its end.
package func descriptorsBecome(_ count: Int, of text: String) -> Bool {
    let limit = Wait.ofATest
    while openDescriptorCount(of: text) != count {
        if !limit.sleep() { return false }
    }
    return true
}
