/// A `.stringsdict` with one key, “%d files”.
package let pluralFormats = """
    { "%d files" = {
        NSStringLocalizedFormatKey = "%#@files@ left";
        files = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; NSStringFormatValueTypeKey = d;
            zero = "No file"; one = "%d file"; other = "%d files"; };
    }; }
    """
