import Glibc
import TestSupport
import Testing

@testable import BundleReading

/// The first look-up in a bundle uses only the file's name if that is enough; the result is the same as that of the
/// search, which reads the directories.
@Suite("ResourceFinder: the first question") struct FirstQuestionTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var files: [String] = []
        var links: [String: String] = [:]
        var declared: [String] = []
        var region: String? = "en"
        var languages = ["fr", "de"]
        var preference = VariantPreference()
    }

    static let shapes: [Shape] = [
        Shape(testDescription: "global", files: ["a.txt", "fr.lproj/a.txt"]),
        Shape(testDescription: "global, for the platform", files: ["a.txt", "a-linux.txt"]),
        Shape(testDescription: "for the platform alone", files: ["a-linux.txt", "fr.lproj/a-linux.txt"]),
        Shape(
            testDescription: "in the first language", files: ["fr.lproj/a.txt", "Base.lproj/a.txt", "de.lproj/a.txt"]),
        Shape(
            testDescription: "in the first language, for the platform",
            files: ["fr.lproj/a.txt", "fr.lproj/a-linux.txt"]),
        Shape(testDescription: "in Base", files: ["fr.lproj/b.txt", "Base.lproj/a.txt"]),
        Shape(testDescription: "in the second language", files: ["de.lproj/a.txt", "en.lproj/a.txt"]),
        Shape(
            testDescription: "in the first language by an old name", files: ["French.lproj/a.txt", "fr.lproj/b.txt"]),
        Shape(testDescription: "in both names of the first language", files: ["French.lproj/a.txt", "fr.lproj/a.txt"]),
        Shape(testDescription: "in the region", files: ["en.lproj/a.txt", "de.lproj/a.txt"], languages: []),
        Shape(testDescription: "in Base for the region", files: ["Base.lproj/a.txt", "en.lproj/b.txt"], languages: []),
        Shape(testDescription: "without region and languages", files: ["fr.lproj/a.txt"], region: nil, languages: []),
        Shape(testDescription: "declared and not there", files: ["de.lproj/a.txt"], declared: ["fr"]),
        Shape(testDescription: "nowhere", files: ["fr.lproj/b.txt"]),
        Shape(testDescription: "in no directory", files: []),
        Shape(testDescription: "a directory", files: ["a.txt/", "fr.lproj/a.txt"]),
        Shape(testDescription: "a link", files: ["b.txt"], links: ["a.txt": "b.txt"]),
        Shape(testDescription: "a link to nowhere", files: ["fr.lproj/a.txt"], links: ["a.txt": "c.txt"]),
        Shape(testDescription: "in a linked localisation", files: ["x/a.txt"], links: ["fr.lproj": "x"]),
        Shape(testDescription: "with a file for a localisation", files: ["fr.lproj", "de.lproj/a.txt"]),
        Shape(testDescription: "at a scale", files: ["a.txt", "a@2x.txt"], preference: VariantPreference(scale: 2)),
        Shape(testDescription: "with a language that is no name", files: ["x/a.txt"], languages: ["../x", "fr"]),
    ]

    static let questions: [(name: String?, type: String?)] = [
        ("a", "txt"), ("a.txt", nil), ("a", ".txt"), (nil, "txt"), ("A", "txt"), ("fr.lproj/a", "txt"), ("../a", "txt"),
    ]

    @Test(arguments: shapes)
    func isAnsweredAsBySearching(_ shape: Shape) throws {
        let tree = try TemporaryTree()
        for file in shape.files { try tree.write(file) }
        for (name, target) in shape.links { try tree.link(name, to: target) }
        func newFinder() -> ResourceFinder {
            finder(
                tree, declared: shape.declared, region: shape.region, languages: shape.languages,
                preference: shape.preference)
        }
        for (name, type) in Self.questions {
            let searching = newFinder()
            // By then it has read its directory.
            _ = searching.localizations
            let first = newFinder().resource(name, ofType: type)
            #expect(first == searching.resource(name, ofType: type), "\(name ?? "nil") of type \(type ?? "nil")")
        }
    }

    /// As for names beyond ASCII, only the names in the directory show which of them are equal.
    @Test func aNameThatHasTwoSpellingsIsFoundInBoth() throws {
        let tree = try TemporaryTree(["\u{212A}.txt": "", "fr.lproj/K.txt": "", "e\u{301}.txt": ""])
        for name in ["K", "\u{212A}"] {
            #expect(finder(tree, languages: ["fr"]).path(forResource: name, ofType: "txt") == tree("\u{212A}.txt"))
        }
        #expect(finder(tree).path(forResource: "\u{E9}", ofType: "txt") == tree("e\u{301}.txt"))
    }

    @Test func itsAnswerIsForgottenWhenTheFileIsGoneHiddenOrReplaced() throws {
        let tree = try TemporaryTree(["fr.lproj/a.txt": "", "Base.lproj/a.txt": ""])
        func newFinder() -> ResourceFinder {
            let finder = finder(tree, languages: ["fr"])
            #expect(finder.path(forResource: "a", ofType: "txt") == tree("fr.lproj/a.txt"))
            return finder
        }
        let (hidden, replaced, gone) = (newFinder(), newFinder(), newFinder())
        try tree.write("a.txt")
        settle()
        #expect(hidden.path(forResource: "a", ofType: "txt") == tree("a.txt"))
        tree.remove("a.txt")
        try tree.write("fr.lproj/a-linux.txt")
        settle()
        #expect(replaced.path(forResource: "a", ofType: "txt") == tree("fr.lproj/a-linux.txt"))
        tree.remove("fr.lproj")
        settle()
        #expect(gone.path(forResource: "a", ofType: "txt") == tree("Base.lproj/a.txt"))
    }

    @Test func itsAnswerIsForgottenWithTheLanguage() throws {
        let tree = try TemporaryTree(["fr.lproj/a.txt": "", "de.lproj/a.txt": ""])
        let finder = finder(tree, languages: ["fr"])
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("fr.lproj/a.txt"))
        finder.settings.languages = ["de"]
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("de.lproj/a.txt"))
    }
}
