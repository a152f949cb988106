import Glibc
import HostBasics
import NibReading
@_spi(PluginHost) import PluginABI
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

/// Files that are not nibs.
///
/// Numbers in titles are those of the project's list of faults.
@Suite struct NibDocumentFaults {
    private func refusal(named name: String = "Bad", in world: NibWorld) -> PluginError? {
        do {
            _ = try world.bundle.nib(named: name)
            return nil
        } catch {
            return error as? PluginError
        }
    }

    @Test("a nib that is missing, with the places that were looked in", .fault(200))
    func missingNibIsNamed() throws {
        let world = try NibWorld(["de.lproj/Other.xib": NibWorld.document("")])
        for name in ["Bad", "Bad.xib", "../Info", "/etc/passwd", "", ".xib"] {
            let error = try #require(refusal(named: name, in: world))
            #expect(error.code == .nibMissing && error.subject == name)
            #expect(error.description.contains(world.tree("Nibs.bundle/Contents/Resources")))
        }
    }

    @Test("a directory, a FIFO, a dangling link", .fault(201))
    func whatIsNoFileIsRefused() throws {
        let world = try NibWorld(["Bad.nib/keyedobjects.nib": "bplist00", "Old.gorm/objects.gorm": ""])
        let directory = try #require(refusal(in: world))
        #expect(directory.code == .nibUnsupported && directory.filePath?.hasSuffix("Bad.nib") ?? false)
        let resources = world.tree("Nibs.bundle/Contents/Resources/")
        #expect(mkfifo(resources + "Fifo.xib", 0o600) == 0)
        try world.tree.link("Nibs.bundle/Contents/Resources/Dangling.xib", to: "nowhere")
        // Neither is a resource, so no look-up opens them.
        for name in ["Fifo", "Dangling"] { #expect(refusal(named: name, in: world)?.code == .nibMissing) }
        for name in ["Fifo.xib", "Dangling.xib"] {
            let error = #expect(throws: PluginError.self) {
                try Nib(contentsOf: resources + name, bundle: world.bundle)
            }
            #expect(error?.code == (name == "Fifo.xib" ? .nibUnreadable : .nibMissing))
        }
        // No look-up finds a Gorm file; one that code names is refused as such.
        #expect(refusal(named: "Old", in: world)?.code == .nibMissing)
        let gorm = #expect(throws: PluginError.self) {
            try Nib(contentsOf: resources + "Old.gorm", bundle: world.bundle)
        }
        #expect(gorm?.code == .nibUnsupported && gorm?.findings[0].message.contains("Gorm") ?? false)
    }

    @Test("an empty file, blanks, NULs", .fault(202), arguments: ["", "  \n", "\0\0\0"])
    func emptyFileIsRefused(text: String) throws {
        let world = try NibWorld(["Bad.xib": text])
        #expect(refusal(in: world)?.code == .nibUnreadable)
    }

    @Test("more than 4 MiB, and a sparse file of 20 GB", .fault(203))
    func largeFileIsRefused() throws {
        let world = try NibWorld(["Bad.xib": ""])
        let path = world.tree("Nibs.bundle/Contents/Resources/Bad.xib")
        for size in [(4 << 20) + 1, 20_000_000_000] {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            #expect(ftruncate(descriptor, size) == 0)
            close(descriptor)
            let error = try #require(refusal(in: world))
            #expect(error.code == .nibUnreadable && error.description.contains("4194304"), "\(error)")
            // Another file, so that the change shows at once.
            unlink(path)
        }
    }

    @Test("a file that becomes longer while it is read has one byte too many, or is cut like any other", .fault(204))
    func growingFileIsRead() throws {
        let world = try NibWorld(["Bad.xib": NibWorld.document("<view id=\"a\"/>")])
        let path = world.tree("Nibs.bundle/Contents/Resources/Bad.xib")
        let isWhole = Atomic(false)
        let outcomes = Lock<[String: Int]>([:])
        onThreads(2) { number in
            if number == 0 {
                // Comments, which the end of the document may have, in pieces that end anywhere.
                let comment = Array("<!-- \(String(repeating: "x", count: 990)) -->".utf8)
                let descriptor = open(path, O_WRONLY | O_APPEND)
                var sent = 0
                while sent < 3_000 * comment.count {
                    let piece = (sent..<sent + 777).map { comment[$0 % comment.count] }
                    sent += max(0, write(descriptor, piece, piece.count))
                }
                close(descriptor)
                isWhole.store(true, ordering: .releasing)
            } else {
                while !isWhole.load(ordering: .acquiring) {
                    var outcome = "read"
                    do {
                        let nib = try Nib(contentsOf: path, bundle: world.bundle)
                        #expect(nib.name == "Bad")
                    } catch {
                        outcome = "\((error as? PluginError)?.code.rawValue ?? "\(error)")"
                    }
                    outcomes.withLock { $0[outcome, default: 0] += 1 }
                }
            }
        }
        let found = outcomes.withLock { $0 }
        #expect(Set(found.keys).isSubset(of: ["read", "nibUnreadable"]) && !found.isEmpty, "\(found)")
        // What the reader gets is checked as a whole: one byte more is no XML any more.
        let text = NibWorld.document("<view id=\"a\"/>")
        #expect(throws: PluginError.self) { try world.file(text + "<") }
        #expect(throws: PluginError.self) { try world.file(String(text.dropLast(30))) }
    }

    @Test("no truncation is read; no flipped byte ends the process", .fault(205, 206))
    func damagedDocumentsAreErrors() throws {
        // Faults 205 and 206
        let world = try NibWorld()
        let text = Array(
            NibWorld.document(
                "<view id=\"a\" title=\"x\"><connections><outlet property=\"next\" destination=\"a\" id=\"c\"/></connections></view>"
            ).utf8)
        for length in 0..<(text.count - 1) {
            #expect(throws: PluginError.self) { try world.file(bytes: Array(text[..<length])) }
        }
        for index in text.indices {
            var changed = text
            changed[index] ^= UInt8(1 + index % 255)
            do {
                _ = try Nib(services: try world.file(bytes: changed)).instantiate()
            } catch {
                #expect(error is PluginError)
            }
        }
    }

    @Test("other encodings, document types, CDATA", .fault(207, 208))
    func whatTheFormatDoesNotHaveIsRefused() throws {
        // Faults 207 and 208
        let world = try NibWorld()
        let text = NibWorld.document("")
        for changed in [
            text.replacing("UTF-8", with: "ISO-8859-1"), text.replacing("<document", with: "<!DOCTYPE a><document"),
            text.replacing("<objects>", with: "<objects><![CDATA[ ]]>"),
            text.replacing("version=\"3.0\"", with: "version=\"&x;\""),
        ] {
            #expect(throws: PluginError.self) { try world.file(changed) }
        }
    }

    @Test("elements 129 deep", .fault(209))
    func depthIsLimited() throws {
        let world = try NibWorld()
        // The root and objects are two.
        func nested(_ depth: Int) -> String {
            NibWorld.document(String(repeating: "<a>", count: depth - 2) + String(repeating: "</a>", count: depth - 2))
        }
        _ = try world.file(nested(128))
        let error = #expect(throws: PluginError.self) { try world.file(nested(129)) }
        #expect(error?.code == .nibUnreadable && error?.findings[0].place != nil)
        #expect(throws: PluginError.self) { try world.file(nested(1_000_000 / 8)) }
    }

    @Test("100,001 elements; 4,097 objects", .fault(210))
    func elementsAndObjectsAreLimited() throws {
        let world = try NibWorld()
        #expect(throws: PluginError.self) {
            try world.file(NibWorld.document(String(repeating: "<a/>", count: 100_000)))
        }
        let objects = { (count: Int) in (0..<count).map { "<view id=\"\($0)\"/>" }.joined(separator: "\n") }
        #expect(try world.nib(objects(4_096)).instantiate().objects.count == 4_096)
        let error = try world.error(objects(4_097))
        #expect(error.code == .nibUnreadable && error.findings[0].place?.line == NibWorld.firstLine + 4_096)
    }

    @Test("an attribute twice in an element", .fault(211))
    func attributeTwiceIsRefused() throws {
        let error = #expect(throws: PluginError.self) { try NibWorld().nib("<view id=\"a\" tag=\"1\" tag=\"2\"/>") }
        #expect(
            error?.code == .nibUnreadable && error?.findings[0].place == .init(line: NibWorld.firstLine, column: 22))
    }

    @Test("two objects of one id, with the line of the other", .fault(212))
    func equalIdsAreFound() throws {
        let error = try NibWorld().error("<view id=\"a\"/>\n<view id=\"a\"/>")
        #expect(error.summary == "nibReferenceInvalid 6:7" && error.findings[0].message.contains("line 5"))
    }

    @Test("a destination without id, and one that does not exist", .fault(213, 214))
    func danglingDestinationsAreFound() throws {
        // Faults 213 and 214
        let world = try NibWorld()
        let error = try world.error(
            """
            <view id="abc"><connections>
            <outlet property="next" destination="abd" id="c"/>
            <action selector="x" target="gone" id="d"/>
            <outlet property="delegate" id="e"/>
            <outlet destination="abc" id="f"/>
            <action target="abc" id="g"/>
            </connections></view>
            """)
        #expect(
            error.findings.map(\.message) == [
                "The connection leads to “abd”, and no object has this id.",
                "The connection leads to “gone”, and no object has this id.",
                "The connection has no destination.", "The connection has no property.", "The action has no selector.",
            ])
        #expect(error.findings.map { $0.place?.line } == [6, 7, 8, 9, 10])
        #expect(error.findings.allSatisfy { $0.code == .nibReferenceInvalid })
        #expect(error.summary == "nibReferenceInvalid 6:25" && error.findings[0].remedy.contains("“abc”"))
        let lost = try world.error("<column><view id=\"a\"/></column>")
        #expect(lost.summary == "nibReferenceInvalid 5:1" && lost.findings[0].message.contains("“a”"))
        #expect(
            try world.error(
                "<view id=\"p\"><box key=\"contentView\"><subviews><view id=\"a\"/></subviews></box></view>"
            ).code == .nibReferenceInvalid)
    }

    @Test(
        "every other format is named, with the way out", .fault(215),
        arguments: [
            (
                "<archive type=\"com.apple.InterfaceBuilder3.Cocoa.XIB\" version=\"8.00\"><data/></archive>",
                "Interface Builder 3", "ibtool"
            ),
            (
                "<document type=\"com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB\" version=\"3.0\"/>",
                "storyboard", "scene"
            ),
            ("bplist00\u{1}", "keyed archive", "Ship"), ("NIBArchive\u{1}", "NIBArchive", "Ship"),
            ("<plist version=\"1.0\"><dict/></plist>", "property list", "XIB"),
            (
                "<plist><dict><key>$archiver</key><string>NSKeyedArchiver</string></dict></plist>", "keyed archive",
                "Ship"
            ),
            (
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- a --><!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                    + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist><dict><key>$archiver</key></dict></plist>",
                "keyed archive in XML", "Ship"
            ),
            ("<!DOCTYPE plist SYSTEM \"x\"><plist><dict/></plist>", "property list", "XIB"),
            ("<interface><object class=\"GtkWindow\"/></interface>", "<interface>", "XIB"),
            (
                "<document type=\"com.apple.InterfaceBuilder3.Cocoa.XIB\" version=\"4.0\"><objects/></document>",
                "“4.0”", "Xcode"
            ),
            ("<document type=\"other\" version=\"3.0\"><objects/></document>", "“other”", "XIB"),
            ("\u{4}\u{b}streamtyped\u{1}", "typed stream", "Ship"),
            ("\u{4}\u{b}typedstream\u{1}", "typed stream", "Ship"), ("GNUstep archive\u{1}", "archive", "Ship"),
        ])
    func otherFormatsAreNamed(text: String, name: String, wayOut: String) throws {
        let error = try #require(#expect(throws: PluginError.self) { try NibWorld().file(text) })
        #expect(error.code == .nibUnsupported)
        #expect(error.findings[0].message.contains(name), "\(error)")
        #expect(error.findings[0].remedy.contains(wayOut), "\(error)")
    }

    @Test("no or two objects, and a document of version 3.1")
    func exactlyOneGraphIsRead() throws {
        let world = try NibWorld()
        let head = "<document type=\"com.apple.InterfaceBuilder3.Cocoa.XIB\" version=\"3.1\">"
        #expect(try Nib(services: world.file(head + "<objects/></document>")).instantiate().objects.isEmpty)
        let other = "<document type=\"com.apple.InterfaceBuilder.AppleTV.XIB\" version=\"3.0\">"
        #expect(try Nib(services: world.file(other + "<objects/></document>")).instantiate().objects.isEmpty)
        #expect(throws: PluginError.self) { try world.file(head + "</document>") }
        #expect(throws: PluginError.self) { try world.file(head + "<objects/><objects/></document>") }
    }

    /// Each limit is kept at exactly what the document has, and refuses it at one less.
    @Test func theApplicationChangesEveryLimit() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var logged: [String] = []
            HostEnvironment.current.log = { logged.append($0.message) }
            let world = try NibWorld(["seal.png": "four", "other.png": "four"])
            let text = NibWorld.document(
                """
                <view id="a"><connections><outlet property="next" destination="b" id="c"/></connections></view>
                <view id="b"/>
                """, "<resources><image name=\"seal\"/></resources>")
            func code(_ change: (inout NibLimits) -> Void) throws -> PluginError.Code? {
                HostEnvironment.current.nibLimits = NibLimits()
                change(&HostEnvironment.current.nibLimits)
                do {
                    let made = try Nib(services: world.file(text)).instantiate()
                    #expect(made.objects.count == 2)
                    return nil
                } catch {
                    let error = try #require(error as? PluginError)
                    // What refers to an object that was not read is not wrong.
                    #expect(error.findings.count == 1, "\(error)")
                    return error.code
                }
            }
            /// The limits that the document reaches.
            let reached: [(WritableKeyPath<NibLimits, Int>, Int)] = [
                (\.size, text.utf8.count), (\.depth, 5), (\.elements, 10), (\.objects, 2), (\.connections, 1),
                (\.text, "com.apple.InterfaceBuilder3.Cocoa.XIB".utf8.count), (\.resources, 1),
            ]
            for (limit, count) in reached {
                #expect(try code { $0[keyPath: limit] = count } == nil, "\(limit)")
                #expect(try code { $0[keyPath: limit] = count - 1 } == .nibUnreadable, "\(limit)")
            }
            // Images and sounds.
            HostEnvironment.current.nibLimits.media = 3
            #expect(world.bundle.image(named: "other") == nil)
            #expect(logged.contains { $0.contains("larger than 3 bytes") }, "\(logged)")
            HostEnvironment.current.nibLimits.media = 4
            let seal = try #require(world.bundle.image(named: "seal"))
            HostEnvironment.current.nibLimits.media = 3
            let error = #expect(throws: PluginError.self) { try seal.bytes() }
            #expect(error?.code == .nibResourceMissing)
            HostEnvironment.current.nibLimits.media = 4
            #expect(try seal.bytes() == Array("four".utf8))
        }
    }

    /// Seed 79: `.nib` before `.xib` in one place, the variant of the platform and device in that place.
    @Test func theFileIsFoundByTheOrderOfResources() async {
        await #expect(processExitsWith: .success) {
            let text = { (title: String) in NibWorld.document("<view id=\"a\" title=\"\(title)\"/>") }
            let world = try NibWorld([
                "Both.nib": text("nib"), "Both.xib": text("xib"), "Main.xib": text("plain"),
                "Main-linux.xib": text("linux"), "de.lproj/Placed.nib": text("de nib"),
                "de.lproj/Placed.xib": text("de xib"), "de.lproj/Places.xib": text("de xib"),
                "Base.lproj/Placed.nib": text("Base nib"), "Base.lproj/Placed.xib": text("Base xib"),
                "Base.lproj/Places.nib": text("Base nib"),
                "Device.xib": text("plain"), "Device~terminal.xib": text("terminal"),
                "Device~terminal@2x.xib": text("two"),
            ])
            func title(_ name: String) throws -> String? {
                try world.named(name).instantiate().object("a", as: Block.self)?.title
            }
            #expect(try title("Both") == "nib" && title("Both.xib") == "xib")
            // In each place: a .xib of the first place goes before a .nib of the next.
            HostEnvironment.current.preferredLanguages = ["de"]
            #expect(try title("Placed") == "de nib" && title("Places") == "de xib")
            HostEnvironment.current.preferredLanguages = ["fr"]
            #expect(try title("Placed") == "Base nib" && title("Places") == "Base nib")
            #expect(try title("Main") == "linux")
            // Seeds 6 and 7: the device's file, and without one the plain file.
            #expect(try title("Device") == "plain")
            HostEnvironment.current.device = "terminal"
            #expect(try title("Device") == "terminal" && title("Both") == "nib")
            HostEnvironment.current.scale = 2
            #expect(try title("Device") == "two")
        }
    }
}
