import BundleReading
import PropertyLists
import TestSupport
import Testing

@testable import PluginHost

@Suite struct PlatformKeysTests {
    private func applied(_ list: [String: String]) -> [String: String] {
        PlatformKeys.applied(to: list.mapValues(PropertyList.string)).compactMapValues(\.string)
    }

    @Test func aKeyForLinuxReplacesTheGeneralOne() {
        #expect(applied(["Key": "general", "Key-linux": "here"]) == ["Key": "here"])
        #expect(applied(["Key-linux": "here"]) == ["Key": "here"])
    }

    @Test(arguments: ["macos", "macosx", "iphoneos", "windows", "freebsd", "android", "wasi"])
    func aKeyForAnotherPlatformIsLeftOut(platform: String) {
        #expect(applied(["Key": "general", "Key-\(platform)": "there"]) == ["Key": "general"])
        #expect(applied(["Key-\(platform)": "there"]) == [:])
    }

    @Test(arguments: ["Key~ipad", "Key~iphone", "Key-iphoneos~ipad", "Key-linux~ipad"])
    func aKeyForAProductIsLeftOut(key: String) {
        #expect(applied(["Key": "general", key: "there"]) == ["Key": "general"])
    }

    @Test(arguments: [
        "Key-other", "Key-Linux", "Keylinux", "Key-", "-linux", "~ipad", "Key~other", "a-macos-b", "X-linux-gnu",
    ])
    func anEndingThatIsNotAPlatformIsPartOfTheKey(key: String) {
        #expect(applied([key: "value"]) == [key: "value"])
    }

    @Test(arguments: ["CFBundleExecutable", "CFBundleIdentifier"])
    func theKeysThatABundleIsKnownByHoldEverywhere(key: String) {
        #expect(applied([key: "general", key + "-linux": "here"])[key] == "general")
    }

    @Test func aChangeOfAFixedKeyIsAWarning() throws {
        let tree = try TemporaryTree([
            "x.bundle/Info.plist": "{ CFBundleIdentifier = general; \"CFBundleIdentifier-linux\" = here; }"
        ])
        let bundle = try PluginBundle.open(path: tree("x.bundle"))
        #expect(bundle.bundleIdentifier == "general")
        let warning = try #require(bundle.findings().first)
        #expect(warning.severity == .warning && warning.subject == "CFBundleIdentifier-linux")
    }

    @Test func theListThatIsReadForABundleIsThatOfThePlatform() throws {
        let tree = try TemporaryTree([
            "x.bundle/Contents/Info.plist":
                "{ CFBundleName = general; \"CFBundleName-linux\" = Here; \"CFBundleName-macos\" = There; NSExecutable = a; \"NSExecutable-linux\" = b; }",
            "x.bundle/Contents/Linux/b": "",
        ])
        let bundle = try PluginBundle.open(path: tree("x.bundle"))
        #expect(bundle.displayName == "Here")
        #expect(bundle.infoDictionary?["CFBundleName"] as? String == "Here")
        #expect(bundle.infoDictionary?.keys.sorted() == ["CFBundleName", "NSExecutable"])
        #expect(bundle.executablePath == tree("x.bundle/Contents/Linux/b"))
    }
}
