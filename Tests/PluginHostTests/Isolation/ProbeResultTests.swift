import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import HostRecords
@_spi(Tools) @testable import PluginHost

/// What is kept of a probe, without one.
@Suite struct ProbeResultTests {
    private let tree: CatalogTree
    private let bundle: PluginBundle

    init() throws {
        tree = try CatalogTree(["a/One.bundle": CatalogTree.list("one")])
        try tree.tree.write("a/One.bundle/Contents/Linux/One", "the code")
        bundle = try PluginBundle.open(path: tree("a/One.bundle"))
    }

    private var paths: [String] { get throws { try bundle.codePaths() + [bundle.manifestPath] } }

    private func result(_ findings: [PluginFinding] = []) throws -> ProbeResult {
        ProbeResult(of: bundle, files: try paths.compactMap(CodeFile.init(path:)), findings: findings)
    }

    private let failure = PluginFinding(
        .workerEnded, filePath: "/x", subject: "one", message: "It <ended> & “broke”.", remedy: "Mend it.",
        systemMessage: "a\u{1}b")

    @Test func aResultIsReadAsItWasWritten() throws {
        for findings in [[], [failure]] {
            let result = try result(findings)
            let read = try #require(ProbeResult(list: try PropertyListReader.read(try result.bytes()).value))
            #expect(read.files == result.files && read.files.count == 2 && read.bundlePath == bundle.bundlePath)
            #expect(read.findings.map(\.message) == findings.map(\.message))
            #expect(read.findings.map(\.code) == findings.map(\.code))
            #expect(try read.renewed(for: bundle, paths) == read)
        }
    }

    @Test func everyChangedCharacterIsNoticed() throws {
        let bytes = try result([failure]).bytes()
        var accepted: [Int] = []
        for offset in bytes.indices {
            var damaged = bytes
            damaged[offset] = damaged[offset] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
            guard let list = try? PropertyListReader.read(damaged).value else { continue }
            if ProbeResult(list: list) != nil { accepted.append(offset) }
        }
        // What is not part of the list: the document type and the blanks between the elements.
        let head = try #require(String(decoding: bytes, as: UTF8.self).range(of: "<dict>"))
        let start = String(decoding: bytes, as: UTF8.self).utf8.distance(
            from: String(decoding: bytes, as: UTF8.self).startIndex, to: head.lowerBound)
        #expect(accepted.allSatisfy { $0 < start }, "\(accepted)")
    }

    @Test func aResultOfOtherFilesDoesNotCount() throws {
        let result = try result()
        let executable = tree("a/One.bundle/Contents/Linux/One")
        // A copy of the same content counts, with its new identity.
        try tree.tree.write("copy", "the code")
        try #require(rename(tree("copy"), executable) == 0)
        let copied = try #require(try result.renewed(for: bundle, paths))
        #expect(copied != result && copied.files.map(\.digest) == result.files.map(\.digest))
        #expect(try copied.renewed(for: bundle, paths) == copied)
        // One more file, or one less, is another set of files.
        #expect(try result.renewed(for: bundle, paths + [tree("a")]) == nil)
        #expect(try result.renewed(for: bundle, paths.dropLast()) == nil)
        try tree.tree.write("other", "the c0de")
        try #require(rename(tree("other"), executable) == 0)
        #expect(try result.renewed(for: bundle, paths) == nil && copied.renewed(for: bundle, paths) == nil)
    }

    @Test func aResultCountsForAPrivateCopyAndTheReverse() throws {
        try tree.write("copies/One.bundle", CatalogTree.list("one"))
        try tree.tree.write("copies/One.bundle/Contents/Linux/One", "the code")
        let copy = try BundleOpening.bundle(path: tree("copies/One.bundle"), copyOf: bundle.bundlePath)
        let paths = try copy.codePaths() + [copy.manifestPath]
        #expect(try paths != self.paths)
        let ofCopy = ProbeResult(of: copy, files: paths.compactMap(CodeFile.init(path:)), findings: [])
        #expect(try ofCopy.files.map(\.path) == self.paths && ofCopy.bundlePath == bundle.bundlePath)
        #expect(try result().renewed(for: copy, paths) == ofCopy)
        #expect(try ofCopy.renewed(for: bundle, self.paths) == result())
        try tree.tree.write("copies/One.bundle/Contents/Linux/One", "the c0de")
        #expect(try result().renewed(for: copy, paths) == nil)
    }

    @Test func aChangedInfoListDoesNotCount() throws {
        let result = try result()
        try tree.write("a/One.bundle", CatalogTree.list("one", "1.0", "PHLimits = { memory = 64; };"))
        #expect(try result.renewed(for: bundle, paths) == nil)
    }
}
