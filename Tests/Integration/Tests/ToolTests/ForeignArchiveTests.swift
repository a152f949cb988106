import Fixtures
import Foundation
import Testing

/// `pluginhost install` of ZIP archives and of tar archives that gzip compressed: as safe as its own form.
@Suite struct ForeignArchiveTests {
    private func folder() throws -> URL { try PluginFolder().url }

    /// Installs an archive, expects the error, and that nothing is left.
    private func expectRefused(
        _ archive: String, code: String = "unsafeFile", _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let folder = try folder()
        let document = try PluginHostTool.document("install", "--in", folder.path, archive)
        let error = document.object["error"] as? [String: Any]
        #expect(error?["code"] as? String == code, comment ?? "\(document.text)", sourceLocation: sourceLocation)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left == [], comment, sourceLocation: sourceLocation)
    }

    private func expectRefused(
        code: String = "unsafeFile", sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout ZIPFixture) throws -> Void
    ) throws {
        var archive = ZIPFixture()
        try change(&archive)
        try expectRefused(archive.write(), code: code, sourceLocation: sourceLocation)
    }

    /// Installs an archive, and returns what is in the bundle.
    private func installed(_ archive: String) throws -> URL {
        let folder = try folder()
        let output = try PluginHostTool.run("install", "--in", folder.path, archive)
        #expect(output.status == 0, "\(output)")
        return folder.appending(path: "Salon.bundle")
    }

    @Test func aBundleIsTheSameFromEveryForm() throws {
        let source = try BundleSourceFixture(
            files: ["Resources/long.txt": String(repeating: "many words ", count: 50_000)], code: .c(PluginSource.good))
        try FileManager.default.createSymbolicLink(
            atPath: source.path + "/Resources/link", withDestinationPath: "long.txt")
        try #require(source.pack("--archive").status == 0)
        let own = try installed(source.output.appending(path: "Salon-1.0.tar.zst").path)
        let expected = try BundleSourceFixture.description(of: own)

        let tar = try Tool.find("tar")
        let parent = own.deletingLastPathComponent().path
        for format in ["gnu", "pax", "ustar"] {
            let archive = try folder().path + "/theirs.tar.gz"
            try Tool.run(tar, ["--format=\(format)", "-czf", archive, "-C", parent, "./Salon.bundle"])
            #expect(try BundleSourceFixture.description(of: installed(archive)) == expected)
        }

        var zip = ZIPFixture()
        zip.entries = []
        let names = try #require(FileManager.default.enumerator(atPath: own.path)).compactMap { $0 as? String }
        for name in names {
            let file = own.appending(path: name)
            let facts = try FileManager.default.attributesOfItem(atPath: file.path)
            switch facts[.type] as? FileAttributeType {
            case .typeDirectory: zip.add("Salon.bundle/\(name)/", mode: 0o040755)
            case .typeSymbolicLink:
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: file.path)
                zip.add("Salon.bundle/" + name, target, mode: 0o120777)
            default:
                let isExecutable = FileManager.default.isExecutableFile(atPath: file.path)
                try zip.addCompressed(
                    "Salon.bundle/" + name, Array(Data(contentsOf: file)), mode: isExecutable ? 0o100755 : 0o100644)
            }
        }
        // What macOS adds, and a comment at the end.
        zip.add("__MACOSX/Salon.bundle/._Contents", "attributes")
        #expect(try BundleSourceFixture.description(of: installed(zip.write())) == expected)
    }

    // MARK: What is refused

    @Test(
        .fault(829),
        arguments: [
            "Salon.bundle/../../evil", "Salon.bundle/Contents/../../evil", "/tmp/evil", "Salon.bundle//tmp/evil",
            "Salon.bundle/./x", "Salon.bundle/a\u{1B}[2Jb", "Salon.bundle/Contents/INFO.plist",
            "Salon.bundle/Contents/Info.plist",
        ]) func aNameThatLeadsOutOrIsThereTwiceIsRefused(_ name: String) throws
    {
        let code = name.hasPrefix("/") ? "archiveInvalid" : "unsafeFile"
        try expectRefused(code: code) { $0.add(name, "x") }
        // The directory says one name, and the file's own header another.
        try expectRefused(code: "archiveInvalid") {
            $0.entries.append(.init(name: "Salon.bundle/fine", otherName: name))
        }
    }

    @Test(.fault(829), arguments: ["Other.bundle/Contents/x", "evil"]) func whatIsBesideTheBundleIsRefused(
        _ name: String
    )
        throws
    {
        try expectRefused(code: "archiveInvalid") { $0.add(name, "x") }
    }

    @Test(.fault(829), arguments: ["/etc/passwd", "../../../..", "nothing", "loop"])
    func aLinkOutOfTheBundleIsRefused(_ target: String) throws {
        try expectRefused { $0.add("Salon.bundle/Contents/loop", target, mode: 0o120777) }
        // Nothing is written through a link.
        try expectRefused {
            $0.add("Salon.bundle/Contents/loop", target, mode: 0o120777)
            $0.add("Salon.bundle/Contents/loop/evil", "x")
        }
    }

    @Test(.fault(829), arguments: [0o104755, 0o102755, 0o020644, 0o060644, 0o010644, 0o140644, 0o160644])
    func whatIsNoPlainFileIsRefused(_ mode: UInt32) throws {
        try expectRefused { $0.add("Salon.bundle/Contents/bad", "", mode: mode) }
    }

    @Test(.fault(829)) func aSmallArchiveThatStandsForMuchIsRefused() throws {
        // Zeros shrink to a thousandth, which is more than an archive may stand for.
        try expectRefused(code: "tooLarge") { archive in
            try archive.addCompressed("Salon.bundle/zeros", [UInt8](repeating: 0, count: 64 << 20))
        }
        // Its header states less than it has, or more than a bundle may have.
        try expectRefused(code: "archiveInvalid") { archive in
            try archive.addCompressed("Salon.bundle/zeros", [UInt8](repeating: 0, count: 1 << 20))
            archive.entries[2].size = 1000
        }
        try expectRefused(code: "tooLarge") {
            $0.entries.append(.init(name: "Salon.bundle/big", size: 2 << 30))
        }
        // Many files that are the same bytes of the archive.
        try expectRefused { archive in
            archive.add("Salon.bundle/a", "x")
            for number in 0..<100 {
                archive.entries.append(
                    .init(name: "Salon.bundle/a\(number)", content: Array("x".utf8), shares: archive.entries.count - 1))
            }
            for index in archive.entries.indices.dropFirst(3) { archive.entries[index].shares = 2 }
            for index in archive.entries.indices.dropFirst(3) { archive.entries[index].name = "Salon.bundle/a" }
        }
        var zeros = HostileArchive()
        zeros.add("Salon.bundle/Contents/zeros", size: 64 << 20)
        let file = try ZIPFixture.write(
            Array(zeros.ended.dropLast(1024)) + [UInt8](repeating: 0, count: 64 << 20 + 1024), "tar")
        try Tool.run(try Tool.find("gzip"), ["-9", file])
        try expectRefused(file + ".gz", code: "tooLarge")
    }

    @Test(.fault(890)) func anExtendedHeaderThatProgramsReadInDifferentWaysIsRefused() throws {
        func record(_ key: String, _ value: String) -> String {
            let rest = " \(key)=\(value)\n"
            let length = rest.utf8.count + 2
            return "\(length)\(rest)"
        }
        let records: [(Character, String)] = [
            ("x", record("size", "99999999999999999999")), ("x", record("size", "1e3")), ("x", record("size", "-1")),
            ("g", record("size", "000000001")), ("g", record("path", "../evil")), ("g", record("linkpath", "../evil")),
        ]
        for (type, text) in records {
            var archive = HostileArchive()
            archive.add("header", text, type: type)
            archive.add("Salon.bundle/file", "x")
            try expectRefused(archive.write(), code: "archiveInvalid", "\(text)")
        }
        // A comment for all files is harmless.
        var archive = HostileArchive()
        archive.add("header", record("comment", "0123456789"), type: "g")
        archive.add("Salon.bundle/file", "x")
        let output = try PluginHostTool.run("install", "--in", folder().path, archive.write())
        #expect(output.status == 0, "\(output)")
    }

    @Test(.fault(829)) func whatCannotBeReadIsNamed() throws {
        for (name, change) in Self.unreadable {
            var archive = ZIPFixture()
            archive.add("Salon.bundle/x", "content")
            change(&archive)
            try expectRefused(archive.write(), code: "archiveInvalid", "\(name)")
        }
    }

    private static let unreadable: [(String, @Sendable (inout ZIPFixture) -> Void)] = [
        ("encrypted", { $0.entries[2].flags = 1 }), ("another method", { $0.entries[2].method = 12 }),
        ("wrong checksum", { $0.entries[2].checksum = 1 }), ("too short", { $0.entries[2].size = 8 }),
        ("too long", { $0.entries[2].size = 3 }), ("no deflated data", { $0.entries[2].method = 8 }),
        ("more counted", { $0.count = 4 }), ("fewer counted", { $0.count = 2 }), ("none counted", { $0.count = 0 }),
        ("ZIP64", { $0.count = 0xFFFF }), ("something before", { $0.before = Array("#!/bin/sh\n".utf8) }),
        ("something after", { $0.after = [0] }), ("a directory with a content", { $0.entries[2].name += "/" }),
        ("empty", { $0.entries = [] }),
    ]

    @Test(
        arguments: [
            ("an xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0], "compressed by xz"),
            ("a 7z", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0], "a 7-Zip archive"),
            ("a tar", HostileArchive().ended, "a tar archive that is not compressed"),
            ("a page", Array("<!DOCTYPE html>\n<p>404".utf8), "a page of HTML, such as the error of a server"),
            ("a text", Array("Not found\n".utf8), "a text file"), ("nothing", [], "empty"),
            ("a program", [0x7F, 0x45, 0x4C, 0x46, 2, 1], "no archive of a known form"),
        ] as [(String, [UInt8], String)]) func anotherFormIsNamed(_ name: String, _ bytes: [UInt8], _ what: String)
        throws
    {
        let output = try PluginHostTool.run("install", "--in", folder().path, ZIPFixture.write(bytes, "bin"))
        #expect(PluginHostTool.words(output.standardOutput).contains("is \(what), which is not read."), "\(output)")
        #expect(output.standardOutput.contains(".tar.gz"))
    }

    /// Each archive is cut off everywhere, and each of its bytes is changed.
    @Test(.fault(829)) func noDamageEndsTheToolOrLeavesFilesOutside() throws {
        var zip = ZIPFixture()
        try zip.addCompressed("Salon.bundle/Contents/text", Array("text text text text".utf8))
        zip.add("Salon.bundle/Contents/link", "text", mode: 0o120777)
        let tar = try ZIPFixture.write(HostileArchive().ended, "tar")
        try Tool.run(try Tool.find("gzip"), ["-9", tar])
        for (sound, step) in [(zip.bytes, 11), (Array(try Data(contentsOf: URL(filePath: tar + ".gz"))), 5)] {
            for place in stride(from: 1, to: sound.count, by: step) {
                try expectRefused(
                    ZIPFixture.write(Array(sound.prefix(place))), code: "archiveInvalid", "cut at \(place)")
                var changed = sound
                changed[place] ^= 0x41
                let folder = try folder()
                let output = try PluginHostTool.run("install", "--in", folder.path, ZIPFixture.write(changed))
                #expect((0...2).contains(output.status), "byte \(place): \(output)")
                let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(output.status == 0 || left == [], "byte \(place): \(left)")
            }
        }
    }
}
