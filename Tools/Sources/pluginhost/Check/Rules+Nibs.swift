import PluginHost
import PluginLinting

extension Rule {
    static let nibs: [Rule] = [
        .plugin(
            .nibUnreadable, .standard, .nibs,
            what: "A nib cannot be read: it is not a regular file, too large, not XML, or over a limit.",
            why: "None of its objects is created.",
            mend: "Open it in its editor and save it again."),
        .plugin(
            .nibUnsupported, .standard, .nibs,
            what:
                "A nib has a format that the library does not read. As a warning: a connection has a kind that the library does not know, so only a connector of the application can establish it.",
            why: "None of its objects is created, or the connection is missing.",
            mend: "Save it as a XIB document of version 3.0, or register a connector for the kind in the application."),
        .plugin(
            .nibClassMissing, .standard, .nibs,
            what:
                "A nib names a class or an element that nobody declares, or a list of classes names a superclass that does not exist. It is a note if the application may have the class. It is an error if the nib says that the class belongs to its own bundle, or if the name differs in one letter from a class of the bundle.",
            why: "Instantiating the nib fails.",
            mend: "Correct customClass, or register the class and write NibClasses.plist again."),
        .plugin(
            .nibReferenceInvalid, .standard, .nibs,
            what:
                "Two objects of a nib have the same id, a connection has no name or no destination, or an object is inside an element that is left out.",
            why: "Instantiating the nib fails.",
            mend: "Connect the objects again in the nib's editor."),
        .plugin(
            .nibOutletInvalid, .standard, .nibs,
            what:
                "A nib connects an outlet that the class does not declare, connects an outlet twice, or connects it to an object of the wrong class.",
            why: "Instantiating the nib fails.",
            mend: "Correct the property, or declare the outlet."),
        .plugin(
            .nibActionInvalid, .standard, .nibs,
            what:
                "A nib connects an action or an event that the class does not declare, or the action does not accept the sender.",
            why: "Instantiating the nib fails.",
            mend: "Correct the selector or the event, or declare it."),
        .plugin(
            .nibAttributeInvalid, .standard, .nibs,
            what:
                "A value in a nib does not fit its attribute, or a runtime attribute is not declared. As a warning: a text has no translation, because its key in a table would be too long.",
            why: "Instantiating the nib fails.",
            mend: "Correct the value, or declare the attribute."),
        .plugin(
            .nibOutletUnconnected, .standard, .nibs,
            what: "A nib does not connect an outlet that its class requires.",
            why: "Instantiating the nib fails.",
            mend: "Connect the outlet."),
        .plugin(
            .nibResourceMissing, .standard, .nibs,
            what: "A nib names an image or a sound that neither the bundle nor the application has.",
            why: "The attribute keeps its value, and users miss the image or the sound.",
            mend: "Add the file to the resources, or correct the name."),
        .plugin(
            .nibInterfaceInvalid, .standard, .nibs,
            what:
                "NibClasses.plist does not have the structure of a list of classes, or a class declares a name twice.",
            why: "The nibs of the class cannot be checked, or the class cannot be used in nibs.",
            mend: "Write the list again with “pluginhost load --write-nib-classes”."),
        .plugin(
            .nibClassesOutdated, .standard, .nibs,
            what: "NibClasses.plist does not declare the same as the code registers.",
            why: "Checks that do not run the code report faults that do not exist, and miss others.",
            mend: "Write the list again with “pluginhost load --write-nib-classes”."),
        .plugin(
            .nibObjectsLeaked, .strict, .nibs,
            what:
                "Objects of a nib still exist after all their owners were released. Only “pluginhost load --instantiate” finds this.",
            why: "Each instantiation of the nib uses memory that is never freed.",
            mend: "In each cycle of strong outlets, make one outlet weak."),
        .lint(
            .nibClassesUnknown, .strict, .nibs,
            what:
                "No NibClasses.plist declares the classes of a bundle's nibs, so their outlets and actions cannot be checked.",
            why: "A misspelt outlet is found only when the nib is instantiated.",
            mend: "Write the list with “pluginhost load --write-nib-classes”."),
        .lint(
            LintFinding.Code(rawValue: "nibOutletUnused"), .strict, .nibs,
            what: "A class declares an outlet that no nib connects.",
            why: "The property is always nil, or its name is misspelt in a nib.",
            mend: "Connect the outlet, or remove it from the class."),
        .lint(
            LintFinding.Code(rawValue: "nibActionUnused"), .strict, .nibs,
            what: "A class declares an action that no nib connects.",
            why: "Nobody calls the method, or its name is misspelt in a nib.",
            mend: "Connect the action, or remove it from the class."),
        .lint(
            LintFinding.Code(rawValue: "nibActionUnanswered"), .strict, .nibs,
            what: "No declared class has an action that a nib sends to First Responder.",
            why: "Nothing happens when the user sends it.",
            mend: "Correct the selector, or declare the action in the class that answers it."),
        .lint(
            LintFinding.Code(rawValue: "nibAttributeUndeclared"), .strict, .nibs,
            what: "A nib has an attribute that the class does not declare.",
            why: "The attribute has no effect.",
            mend: "Remove it, or declare it in the class."),
        .lint(
            LintFinding.Code(rawValue: "nibLarge"), .strict, .nibs,
            what: "A nib has more than 500 objects.",
            why: "All of them are created at once, even those that the user never sees.",
            mend: "Divide it into nibs that are instantiated when their objects are needed."),
        .lint(
            .staleTranslation, .standard, .nibs,
            what: "A strings table has a key for an object that its nib does not contain.",
            why:
                "Translators translate texts that nobody sees, or the object's id has changed and its text is shown untranslated.",
            mend: "Run “pluginhost strings” with --merge, or correct the id."),
        .lint(
            .nibLanguagesDiffer, .standard, .nibs,
            what:
                "A nib in the directory of a language and the same nib in Base.lproj have different objects or connections.",
            why: "The application behaves differently in one language.",
            mend: "Make the same change in both, or keep one nib in Base.lproj with tables."),
        .lint(
            .tableUnused, .standard, .nibs,
            what: "The directory of a language has both a nib and a strings table for this nib.",
            why: "The table has no effect, because the nib itself contains the texts of that language.",
            mend: "Remove the table, or remove that nib and keep the one in Base.lproj."),
    ]
}
