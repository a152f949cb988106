import Foundation
import Glibc
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost

/// Images and sounds by name.
///
/// Numbers after “seed” are promises of the guides that they come from.
@Suite struct NamedMediaTests {
    /// A bundle with some resources, and the tree that keeps its files.
    private final class Media: Sendable {
        let tree: TemporaryTree
        let bundle: PluginBundle

        init(_ files: [String: [UInt8]]) throws {
            tree = try TemporaryTree(["M.bundle/Contents/Info.plist": "{ }"])
            for (name, bytes) in files { try tree.write("M.bundle/Contents/Resources/" + name, bytes: bytes) }
            bundle = try PluginBundle.open(path: tree("M.bundle"))
        }

        func image(_ name: String) -> NamedImage? { bundle.image(named: name) }
        func sound(_ name: String) -> NamedSound? { bundle.sound(named: name) }
    }

    static func png(_ width: UInt8, _ height: UInt8) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [
            0, 0, 1, width, 0, 0, 0, height,
        ]
    }

    /// Seeds 18, 69, 74 and 75: found by the name without extension, cached, of its own bundle.
    @Test func anImageIsOneObject() throws {
        let media = try Media([
            "seal.png": Self.png(0, 100), "mark": [1], "mark.png": [2], "photo.jpg": [3],
            "photo.svg": Array("<svg/>".utf8),
        ])
        let seal = try #require(media.image("seal"))
        #expect(
            seal.name == "seal" && seal.path == media.tree("M.bundle/Contents/Resources/seal.png")
                && seal.format == .png)
        #expect(seal.pixelSize == NibSize(width: 256, height: 100) && seal.size == seal.pixelSize && seal.scale == 1)
        #expect(media.image("seal") === seal && media.image("seal.png") === seal)
        #expect(try seal.bytes() == Self.png(0, 100))
        // As it stands goes first, then the types in their order.
        #expect(try media.image("mark")?.bytes() == [1])
        #expect(media.image("photo")?.format == .svg)
        // Seed 76: by its path.
        #expect(
            media.bundle.pathForImageResource("seal") == seal.path
                && media.bundle.urlForImageResource("seal")?.path == seal.path)
        for name in ["none", "", "../Info", "/etc/passwd", "."] { #expect(media.image(name) == nil, "\(name)") }
        #expect(media.bundle.pathForSoundResource("seal") == nil)
    }

    /// Seeds 71 and 72: the asker writes neither device nor scale; the image says which file it is.
    @Test func variantsAreChosen() async {
        await #expect(processExitsWith: .success) {
            let media = try Media([
                "a.png": NamedMediaTests.png(0, 10), "a@2x.png": NamedMediaTests.png(0, 20), "a~phone.png": [1],
                "a~phone@2x.png": [2],
            ])
            let plain = media.image("a")!
            #expect(plain.scale == 1 && plain.device == nil)
            HostEnvironment.current.scale = 2
            let double = media.image("a")!
            #expect(
                double !== plain && double.scale == 2 && double.size == NibSize(width: 128, height: 10)
                    && double.name == "a")
            HostEnvironment.current.device = "phone"
            #expect(media.image("a")?.path == media.tree("M.bundle/Contents/Resources/a~phone@2x.png"))
            #expect(media.image("a")?.device == "phone")
            HostEnvironment.current.device = nil
            HostEnvironment.current.scale = 1
            // Who returns gets the same.
            #expect(media.image("a") === plain)
        }
    }

    /// Seed 75: no other bundle's name hides a bundle's own.
    @Test func eachBundleHasItsOwn() throws {
        let first = try Media(["bell.wav": Array("RIFF0000WAVE".utf8)])
        let second = try Media(["bell.wav": Array("OggS".utf8)])
        let sound = try #require(first.sound("bell"))
        #expect(
            sound.format == .wav && second.sound("bell")?.format == .ogg && sound !== second.sound("bell")
        )
        #expect(try sound.bytes().count == 12)
    }

    /// Seed 73: sounds are found by their extensions; what is in them is the application's.
    @Test func soundFormatsAreRecognised() throws {
        let media = try Media([
            "a.flac": Array("fLaC".utf8), "b.mp3": Array("ID3".utf8), "c.aiff": Array("FORM0000AIFF".utf8),
            "d.au": Array(".snd".utf8),
            "e.snd": [0], "f.opus": Array("OggS".utf8),
        ])
        #expect(
            ["a", "b", "c", "d", "e", "f"].map { media.sound($0)?.format } == [
                .flac, .mp3, .aiff, .au, .other, .ogg,
            ])
        #expect(media.bundle.pathForSoundResource("a")?.hasSuffix("a.flac") ?? false)
    }

    /// Seed 74: after the main bundle, the user's and the system's sounds; only for who asks NamedSound.
    @Test func soundsOfTheSystemAreFound() async {
        await #expect(processExitsWith: .success) {
            let media = try Media([:])
            try media.tree.write("data/sounds/freedesktop/stereo/bell.oga", "OggS")
            setenv("XDG_DATA_HOME", media.tree("data"), 1)
            setenv("XDG_DATA_DIRS", "", 1)
            let bell = NamedSound.named("bell")
            #expect(bell?.format == .ogg && NamedSound.named("bell") === bell)
            #expect(
                NamedSound.named("../bell") == nil && NamedSound.named("") == nil && media.sound("bell") == nil)
        }
    }

    @Test func decodingIsDoneOnceForEachType() throws {
        final class Texture: Sendable {}
        final class Other: Sendable {}
        struct Refused: Error {}
        let media = try Media(["fillTemplate.png": Self.png(1, 1)])
        let image = try #require(media.image("fillTemplate"))
        #expect(image.isTemplate)
        #expect(throws: Refused.self) { try image.decoded({ (_) throws -> Texture in throw Refused() }) }
        let texture = image.decoded({ _ in Texture() })
        let again = image.decoded({ _ in Texture() })
        #expect(ObjectIdentifier(again) == ObjectIdentifier(texture))
        let other = image.decoded({ _ in Other() })
        #expect(ObjectIdentifier(other) != ObjectIdentifier(texture))
    }

    private static func file(_ text: String, _ bytes: [UInt8] = []) -> [UInt8] { Array(text.utf8) + bytes }

    /// A file, its format, and its width and height.
    static let heads: [(bytes: [UInt8], format: NamedImage.Format, size: [Double]?)] = [
        (file("GIF89a", [3, 1, 4, 0]), .gif, [259, 4]),
        (file("BM0123456789ab", [40, 0, 0, 0, 5, 0, 0, 0, 0xFA, 0xFF, 0xFF, 0xFF]), .bmp, [5, 6]),
        (file("BM0123456789ab", [12, 0, 0, 0, 5, 0, 6, 0]), .bmp, [5, 6]),
        (file("RIFF0000WEBPVP8X00000000", [9, 0, 0, 19, 0, 0]), .webp, [10, 20]),
        (file("RIFF0000WEBPVP8L0000", [0x2F, 0x09, 0xC0, 0x04, 0x00]), .webp, [10, 20]),
        (file("RIFF0000WEBPVP8 0000000", [0x9D, 1, 0x2A, 7, 0, 8, 0]), .webp, [7, 8]),
        ([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 17, 8, 0, 30, 0, 40, 3, 0], .jpeg, [40, 30]),
        ([0x49, 0x49, 0x2A, 0], .tiff, nil), (file("<?xml version='1.0'?><svg/>"), .svg, nil),
        (file("text"), .other, nil),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png, nil), ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg, nil),
    ]

    @Test("heads of every format", arguments: heads)
    func headsAreRead(bytes: [UInt8], format: NamedImage.Format, size: [Double]?) {
        let read: MediaHead.Read = { offset, count in
            Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
        }
        let head = MediaHead(read)
        #expect(head.imageFormat == format && head.pixelSize(read) == size.map { NibSize(width: $0[0], height: $0[1]) })
        // No truncation ends the process.
        for length in 0..<bytes.count {
            let cut: MediaHead.Read = { offset, count in
                Array(bytes.prefix(length).dropFirst(Int(clamping: offset)).prefix(count))
            }
            _ = MediaHead(cut).pixelSize(cut)
        }
    }

    @Test func theBytesThatWereNotUsedLongestAreDropped() {
        final class Key {}
        let keys = (0..<3).map { _ in Key() }
        let store = MediaStore(limit: 100)
        for (number, key) in keys.enumerated() {
            store.keep(Array(repeating: UInt8(number), count: 40), of: ObjectIdentifier(key))
            _ = store.bytes(of: ObjectIdentifier(keys[0]))
        }
        #expect(store.size == 80)
        #expect(store.bytes(of: ObjectIdentifier(keys[0])) != nil && store.bytes(of: ObjectIdentifier(keys[1])) == nil)
        store.keep(Array(repeating: 0, count: 101), of: ObjectIdentifier(keys[1]))
        store.remove(ObjectIdentifier(keys[0]))
        #expect(store.size <= 100)
    }
}
