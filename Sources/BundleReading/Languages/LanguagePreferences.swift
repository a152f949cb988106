import Glibc
import HostBasics

/// The languages of the user.
///
/// The first of these that is set is used alone; an empty variable counts as not set (POSIX, "Environment Variables"):
/// 1. the override set by the host;
/// 2. the argument `-AppleLanguages`, or with Foundation (the package trait FullFoundation) the default
///    `AppleLanguages`; both are read once, at the first use (``ProgramDefaults``);
/// 3. `LANGUAGE`, a colon-separated list. GNU gettext ignores it if the locale is `C`; here it counts whenever it is
///    set;
/// 4. `LC_ALL`, 5. `LC_MESSAGES`, 6. `LANG`.
///
/// `C`, `POSIX` and `C.UTF-8` are not languages: for a user who sets one of them, bundles use their development
/// language.
package enum LanguagePreferences {
    /// The user's languages, the preferred one first, as tags with hyphens: `fr_FR.UTF-8` is `fr-FR`, `sr_RS@latin` is
    /// `sr-Latn-RS`.
    ///
    /// **Threads.** Reads the environment, like getenv(): no other thread may change it at the same time.
    /// **Cost.** Microseconds; if there is a file of defaults, the first call asks Foundation for the user's defaults.
    /// A bundle should keep the result.
    package static func current(override languages: [String]? = nil) -> [String] {
        current(override: languages, defaults: { appleLanguages }) { name in
            getenv(name).flatMap { String(validatingCString: $0) }
        }
    }

    /// The same rules, with the sources as parameters.
    package static func current(
        override languages: [String]?, defaults: () -> [String]?, environment: (String) -> String?
    ) -> [String] {
        if let languages { return tags(languages) }
        if let languages = defaults(), !languages.isEmpty { return tags(languages) }
        if let list = environment("LANGUAGE"), !list.isEmpty {
            return tags(list.split(separator: ":").map(String.init))
        }
        for variable in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            if let locale = environment(variable), !locale.isEmpty { return tags([locale]) }
        }
        return []
    }

    /// The names as tags, each once.
    ///
    /// A name that is not a tag stays unchanged: a bundle may have a localisation with that name.
    private static func tags(_ names: [String]) -> [String] {
        var tags: [String] = []
        for name in names {
            // The encoding is removed first, for names such as "C.UTF-8".
            let language = name.prefix { $0 != "." && $0 != "@" }
            guard !language.isEmpty, language != "C", language.uppercased() != "POSIX" else { continue }
            let tag = LanguageTag(name)?.description ?? name
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    /// Computed once: every bundle needs it, and searching for defaults takes as long as reading a directory.
    ///
    /// The argument is a list, `-AppleLanguages "(de, fr)"`, or one word.
    private static let appleLanguages = ProgramDefaults.strings("AppleLanguages")
}
