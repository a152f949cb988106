import PropertyLists
import Testing

@_spi(Tools) @testable import BundleReading
@testable import HostBasics

/// A manifest is the same whether the fast way or the reader reads its list.
@Suite struct ManifestReadingTests {
    private static func text(_ list: String) -> ListText {
        let bytes = Array(list.utf8)
        let text = ListText(capacity: bytes.count)
        text.bytes.update(from: bytes, count: bytes.count)
        return text
    }

    private static func manifests(_ list: String) throws -> (fast: Manifest, slow: Manifest) {
        let fast = try #require(Manifest(recognizing: text(list), path: "/x/Info.plist"))
        let dictionary = try PropertyListReader.read(Array(list.utf8)).value.dictionary ?? [:]
        return (fast, Manifest(dictionary: dictionary, path: "/x/Info.plist"))
    }

    /// All public values of a manifest.
    private static func everything(_ manifest: Manifest) -> String {
        let sorted = (manifest.requires.sorted { $0.key < $1.key }, manifest.functions.sorted { $0.key < $1.key })
        let uses = manifest.uses.sorted { $0.key < $1.key }
        let children = Mirror(reflecting: manifest).children.filter {
            !["list", "requires", "functions", "uses"].contains($0.label)
        }
        let fields = children.map { "\($0.label ?? ""): \($0.value)" }.joined(separator: "\n")
        return "\(fields)\n\(sorted)\n\(uses)\n\(manifest.unknownKeys)"
    }

    @Test func everyKeyIsFoundByItsSpelling() {
        for key in ManifestKey.allCases {
            #expect(Array(key.spelling.utf8).withUnsafeBufferPointer { ManifestKey($0) } == key)
            for other in [key.spelling + "s", String(key.spelling.dropLast()), key.spelling.uppercased() + "?"] {
                let found = Array(other.utf8).withUnsafeBufferPointer { ManifestKey($0) }
                #expect(found == nil || found?.spelling == other)
            }
        }
        #expect(Array("CFBundleSpoken".utf8).withUnsafeBufferPointer { ManifestKey($0) } == nil)
        for key in ItemKey.allCases {
            #expect(Array(key.spelling.utf8).withUnsafeBufferPointer { ItemKey($0) } == key)
            #expect(Array(key.spelling.uppercased().utf8).withUnsafeBufferPointer { ItemKey($0) } == nil)
        }
    }

    @Test func bothWaysGiveTheSame() throws {
        let strings = ManifestKey.allCases.prefix(16).map { "<key>\($0.spelling)</key><string>a \($0)</string>" }
        let list = """
            <dict>\(strings.joined())
            <key>PHFactories</key><array>
              <dict><key>name</key><string>n &amp; m</string><key>extensionPoint</key><string>p</string>
                <key>version</key><integer>3</integer><key>order</key><integer>-2</integer></dict>
              <dict><key>name</key><string>bare</string></dict></array>
            <key>PHFunctions</key><dict><key>f</key><string>() -&gt; void</string></dict>
            <key>PHRequires</key><dict><key>org.example.b</key><string>&gt;=1 &lt;2</string></dict>
            <key>PHHostRequires</key><string>1</string><key>PHExecution</key><string>in-process</string>
            <key>PHCapabilities</key><array><string>network</string></array>
            <key>PHExtensionPoints</key><array><dict><key>name</key><string>q</string></dict></array>
            <key>PHUses</key><dict><key>s</key><integer>2</integer></dict>
            <key>PHPermissions</key><dict><key>network</key><string>any</string></dict>
            <key>PHLimits</key><dict><key>memory</key><integer>64</integer></dict>
            <key>PHDescription</key><string>Draws &amp; plays.</string>
            <key>PHAuthors</key><array><string>A. Uthor</string></array><key>PHBugs</key><string>mailto:a@b</string>
            <key>NSExtensions</key><array><string>mid</string></array>
            <key>CFBundleDocumentTypes</key><array><dict><key>CFBundleTypeExtensions</key>
              <array><string>ly</string></array></dict></array>
            <key>UTExportedTypeDeclarations</key><array><dict>
              <key>UTTypeIdentifier</key><string>t</string></dict></array>
            <key>PHSomething</key><true/></dict>
            """
        let (fast, slow) = try Self.manifests(list)
        #expect(Self.everything(fast) == Self.everything(slow))
        #expect(fast.dictionary == slow.dictionary)
        #expect(fast.permissions == slow.permissions && fast.permissions.network == .any && fast.limits.memory == 64)
        #expect(fast.metadata.description == "Draws & plays." && fast.typeDeclarations.map(\.identifier) == ["t"])
        #expect(fast.documentTypes.map(\.extensions) == [["ly"], ["mid"]])
        #expect(fast.extensions.map(\.name) == ["n & m", "bare"] && fast.unknownKeys == ["PHSomething"])
    }

