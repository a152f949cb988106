internal import BundleReading
@_spi(Tools) internal import PluginHost

/// The languages that exist.
///
/// Source: the languages of two and three letters (ISO 639) in the IANA Language Subtag Registry of 2021-08-06,
/// including obsolete ones.
enum KnownLanguages {
    /// Whether a localisation's name begins with a language's code or English name.
    static func contains(_ tag: LanguageTag) -> Bool {
        isForTranslators(tag) || isRegistered(tag.canonical.language)
    }

    /// Whether it is one of the codes for private use, `qaa` to `qtz`: `qqq` is the directory of notes to translators.
    static func isForTranslators(_ tag: LanguageTag) -> Bool {
        tag.language.utf8.count == 3 && ("qaa"..."qtz").contains(tag.language)
    }

    private static func isRegistered(_ code: String) -> Bool {
        let table: StaticString
        switch code.utf8.count {
        case 2: table = ofTwoLetters
        case 3: table = ofThreeLetters
        default: return false
        }
        // A canonical tag has only small letters.
        let number = code.utf8.reduce(0) { $0 * 26 + Int($1) - Int(UInt8(ascii: "a")) }
        return table.withUTF8Buffer { digits in
            let digit = Character(Unicode.Scalar(digits[number / 4])).hexDigitValue ?? 0
            return digit & 8 >> (number % 4) != 0
        }
    }

