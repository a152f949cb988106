@_spi(PluginHost) internal import PluginABI

/// The information in the first bytes of an image or sound file: the format and, for some formats, the size.
///
/// **Cost.** One read; for a JPEG file, one more for each segment up to the frame's.
struct MediaHead {
    /// Reads up to `count` bytes at an offset; fewer at the end of the file.
    typealias Read = (_ offset: UInt64, _ count: Int) -> [UInt8]

    private let first: [UInt8]

    init(_ read: Read) { first = read(0, 512) }

    var imageFormat: NamedImage.Format {
        if starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if starts([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if starts("GIF87a") || starts("GIF89a") { return .gif }
        if starts("RIFF"), starts("WEBP", at: 8) { return .webp }
        if starts([0x49, 0x49, 0x2A, 0]) || starts([0x4D, 0x4D, 0, 0x2A]) { return .tiff }
        if starts("BM") { return .bmp }
        let text = String(decoding: first, as: UTF8.self)
        return text.contains("<svg") ? .svg : .other
    }

    var soundFormat: NamedSound.Format {
        if starts("RIFF"), starts("WAVE", at: 8) { return .wav }
        if starts("OggS") { return .ogg }
        if starts("fLaC") { return .flac }
        if starts("FORM"), starts("AIFF", at: 8) || starts("AIFC", at: 8) { return .aiff }
        if starts(".snd") { return .au }
        if starts("ID3") || (first.count > 1 && first[0] == 0xFF && first[1] & 0xE0 == 0xE0) { return .mp3 }
        return .other
    }

    /// The size in pixels; nil if the header does not contain it.
    func pixelSize(_ read: Read) -> NibSize? {
        let size: (Int, Int)? =
            switch imageFormat {
            case .png: starts("IHDR", at: 12) ? pair(big(4, at: 16), big(4, at: 20)) : nil
            case .gif: pair(little(2, at: 6), little(2, at: 8))
            case .bmp:
                little(4, at: 14) == 12
                    ? pair(little(2, at: 18), little(2, at: 20))
                    : pair(little(4, at: 18), little(4, at: 22).map { abs(Int(Int32(truncatingIfNeeded: $0))) })
            case .webp: webp
            case .jpeg: jpeg(read)
            case .svg, .tiff, .other: nil
            }
        guard let (width, height) = size, width > 0, height > 0 else { return nil }
        return NibSize(width: Double(width), height: Double(height))
    }

    private var webp: (Int, Int)? {
        if starts("VP8X", at: 12) { return pair(little(3, at: 24).map { $0 + 1 }, little(3, at: 27).map { $0 + 1 }) }
        if starts("VP8L", at: 12), starts([0x2F], at: 20) {
            return little(4, at: 21).map { (($0 & 0x3FFF) + 1, ($0 >> 14 & 0x3FFF) + 1) }
        }
        guard starts("VP8 ", at: 12), starts([0x9D, 0x01, 0x2A], at: 23) else { return nil }
        return pair(little(2, at: 26).map { $0 & 0x3FFF }, little(2, at: 28).map { $0 & 0x3FFF })
    }

    /// A file with more segments before its frame is not read further.
    private static let mostSegments = 256

    private func jpeg(_ read: Read) -> (Int, Int)? {
        var offset: UInt64 = 2
        for _ in 0..<Self.mostSegments {
            let segment = read(offset, 9)
            guard segment.count == 9, segment[0] == 0xFF else { return nil }
            let marker = segment[1]
            if marker == 0xFF {
                offset += 1
                continue
            }
            if (0xC0...0xCF).contains(marker), marker != 0xC4, marker != 0xC8, marker != 0xCC {
                return (Int(segment[7]) << 8 | Int(segment[8]), Int(segment[5]) << 8 | Int(segment[6]))
            }
            let length = UInt64(segment[2]) << 8 | UInt64(segment[3])
            guard length >= 2 else { return nil }
            offset += 2 + length
        }
        return nil
    }

    private func starts(_ text: StaticString, at offset: Int = 0) -> Bool {
        text.withUTF8Buffer { starts(Array($0), at: offset) }
    }

    private func starts(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
        first.count >= offset + bytes.count && first[offset..<offset + bytes.count].elementsEqual(bytes)
    }

    private func big(_ count: Int, at offset: Int) -> Int? {
        guard first.count >= offset + count else { return nil }
        return first[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func little(_ count: Int, at offset: Int) -> Int? {
        guard first.count >= offset + count else { return nil }
        return first[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func pair(_ width: Int?, _ height: Int?) -> (Int, Int)? {
        guard let width, let height else { return nil }
        return (width, height)
    }
}
