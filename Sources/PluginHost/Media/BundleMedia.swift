import BundleReading
import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// The images and sounds of one bundle, by name.
///
/// **Threads.** Any.
final class BundleMedia: Sendable {
    /// Finds a resource by name and type; type nil for a name that includes it.
    typealias Find = (_ name: String, _ type: String?) -> FoundResource?

    static let imageTypes = ["png", "svg", "jpg", "jpeg", "gif", "webp", "tiff", "tif", "bmp"]
    static let soundTypes = ["wav", "oga", "ogg", "flac", "mp3", "opus", "aiff", "aif", "au", "snd"]

    private let bundlePath: String
    private let images = MediaCache<NamedImage>()
    private let sounds = MediaCache<NamedSound>()

    init(bundlePath: String) { self.bundlePath = bundlePath }

    /// The file of an image or sound.
    ///
    /// Tries the name unchanged, then with each type in order.
    static func path(of name: String, types: [String], _ find: Find) -> String? {
        guard !name.isEmpty else { return nil }
        if let found = find(name, nil), !found.isDirectory { return found.path }
        for type in types {
            if let found = find(name, type), !found.isDirectory { return found.path }
        }
        return nil
    }

    func image(named name: String, _ find: Find) -> NamedImage? {
        images.object(
            named: name, generation: HostEnvironment.resourceGeneration.load(ordering: .acquiring),
            find: { Self.path(of: name, types: Self.imageTypes, find) },
            make: { path in
                open(path) { read in
                    let marks = VariantMarks(path: path)
                    let head = MediaHead(read)
                    return NamedImage(
                        name: Self.stem(name, Self.imageTypes), path: path, scale: marks.scale, device: marks.device,
                        format: head.imageFormat, pixelSize: head.pixelSize(read),
                        source: MediaFile(path: path, bundlePath: bundlePath))
                }
            })
    }

    func sound(named name: String, _ find: Find) -> NamedSound? {
        sounds.object(
            named: name, generation: HostEnvironment.resourceGeneration.load(ordering: .acquiring),
            find: { Self.path(of: name, types: Self.soundTypes, find) },
            make: { sound(named: name, atPath: $0) })
    }

    /// The sound in a file that other code already found.
    func sound(named name: String, foundAt path: String) -> NamedSound? {
        sounds.object(named: "/" + path, generation: 0, find: { path }, make: { sound(named: name, atPath: $0) })
    }

    private func sound(named name: String, atPath path: String) -> (NamedSound, FileIdentity)? {
        open(path) { read in
            NamedSound(
                name: Self.stem(name, Self.soundTypes), path: path, format: MediaHead(read).soundFormat,
                source: MediaFile(path: path, bundlePath: bundlePath))
        }
    }

    /// The name without the extension.
    private static func stem(_ name: String, _ types: [String]) -> String {
        let last = Path.lastComponent(name)
        guard let type = types.first(where: { last.lowercased().hasSuffix("." + $0) }) else { return last }
        return String(last.dropLast(type.count + 1))
    }

    /// Opens a file to read its header.
    ///
    /// Returns nil if the file cannot be opened or is too large; that is logged.
    private func open<Object>(_ path: String, _ make: (MediaHead.Read) -> Object) -> (Object, FileIdentity)? {
        do throws(OpenedFile.Failure) {
            let file = try OpenedFile(path: path)
            let identity = file.identity
            let limit = HostEnvironment.current.nibLimits.media
            guard identity.size <= UInt64(clamping: limit) else {
                log(.mediaTooLarge(path, limit))
                return nil
            }
            return (make { Self.read(file, at: $0, $1) }, identity)
        } catch {
            // A file that was removed after the search counts as missing.
            guard error != .missing else { return nil }
            log(
                PluginFinding(
                    .warning, .nibResourceMissing, filePath: path, message: "The file \(quoted(path)) \(error.reason).",
                    remedy: error.remedy(else: "Install the bundle again.")))
            return nil
        }
    }

    private static func read(_ file: borrowing OpenedFile, at offset: UInt64, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: min(count, Int(clamping: file.identity.size))) { buffer, initialized in
            initialized = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)) ?? 0
        }
    }

    private func log(_ finding: PluginFinding) {
        HostEnvironment.log(.warning, bundleIdentifier: Path.stem(bundlePath), "\(finding.message) \(finding.remedy)")
    }
}

/// The device and scale in a file's name: `seal~phone@2x.png`.
struct VariantMarks: Equatable {
    var device: String?
    var scale = 1

    init(path: String) {
        var stem = Path.stem(path)[...]
        let bytes = Array(stem.utf8.suffix(3))
        if bytes.count == 3, bytes[0] == UInt8(ascii: "@"), bytes[2] == UInt8(ascii: "x"),
            case let digit = Int(bytes[1]) - Int(UInt8(ascii: "0")),
            (1...VariantPreference.highestScale).contains(digit)
        {
            scale = digit
            stem = stem.dropLast(3)
        }
        if let tilde = stem.lastIndex(of: "~"), case let name = stem[stem.index(after: tilde)...], !name.isEmpty {
            device = String(name)
        }
    }
}
