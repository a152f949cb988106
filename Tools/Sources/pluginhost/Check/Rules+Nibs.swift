import PluginHost
import PluginLinting

extension Rule {
    static let nibs: [Rule] = [
        .plugin(
            .nibUnreadable, .standard, .nibs,
            what: "A nib cannot be read: it is not a regular file, too large, not XML, or over a limit.",
            why: "Its objects are never made.",
            mend: "Open it in its editor and save it again."),
        .plugin(
            .nibUnsupported, .standard, .nibs,
            what:
                "A nib has a format that is not read. As a warning: a connection of a kind that only an application's connector establishes.",
            why: "Its objects are never made, or a connection is missing.",
            mend: "Save it as a XIB document of version 3.0; give the application a connector."),
        .plugin(
            .nibClassMissing, .standard, .nibs,
            what:
                "A nib names a class or an element that nobody declares, or a list of classes names a superclass that does not exist. As a note: the application may have the class. It is an error where the nib says that the class is of its own bundle, or the name is that of one of the bundle's classes with one letter wrong.",
            why: "Instantiating the nib fails.",
            mend: "Correct customClass, or register the class and write NibClasses.plist again."),
        .plugin(
            .nibReferenceInvalid, .standard, .nibs,
            what:
                "A nib has two objects of one id, a connection without name or destination, or an object that is never made.",
            why: "Instantiating the nib fails.",
            mend: "Connect the objects again in the nib's editor."),
        .plugin(
            .nibOutletInvalid, .standard, .nibs,
            what:
                "A nib connects an outlet that the class does not declare, connects it twice, or connects an object of a class that it does not take.",
            why: "Instantiating the nib fails.",
            mend: "Correct the property, or declare the outlet."),
        .plugin(
            .nibActionInvalid, .standard, .nibs,
            what:
                "A nib connects an action or an event that the class does not declare, or a sender that the action does not take.",
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
            why: "Nibs cannot be checked against the class, or cannot use it.",
            mend: "Write the list again with “pluginhost load --write-nib-classes”."),
        .plugin(
            .nibClassesOutdated, .standard, .nibs,
            what: "NibClasses.plist does not declare what the code registers.",
            why: "Checks without the code find faults that are none, and miss others.",
            mend: "Write the list again with “pluginhost load --write-nib-classes”."),
        .plugin(
            .nibObjectsLeaked, .strict, .nibs,
            what:
                "Objects of a nib live on after everything that owned them was released. Only “pluginhost load --instantiate” finds it.",
            why: "Each instantiation of the nib takes memory that is never free again.",
            mend: "Make one outlet of each circle of strong outlets weak."),
        .lint(
            .nibClassesUnknown, .strict, .nibs,
            what: "No NibClasses.plist declares the classes of a bundle's nibs, so only their documents are checked.",
            why: "An outlet that is misspelt is found only when the nib is instantiated.",
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
            why: "All of them are made at once, also those that nobody looks at.",
            mend: "Divide it into nibs that are instantiated when their objects are needed."),
        .lint(
            .staleTranslation, .standard, .nibs,
            what: "A table has a key of an object that its nib does not have.",
            why: "Translators translate texts that nobody sees, or an id has changed and the text is not translated.",
            mend: "Run “pluginhost strings” with --merge, or correct the id."),
        .lint(
            .nibLanguagesDiffer, .standard, .nibs,
            what: "The nib of a language and that of Base.lproj differ in objects or connections.",
            why: "The application behaves differently in one language.",
            mend: "Make the same change in both, or keep one nib in Base.lproj with tables."),
        .lint(
            .tableUnused, .standard, .nibs,
            what: "There is a strings table for a nib in the directory of a language that has a nib of its own.",
            why: "The table has no effect: the nib is complete.",
            mend: "Remove the table, or the nib of the language."),
    ]
}
