import FoundationEssentials
import TestSupport
import Testing

@testable import PluginHost

@Suite("PluginBundle: icons and launch images")
struct BundleIconTests {
    private func key(_ name: String, _ value: String) -> String { "<key>\(name)</key><string>\(value)</string>" }

    private func list(_ names: [String]) -> String {
        let strings = names.map { "<string>\($0)</string>" }.joined()
        return "<key>CFBundleIconFiles</key><array>\(strings)</array>"
    }

    /// The parts that a test compares: the name, the device, the scale.
    private func descriptions(_ variants: [ResourceVariant]) -> [String] {
        variants.map { "\($0.url.lastPathComponent) \($0.device ?? "any") \($0.scale)" }
    }

    /// The icons of a bundle with some resources.
    private func icons(_ resources: [String], info: String = "") throws -> [String] {
        let bundle = try ResourceBundle(resources, info: info)
        return withExtendedLifetime(bundle) { descriptions(bundle.bundle.iconFiles) }
    }

    private static let icons = ["Icon.png", "A.png", "B.png", "C.png", "D.png"]

    @Test func theFirstKeyThatLeadsToFilesDecides() throws {
        let keys = [list(["A.png", "B"]), key("CFBundleIconFile", "C"), key("NSIcon", "D.png")]
        let expected = [["A.png any 1", "B.png any 1"], ["C.png any 1"], ["D.png any 1"], ["Icon.png any 1"]]
        for first in 0...3 {
            #expect(try icons(Self.icons, info: keys[first...].joined()) == expected[first])
        }
        let lost = [list(["none.png"]), key("CFBundleIconFile", "none"), key("NSIcon", "")].joined()
        #expect(try icons(Self.icons, info: lost) == ["Icon.png any 1"])
        #expect(try icons(["a.png"]) == [])
    }

    @Test func everyVariantIsListedWithItsDeviceAndScale() throws {
        let resources = try ResourceBundle([
            "Icon.png", "Icon@2x.png", "Icon~phone.png", "Icon~phone@2x.png", "Icon@12x.png", "Icons.png", "Icon-7.png",
            "Icon.svg", "Icon~tablet.png/",
        ])
        #expect(
            descriptions(resources.bundle.iconFiles) == [
                "Icon.png any 1", "Icon@2x.png any 2", "Icon@12x.png any 12", "Icon~phone.png phone 1",
                "Icon~phone@2x.png phone 2",
            ])
        #expect(resources.bundle.iconFiles.first?.path == resources("Icon.png"))
    }

    @Test func aFileForThisPlatformReplacesItsOwnGenericOne() throws {
        let resources = try ResourceBundle([
            "Icon.png", "Icon-linux.png", "Icon@2x.png", "Icon-linux@3x.png", "Icon~phone.png", "Icon-linux~phone.png",
        ])
        let expected = ["Icon-linux.png any 1", "Icon@2x.png any 2", "Icon-linux~phone.png phone 1"]
        #expect(descriptions(resources.bundle.iconFiles) == expected)
    }

    @Test func aNameWithoutExtensionIsTriedUnchangedThenByType() throws {
        let named = key("NSIcon", "I")
        #expect(try icons(["I.icns", "I.svg"], info: named) == ["I.svg any 1"])
        #expect(try icons(["I", "I.png"], info: named) == ["I any 1"])
        #expect(try icons(["I.tiff", "I@2x.tiff"], info: named) == ["I.tiff any 1", "I@2x.tiff any 2"])
    }

    @Test func aVariantThatIsListedByNameIsListedOnce() throws {
        let resources = try ResourceBundle(
            ["A.png", "A@2x.png", "A-72.png"], info: list(["A.png", "A@2x.png", "A-72.png"]))
        #expect(descriptions(resources.bundle.iconFiles) == ["A.png any 1", "A@2x.png any 2", "A-72.png any 1"])
    }

    @Test func iconsStayInTheResources() throws {
        let resources = try ResourceBundle([], info: key("CFBundleIconFile", "../Icon.png"))
        try resources.tree.write("X.bundle/Contents/Icon.png")
        try resources.tree.write("X.bundle/Contents/Resources/")
        #expect(resources.bundle.iconFiles == [])
        #expect(resources.bundle.launchImages(forScheme: "../x") == [])
    }

    @Test func theListIsFromTheDirectoryWhereALookUpFindsTheIcon() throws {
        let resources = try ResourceBundle(["Icon@2x.png", "en.lproj/Icon.png", "en.lproj/Icon@3x.png"])
        #expect(resources.bundle.path(forResource: "Icon", ofType: "png") == resources("en.lproj/Icon.png"))
        #expect(
            resources.bundle.iconFiles.map(\.path)
                == ["en.lproj/Icon.png", "en.lproj/Icon@3x.png"].map { resources($0) })
        // If a look-up finds nothing, the caller may still scale the existing file.
        resources.remove("en.lproj/Icon.png")
        settle()
        #expect(resources.bundle.path(forResource: "Icon", ofType: "png") == nil)
        #expect(resources.bundle.iconFiles.map(\.path) == [resources("Icon@2x.png")])
    }

    @Test func theHostsOwnVariantComesFirst() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.device = "phone"
            HostEnvironment.current.scale = 2
            let resources = try ResourceBundle([
                "Icon.png", "Icon@2x.png", "Icon~phone.png", "Icon~phone@2x.png", "Default.png", "Default@2x.png",
            ])
            let icons = ["Icon~phone@2x.png", "Icon.png", "Icon@2x.png", "Icon~phone.png"]
            precondition(resources.bundle.iconFiles.map(\.path) == icons.map { resources($0) })
            precondition(resources.bundle.iconFiles[0].scale == 2 && resources.bundle.iconFiles[0].device == "phone")
            let images = ["Default@2x.png", "Default.png"]
            precondition(resources.bundle.launchImages().map(\.path) == images.map { resources($0) })
        }
    }

    @Test func aLaunchImageForTheSchemeComesBeforeTheDefault() throws {
        let resources = try ResourceBundle([
            "Default.png", "Default@2x.png", "Default-mailto.png", "Default-mailto@2x.png",
        ])
        let bundle = resources.bundle
        #expect(descriptions(bundle.launchImages()) == ["Default.png any 1", "Default@2x.png any 2"])
        #expect(descriptions(bundle.launchImages(forScheme: "http")) == descriptions(bundle.launchImages()))
        #expect(descriptions(bundle.launchImages(forScheme: "")) == descriptions(bundle.launchImages()))
        for scheme in ["mailto", "MAILTO"] {
            #expect(
                descriptions(bundle.launchImages(forScheme: scheme))
                    == ["Default-mailto.png any 1", "Default-mailto@2x.png any 2"])
        }
        let other = try ResourceBundle(["Default.jpg"])
        #expect(other.bundle.launchImages(forScheme: "http") == [])
    }
}
