import Foundation
import Testing

/// The file before the move, with Foundation's own Bundle: where Foundation is right on Linux, the result is the same as
/// MovedFileTests expects from PluginBundle.
@Suite struct FoundationFileTests {
    @Test func theSameFileUsesFoundationsBundle() throws {
        let fixture = try MovedBundle()
        let user = try #require(BundleUser(url: fixture.url))
        #expect(type(of: user.bundle) == Foundation.Bundle.self)
        #expect(user.directory.path == fixture.url.path)
        #expect(user.resource("note", "txt") == Array(repeating: fixture.resource("note.txt"), count: 6))
        #expect(
            user.resource("letter", "txt", for: "en")
                == Array(repeating: fixture.resource("en.lproj/letter.txt"), count: 2))
        #expect(user.identifier == "org.example.moved")
        #expect(user.version() == nil, "Foundation loses the value once there is an InfoPlist.strings")
        #expect(user.information?["CFBundleVersion"] as? String == "7")
        #expect(user.text("hello") == "Good day")
        #expect(user.marked("hello", table: "Other") == "Hi")
        #expect(user.identity.isItself)
    }
}
