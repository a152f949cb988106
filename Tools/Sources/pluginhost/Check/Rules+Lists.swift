import PluginLinting

extension Rule {
    static let lists: [Rule] = [
        .lint(
            .unreadable, .standard, .lists,
            what: "A file cannot be read, or there is no such file.",
            why: "The application cannot read it either, and uses it as if it were empty.",
            mend: "Make it a regular file that every user of the application may read."),
        .lint(
            .tooManyFiles, .standard, .lists,
            what: "The bundle has more files, or nests them more deeply, than the linter reads.",
            why: "The files that were not read may have faults.",
            mend: "Move files that are not lists or tables elsewhere, or put them into fewer directories."),
        .lint(
            LintFinding.Code(rawValue: "notChecked"), .standard, .lists,
            what: "A file is of a kind that no bundle reads: a storyboard, a string catalogue or an XLIFF file.",
            why: "Its texts reach no user.",
            mend: "Make tables of a string catalogue or an XLIFF file, and leave the file out of the bundle."),
        .lint(
            .furtherFindings, .standard, .lists,
            what: "There are more findings about a file than are listed.",
            why: "The list would be too long to read.",
            mend: "Correct those that are listed, and check again."),
        .fault(
            "furtherFaults",
            what: "There are more faults in a file than are listed.",
            why: "The first fault often causes the others.",
            mend: "Correct those that are listed, and check again."),
        .fault(
            "empty",
            what: "The file is empty or contains only blanks.",
            why: "It was probably not written completely.",
            mend: "Write its content, or remove the file."),
        .fault(
            "tooLarge",
            what: "The file is larger than the host reads.",
            why: "The host does not read it at all.",
            mend: "Split the file, or move data that is not text for users into another kind of file."),
        .fault(
            "tooDeep",
            what: "Arrays and dictionaries nest more deeply than the host reads.",
            why: "The host does not read the list.",
            mend: "Use fewer levels."),
        .fault(
            "tooManyNodes",
            what: "There are more keys and values than the host reads.",
            why: "The host does not read the list.",
            mend: "Split the file."),
        .fault(
            "overBudget",
            what: "The list refers to its values so often that its content becomes far larger than its file.",
            why: "Such a list could exhaust the application's memory, so the host does not read it.",
            mend: "Write each value once, and do not refer to large values many times."),
        .fault(
            "truncated",
            what: "The file ends in the middle of a text, an element or a pair of brackets.",
            why: "It was probably not copied completely.",
            mend: "Close what the message names, or copy the file again."),
        .fault(
            "trailingContent",
            what: "The list is complete, but something follows it.",
            why: "Readers ignore the rest or refuse the file.",
            mend: "Remove what follows, or move it into the list."),
        .fault(
            "invalidEncoding",
            what: "Some bytes are not valid in the file's encoding.",
            why: "Users see wrong characters, or the host does not read the file.",
            mend: "Save the file as UTF-8."),
        .fault(
            "unknownEncoding",
            what: "The file declares an encoding that is not supported.",
            why: "The host does not read the file.",
            mend: "Save the file as UTF-8, and declare UTF-8 or nothing."),
        .fault(
            "unexpectedCharacter",
            what: "A character stands where it is not allowed, such as NUL.",
            why: "Readers stop there or skip the entry.",
            mend: "Remove the character, or put the text into quotation marks."),
        .fault(
            "invalidEscape",
            what:
                "An escape with a backslash does not name a character: \\U without digits, half of a surrogate pair, or a number that is too large.",
            why: "Readers show another character in its place, or refuse the list.",
            mend: "Write \\\\ for a backslash, \\n for a line break and \\U0041 for a character by its number."),
        .fault(
            "foreignEscape",
            what:
                "A text has an escape of Swift or C that strings tables do not have: \\(name), \\x41, or \\U with eight digits.",
            why: "Users see the letters and digits of the escape.",
            mend: "Write a placeholder such as %@, or the character itself."),
        .fault(
            "unsafeText",
            what: "A text has more combining marks in a row than Unicode's stream-safe format allows.",
            why: "Comparing such a text takes very long.",
            mend: "Remove the marks."),
        .fault(
            "malformedMarkup",
            what: "An element, attribute or declaration is not valid XML, or is not valid in a property list.",
            why: "The host does not read the list.",
            mend: "Correct the markup at the place of the finding."),
        .fault(
            "unknownElement",
            what: "Property lists have no element of this name.",
            why: "The host does not read the list.",
            mend: "Use dict, array, string, integer, real, true, false, date or data."),
        .fault(
            "unknownEntity",
            what: "A reference is neither one of XML's five entities nor a character.",
            why: "The host does not read the list.",
            mend: "Write the character itself, or its number: &#233;."),
        .fault(
            "documentTypeSubset",
            what: "The document type declares entities of its own.",
            why: "Such entities can expand without end, so the host does not read the list.",
            mend: "Remove the part in square brackets from the document type."),
        .fault(
            "keyNotString",
            what: "A dictionary's key is not text, or is missing.",
            why: "The host does not read the list.",
            mend: "Put a key before each value."),
        .fault(
            "missingValue",
            what: "A key has no value, or the list has none.",
            why: "The host does not read the list, or skips the key.",
            mend: "Write the value, or remove the key."),
        .fault(
            "duplicateKey",
            what: "A dictionary contains a key twice, with different values; or a strings table, with any values.",
            why:
                "Only one of the two counts: the first in a property list and in a table as XML, the last in other tables.",
            mend: "Remove one of them."),
        .fault(
            "repeatedKey",
            what: "A dictionary of a property list contains a key twice, with the same value.",
            why: "Somebody who changes one of them may not notice the other.",
            mend: "Remove one of them."),
        .fault(
            "missingSeparator",
            what: "A semicolon, comma or equals sign is missing.",
            why: "Some readers stop there, and the entries after it are lost.",
            mend: "Write it: every entry of a strings table ends with a semicolon."),
        .fault(
            "invalidInteger",
            what: "A text stands where a whole number is expected.",
            why: "The host does not read the list.",
            mend: "Write digits, or make the value a string."),
        .fault(
            "integerOverflow",
            what: "A whole number does not fit into 64 bits.",
            why: "The host does not read the list.",
            mend: "Write a smaller number, or make the value a string."),
        .fault(
            "invalidReal",
            what: "A text stands where a number is expected.",
            why: "The host does not read the list.",
            mend: "Write a number such as 2.5, or make the value a string."),
        .fault(
            "notFinite",
            what: "A number or a date is infinite, or is not a number.",
            why: "Such a value cannot be compared or written again.",
            mend: "Write a finite value."),
        .fault(
            "invalidDate",
            what: "A text stands where a date is expected, or the day or time does not exist.",
            why: "The host does not read the list.",
            mend: "Write a date such as 2026-01-31T12:00:00Z."),
        .fault(
            "invalidData",
            what:
                "Bytes are not written as the format of the list requires: as base64 in XML, as pairs of hexadecimal digits in an old-style list.",
            why: "The host does not read the list.",
            mend: "Write the bytes again with a tool such as base64."),
        .fault(
            "unknownType",
            what: "A typed value of an old-style list has a type that does not exist.",
            why: "The host does not read the list.",
            mend: "Use <*I…>, <*R…>, <*B…> or <*D…>, or make the value a string."),
        .fault(
            "unsupportedVersion",
            what: "A binary list has a version other than 00.",
            why: "The host does not read the list.",
            mend: "Convert the list to version 00 or to XML."),
        .fault(
            "invalidTrailer",
            what: "The end of a binary list contradicts itself or the file.",
            why: "The file was damaged or not copied completely.",
            mend: "Copy the file again, or write the list anew."),
        .fault(
            "invalidReference",
            what: "A binary list refers to something outside of its objects.",
            why: "The file was damaged.",
            mend: "Copy the file again, or write the list anew."),
        .fault(
            "invalidObject",
            what: "A binary list has an object of an unknown kind, or with an impossible length.",
            why: "The file was damaged, or another program wrote kinds that property lists do not have.",
            mend: "Copy the file again, or write the list anew."),
        .fault(
            "cycle",
            what: "A container of a binary list contains itself.",
            why: "Reading it would never end, so the host does not read the list.",
            mend: "Write the list anew, without the cycle."),
        .fault(
            "valueNotString",
            what: "An entry of a strings table has a value that is not text.",
            why: "The entry is skipped, and users see the key.",
            mend: "Write the value as text in quotation marks."),
        .fault(
            "assumedLatin1",
            what: "The file is not UTF-8, and was read as Latin-1 or Windows-1252.",
            why: "If it has another encoding, users see wrong characters.",
            mend: "Save the file as UTF-8."),
        .lint(
            .mixedPlaceholders, .standard, .lists,
            what: "One text has both numbered and plain placeholders.",
            why: "It is then undefined which argument a plain placeholder shows.",
            mend: "Number all placeholders (%1$@, %2$d) or none."),
        .lint(
            .strayPercent, .standard, .lists,
            what: "A format has a percent sign that begins no placeholder.",
            why: "The text after it may be lost, or an argument is read that nobody passed.",
            mend: "Write %% for a percent sign."),
        .lint(
            .controlCharacter, .standard, .lists,
            what:
                "A text contains NUL, or a control character from U+0080 to U+009F. These appear when a file in Windows-1252 is read as Latin-1.",
            why:
                "Users see a box or nothing in the place of a quotation mark or a dash, and C functions end a text at NUL.",
            mend: "Write the character that was meant, or convert the original file again, from Windows-1252."),
        .lint(
            .malformedPlural, .standard, .lists,
            what: "An entry of a .stringsdict does not have the structure of these files.",
            why: "The entry is not used, and users see the key.",
            mend: "Build the entry as the page command-line.md shows under “Plural rules”."),
        .lint(
            .unusedVariable, .strict, .lists,
            what: "An entry of a .stringsdict has a variable that its format does not use.",
            why: "It is probably misspelt in the format.",
            mend: "Use it in the format as %#@name@, or remove it."),
        .lint(
            .missingPluralCategory, .standard, .lists,
            what: "An entry of a .stringsdict lacks a plural category that the language has.",
            why: "For some numbers, users see the wrong form.",
            mend: "Add the category."),
    ]

