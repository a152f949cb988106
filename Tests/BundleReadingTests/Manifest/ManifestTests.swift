import PropertyLists
import Testing

@_spi(Tools) @testable import BundleReading
@testable import HostBasics

@Suite struct ManifestTests {
    private func manifest(_ list: [String: PropertyList]) -> Manifest {
        Manifest(dictionary: list, path: "/x/Info.plist")
    }

    @Test func everyKeyIsRead() {
        let manifest = manifest([
            "CFBundleIdentifier": .string("org.example.a"), "CFBundleName": .string("A"),
            "CFBundleDisplayName": .string("Aa"),
            "CFBundleVersion": .string("12"), "CFBundleShortVersionString": .string("1.2"),
            "CFBundlePackageType": .string("BNDL"),
            "CFBundleDevelopmentRegion": .string("en"),
            "CFBundleLocalizations": .array([.string("en"), .string("fr")]),
            "CFBundleAllowMixedLocalizations": .boolean(true), "CFBundleIconFile": .string("icon"),
            "NSMainNibFile": .string("Main"),
            "NSExecutable": .string("code"), "NSPrincipalClass": .string("P"), "PHHostRequires": .string(">=1"),
            "PHExecution": .string("in-process"), "PHRequires": .dictionary(["org.example.b": .string("1..<2")]),
            "PHFunctions": .dictionary(["f": .string("() -> void")]),
            "PHFactories": .array([
                .dictionary([
                    "name": .string("n"), "extensionPoint": .string("p"), "version": .integer(3),
                    "displayName": .string("d"), "order": .integer(-2),
                ])
            ]),
            "PHCapabilities": .array([.string("network")]), "PHUses": .dictionary(["s": .integer(2)]),
            "PHExtensionPoints": .array([.dictionary(["name": .string("q"), "version": .string("4")])]),
        ])
        #expect(manifest.findings.isEmpty)
        #expect(manifest.identifier == "org.example.a")
        #expect(manifest.name == "A" && manifest.displayName == "Aa")
        #expect(manifest.version == "12" && manifest.shortVersion == "1.2" && manifest.packageType == "BNDL")
        #expect(manifest.developmentRegion == "en" && manifest.localizations == ["en", "fr"])
        #expect(manifest.allowsMixedLocalizations)
        #expect(manifest.iconFile == "icon" && manifest.mainNibFile == "Main")
        #expect(manifest.executable == "code" && manifest.principalClass == "P")
        #expect(manifest.hostRequires?.description == ">=1" && manifest.execution == "in-process")
        #expect(manifest.requires.mapValues(\.description) == ["org.example.b": "1..<2"])
        #expect(manifest.functions == ["f": "() -> void"])
        #expect(manifest.extensions == [.init(name: "n", extensionPoint: "p", version: 3, displayName: "d", order: -2)])
        #expect(manifest.capabilities == ["network"] && manifest.uses == ["s": 2])
        #expect(manifest.extensionPoints == [.init(name: "q", version: 4, displayName: nil)])
        #expect(manifest.unknownKeys.isEmpty)
    }

    @Test func nsExecutableWinsAndAnUnexpandedVariableIsIgnored() {
        #expect(manifest(["NSExecutable": .string("a"), "CFBundleExecutable": .string("b")]).executable == "a")
        #expect(manifest(["NSExecutable": .string("${X}"), "CFBundleExecutable": .string("b")]).executable == "b")
        #expect(manifest(["CFBundleExecutable": .string("${EXECUTABLE_NAME}")]).executable == nil)
    }

    @Test func oldStyleListsSayYesAndNumbersAsStrings() {
        let manifest = manifest([
            "CFBundleAllowMixedLocalizations": .string("YES"),
            "PHFactories": .array([.dictionary(["name": .string("n"), "version": .string("2")])]),
        ])
        #expect(manifest.findings.isEmpty)
        #expect(manifest.allowsMixedLocalizations)
        #expect(manifest.extensions.first?.version == 2)
        #expect(!self.manifest(["CFBundleAllowMixedLocalizations": .string("NO")]).allowsMixedLocalizations)
    }

    @Test(
        .fault(49),
        arguments: [
            ("PHExtensionPoints", PropertyList.array([.dictionary(["version": .integer(1)])])),
            ("PHExtensionPoints", .array([.dictionary(["name": .string("p"), "version": .integer(0)])])),
            ("PHExtensionPoints", .string("p")), ("PHCapabilities", .string("network")),
            ("PHUses", .array([.string("s")])),
            ("PHUses", .dictionary(["s": .string("two")])),
            ("PHFactories", .array([.dictionary(["name": .string("n"), "order": .integer(1 << 40)])])),
        ])
    func aValueOfAnotherTypeIsAFinding(key: String, value: PropertyList) {
        #expect(manifest([key: value]).findings.map(\.code) == [.manifestInvalid])
    }

    @Test func deviceCapabilitiesAreNamesThatAreRequiredOrForbidden() {
        func read(_ value: PropertyList) -> Manifest { manifest(["UIRequiredDeviceCapabilities": value]) }
        #expect(read(.array([.string("wifi"), .string("gps")])).deviceCapabilities == ["wifi": true, "gps": true])
        let flags: PropertyList = .dictionary(["wifi": .boolean(true), "gps": .boolean(false), "x": .string("NO")])
        #expect(read(flags).deviceCapabilities == ["wifi": true, "gps": false, "x": false])
        #expect(read(flags).findings.isEmpty && read(.array([])).deviceCapabilities.isEmpty)
        for value in [PropertyList.string("wifi"), .array([.integer(1)]), .dictionary(["wifi": .array([])])] {
            #expect(read(value).findings.map(\.code) == [.manifestInvalid])
        }
    }

    @Test func onlyUnknownKeysOfOursAreReported() {
        #expect(
            manifest(["PHFactory": .string(""), "PHX": .integer(1), "Other": .integer(1)]).unknownKeys == [
                "PHFactory", "PHX",
            ])
    }

    @Test(.fault(49)) func aFindingNamesFileKeyAndBothTypes() {
        let finding = manifest(["PHFunctions": .array([])]).findings.first
        #expect(finding?.code == .manifestInvalid && finding?.subject == "PHFunctions")
        #expect(
            finding?.message
                == "The key PHFunctions of “/x/Info.plist” is an array, but a dictionary of strings is expected.")
    }
}
