/// The options of the command line.
struct Options {
    let target: Target
    var inputs = 1_000_000
    var seed: UInt64 = .random(in: 1...999_999)
    /// The number of the first input, to run one again.
    var first = 0
    var jobs = 1
    /// More files to damage.
    var corpus: String?
    /// One file to run unchanged.
    var replay: String?
    /// How many seconds an input may take by the clock, while other processes run.
    var patience = 20
    /// Where inputs that found something are saved.
    var findings = "build/fuzz"

    static let usage = """
        Usage: fuzz TARGET [--inputs N] [--seed S] [--jobs J] [--corpus DIR]
                   [--findings DIR] [--patience SECONDS]
               fuzz elf --seed S --first I [--inputs N] …
               fuzz TARGET --replay FILE

        Feeds damaged files to a reader and checks what must hold for every file. TARGET is one of:
          plists       property lists
          strings      strings tables
          stringsdict  the checks of pluginhost lint
          elf          loading plug-ins, each mutant in a process of its own
          budgets      small lists and tables that expand to much: memory, and time beside a sound file
          formats      small tables of plural rules that expand to much, read from a bundle
          indexes      index files of a catalogue with a right checksum and hostile content
          tables       compiled tables of strings that are valid except for a few fields
          archives     archives of a bundle that are valid except for a few fields, each installed
          ownnames     the edit that gives the libraries of a bundle names of their own, on damaged files
          signatures   signatures of C functions
          records      records of interfaces, in damaged sections of a library and in a plug-in's Info.plist
          lanes        what a worker writes into a lane while it answers a call of the host
          settings     lists of a Settings.bundle and files with values of settings, damaged or made by the grammar
          nibs         documents of nibs, damaged or made by the grammar
          planted      a reader with defects: checks that the fuzzer finds them

        Every input follows from the seed and its number. An input that ends the process, takes too long or too much
        memory, or breaks a rule is saved in build/fuzz, and the command that runs it again is printed.
        Exit status: 0 nothing found, 1 something found, 2 wrong usage.

        """

    init?(_ arguments: [String]) {
        guard let target = arguments.first.flatMap(Target.init(rawValue:)) else { return nil }
        self.target = target
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--inputs":
                guard let number = Int(value), number > 0 else { return nil }
                inputs = number
            case "--seed":
                guard let number = UInt64(value) else { return nil }
                seed = number
            case "--first" where target == .elf:
                guard let number = Int(value), number >= 0 else { return nil }
                first = number
            case "--jobs":
                guard let number = Int(value), 1...256 ~= number else { return nil }
                jobs = number
            case "--patience":
                guard let number = Int(value), number > 0 else { return nil }
                patience = number
            case "--corpus": corpus = value
            case "--replay": replay = value
            case "--findings": findings = value
            default: return nil
            }
        }
    }
}