    // One bit for each code in alphabetical order, beginning with aa, as hexadecimal digits.
    private static let ofTwoLetters: StaticString = """
        cc2c64e2e398089026ca200011081638213090290140c22209639aa63a202001882fe6eb0a187003b670b685912204860202\
        40c00000080003828bbbefe22ed9ca022040422080080020000400000082002040020
        """
    private static let ofThreeLetters: StaticString = """
        ffbfbf7ff7fffddbdfff7f5feff83ceaf6e9ce1fffffff0efdc0fffff3a0a14697ffbffeffffffeeffffffffffffffc797ff\
        ffffb23d505e7dffffff7fffeffffffffffbd42f8f0fbae7f928e004fbb7f9fc93841ffd77fffffffffffffefffffffffebf\
        ffffffeffeffffffffffffe7fdfffffffff7fffffffffdfffffffffbffffcfffdff6ffffff7fffffdfffffefffffbfffffff\
        fefbffffff7ffffffbfffffbdfffff7fffffffffffeffefdbfabb5fe02ff3983c23410a482000a220001ddff4ff92d42a26b\
        d92c11efdee7e86aaabe7038ecdecff7f9ffba1ca61000083dfffdfffffffeec7ce3e3fbff8081000da00100000000c00200\
        0049840bffbeff7b7f7a20004026b19883fbde44000000fbb67b64a79bcf7fffbff3f928823061008b000fe3e6fa6b997aed\
        b7f7c0004000000003ee5bea499680346bde2ffffefe00000080306ac000000d28e08a685000800000088892000006080000\
        00080000222000080120180000a00001142000000aabb40826ac24caafabfd47b3c000010002000000000020e89c80bbea99\
        8419e5000080024100000020000000408002002200000d7fd59c0040000000200000000000040002200000004000000008c1\
        15a0000000002004206510200010810a0000108c6102000000000200c0afc008102000000007dccdc8000100880000000000\
        00000000000000fffffffffffbf3c14503fffbe4f7f8a7c008044da365a2a4d9c0fb9ffbc02b1209807081c7c92adb1ccffe\
        ffb69fffffbe2010008084483cfabff0a1f222020020ffbfff6b17d82fecc5b0000004de9e40e021000ffffe7f0018208100\
        00000108293880000000000008020020102d7fa5300200008924203600060fffdffe6f18a0f9fb76c0008800000002a0ad6d\
        41142000208a47ffbffca09010a002000000000800003000000000854036e71228110403e201e0000000330a0224a1e22102\
        04080004400a1188008b37770aecb88896609ad7cc100004a002080000000a2269926bbae581e2e9df0008001000010002a2\
        008040008002010060101fd7ef9c23b96800003020800404bb45800000004822000020080fb9a9c8200100800b680200080f\
        0946324b4080520062200010400004030001600010000000000f1bf7a840100000800000000008800008000000ffebc7bfff\
        fffffffffeffff7ffffffffffffffffffffbffdfffffdbbfffffff7fffffffffffffffffffffbffffbff3bffffffffffffff\
        ff7fdfffffffffffffff7fffbffffffffffffffff7ffffffffffffffffffffdebfbbfbff3d19a034ffe00ffffffe001000c3\
        bcd860674e0fff3efe22440cf9de78bfffea4ffffcff4f78a9efffffe2018040000002aaf951db9f7488e18a0bcfffee0280\
        a08b1a3a00020008204000045001deedbf7f7ffffffffffffff7fffffffeffffffffffffffffffefffffdbfefffffeffffff\
        f7ffbdffffdffffffffbfebfffefffffefffffffdffff7fffffffffffefbeffdf7efffffffffffffffff7ffffffeffffffff\
        ff3fffbffefffff97dff7ffffeeffe404120ffffffffebf7ffffefff4779e7ffefff6abfb3fffffffffff7ffbfffbef0e58a\
        6023e90bbaf565ffbfffc6badafffffffc042800ea8a41a6afb247fffffb42a0a3a00044002e960810a08200806000000000\
        008a06a020800000608004001880498fbfe6d660a960eab7dfb2b9dec120460200a8420000002ac19ffa08719362fbefc88c\
        00040000000900000000005008008002000ffbbffdbe7df3fffd422821860dffba5e20400092b428e4efb78ffdf7fc000040\
        e307783fddffbfdfefbfefffff3fafb7e22ffe08808023feffefbb9ffaa061f7afeebdbc000000c28e420002000080c29800\
        1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
        0000000000000000000000000000000000f7bde7ea77c8ba908302845fe88001000000000f7ffffd00c4000400001000000c\
        adc70800000088246800804008c1c5800a0080c188120000000ffbfffe485508fe1b4a000104000000000208404098000842\
        0886fa398c000000803a4004000080004280040000fdfbfffffffffcfb7bf3bdfff5fffffed202088fbff7bfefffffdffbff\
        f68fde8ffefffeff77eff7fdffdbfffbffbf7efdeafff6816ef93befbfffffffdf7ffffaeafaf7fa0a18467ffff9a8f9a8f0\
        be63be8549afef7effffffffffbfbbffffbf6ffafffc021940ffc7ffcf6f7ffbfffbfe0b7ca8de3dff7dffffefffffeffeff\
        ff7fdbefebbff7f401fda3fffffffff9ffffffffbffdfbfe60f8eeff1fdbbaf3be689d57de057804000c4020241220000002\
        2b60200000200020000c80600a001000000024002000083b1aebb2f028f28f6822ab52500200000200100000003bffd7f81a\
        1282240520000c480244000800000000000080000000010808fdf6c90080000000000000000301b400000000000050000000\
        0361434000000080ff184000480fff9efc00a400000050000000000000020008c00090040000800000c10000000080000000\
        000000000000000000fffffff37e7d88080000498022b38f7a0080000c2820aa0880206ffc5ea020000d0104aaaee9befb8e\
        331eabc2afeae62880000000000034efdbf82a06c016a008d11c5d8000000c002422000008c088408000000fafffebeb3d0e\
        6b1e5ea80a8025219782000000d69c4a2e00170c095649000040fff7fffea1ca2ff7ffff4fbbe332af423ffffff80001036a\
        3368f9dfecbef7ffbd25f580221880ba7252100a140c070108042400fffffff67f8060115002688080a8d47c800000080996\
        a240408087fdfdc00000082be58b2a7922fbbff166cdaa042bc31b0cbc01000000322f88a321f60a00440afefddbe0000408\
        214da20860220000484088000fffbffea0406881000000100008304000000000c10c40142100cc03c424000000d3275c6213\
        288ffffffe688080210ae03ffffff0800002081c8080384802876e6810c00800000080000000000004245002010000
        """
}