    static let languages: [Rule] = [
        .lint(
            .unknownLanguage, .standard, .languages,
            what: "The name of an .lproj directory is not a language.",
            why: "No user's language selects the directory.",
            mend: "Use a code such as pt-BR, or an English name."),
        .lint(
            .duplicateLanguage, .standard, .languages,
            what: "Two .lproj directories are the same language.",
            why: "Only one of them is read.",
            mend: "Move the files into one of them, and remove the other."),
        .lint(
            .missingLanguage, .strict, .languages,
            what: "Info.plist names a language that has no .lproj directory.",
            why: "Users of that language see texts in another one, although the application lists theirs.",
            mend: "Add the directory, or remove the language from CFBundleLocalizations or CFBundleDevelopmentRegion."),
        .lint(
            .missingTable, .strict, .languages,
            what: "A localisation lacks a table that others have.",
            why: "Users of that language see texts in another language.",
            mend: "Add the table."),
        .lint(
            .hiddenTable, .standard, .languages,
            what: "The same table is both inside and outside of the .lproj directories.",
            why: "The one outside hides the others, so no translation is used.",
            mend: "Move the table outside of the .lproj directories into one of them."),
        .lint(
            .missingEntry, .strict, .languages,
            what: "A translation lacks an entry.",
            why: "Users of that language see this text in another language.",
            mend: "Translate the entry."),
        .lint(
            .extraEntry, .strict, .languages,
            what: "Only a translation has the entry.",
            why: "Nobody uses it, or its key is misspelt and the text is missing elsewhere.",
            mend: "Correct the key, or remove the entry."),
        .lint(
            .untranslated, .strict, .languages,
            what: "A text is the same as in the development language.",
            why: "Perhaps nobody has translated it.",
            mend: "Translate it, unless it is the same in both languages."),
        .lint(
            .placeholderMismatch, .standard, .languages,
            what: "The placeholders of a translation differ from those of the text that it translates.",
            why: "An argument is shown wrongly or not at all, or the application crashes.",
            mend: "Use each placeholder of the original; number them (%1$@) to change their order."),
    ]

    static let sources: [Rule] = [
        .lint(
            .undefinedKey, .standard, .sources,
            what: "A source uses a key that no table has.",
            why: "Users see the key instead of a text.",
            mend: "Add the key to the table, or correct it in the source."),
        .lint(
            .unusedKey, .strict, .sources,
            what: "No source mentions a key of a table.",
            why: "Translators translate texts that nobody sees.",
            mend: "Remove the entry, unless the key is put together at run time."),
    ]
}