    @Test(arguments: ["<integer>1</integer>", "<array><true/></array>", "<dict/>", "<true/>", "<string></string>"])
    func bothWaysTellTheSameFaults(_ value: String) throws {
        for key in ManifestKey.allCases {
            let (fast, slow) = try Self.manifests("<dict><key>\(key.spelling)</key>\(value)</dict>")
            #expect(Self.everything(fast) == Self.everything(slow), "\(key)")
        }
    }

    @Test func aListWithKeysForPlatformsIsLeftToTheReader() throws {
        let list = "<dict><key>CFBundleName-linux</key><string>a</string></dict>"
        #expect(Manifest(recognizing: Self.text(list), path: nil) == nil)
        #expect(try ManifestReader.read(Self.text(list), path: "/x").name == "a")
        let product = "<dict><key>CFBundleName~ipad</key><string>a</string></dict>"
        #expect(Manifest(recognizing: Self.text(product), path: nil) == nil)
    }

    @Test func bytesWithoutABundleAreReadOrRefused() throws {
        #expect(try ManifestReader.read(Self.text("{ CFBundleName = a; }"), path: "/x").name == "a")
        let finding = #expect(throws: PluginFinding.self) { try ManifestReader.read(Self.text("<dict>"), path: "/x") }
        #expect(finding?.code == .manifestUnreadable && finding?.filePath == "/x")
    }

    @Test(
        arguments: [
            "<array/>", "<string>no array</string>", "<array></array>", "<array><string>no dictionary</string></array>",
            "<array><dict><key>name</key><string>a</string></dict></array>",
            "<array> <!-- two --> <dict><key>name</key><string>a&amp;b</string></dict>"
                + "<dict><key>order</key><integer>-3</integer><key>name</key><string>ü</string></dict></array>",
            "<array><dict><key>name</key><string>a</string><key>extensionPoint</key><string>p</string>"
                + "<key>version</key><integer>2</integer><key>displayName</key><string>A</string></dict></array>",
            "<array><dict></dict><dict><key>name</key><string>a</string></dict></array>",
            "<array><dict><key>name</key><string>a</string></dict><dict/></array>",
            "<array><dict><key>name</key><string></string></dict></array>",
            "<array><dict><key>name</key><string>a</string><key>extensionPoint</key><string/></dict></array>",
            "<array><dict><key>name</key><string>a</string><key>displayName</key><string></string></dict></array>",
            "<array><dict><key>name</key><string>a</string><key>version</key><string>2</string></dict></array>",
            "<array><dict><key>name</key><string>a</string><key>version</key><integer>0</integer></dict></array>",
            "<array><dict><key>name</key><string>a</string><key>order</key><integer>3000000000</integer></dict></array>",
            "<array><dict><key>name</key><string>a</string><key>order</key><true/></dict></array>",
            "<array><dict><key>Name</key><string>a</string><key>other</key><array/></dict></array>",
            "<array><dict><key>name</key><array><string>a</string></array></dict></array>",
        ])
    func dictionariesWithANameAreAlikeByBothReaders(_ list: String) throws {
        for key in ["PHFactories", "PHExtensionPoints"] {
            let (fast, slow) = try Self.manifests("<dict><key>\(key)</key>\(list)</dict>")
            #expect(Self.everything(fast) == Self.everything(slow))
            #expect(fast.declaresExtensions == (key == "PHFactories"))
            #expect(fast.extensions.map(\.name) == slow.extensions.map(\.name))
        }
    }
}
