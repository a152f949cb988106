@_spi(Tools) public import BundleReading
@_spi(Tools) import HostBasics
import PluginWorkers

/// What a plug-in may do with one kind of permission, as a sentence for people.
///
/// Show it when you ask the user, beside the plug-in's own reason: ``PluginBundle/reason(forPermission:)``.
public struct PermissionSentence: Sendable, Hashable {
    /// The permission's name in `PHPermissions`: `files`, `network`, `processes`, `devices` or `environment`.
    public let permission: String
    /// What the plug-in may do, in the user's language.
    ///
    /// Characters of paths and names that would control a display are escaped.
    public let text: String
}

extension PluginPermissions {
    /// What these permissions allow, as sentences for people.
    ///
    /// The library has them in English, French, German and Japanese, and uses the best of these for the user.
    ///
    /// - Parameter languages: the user's languages, best first, as BCP 47 tags; nil for those of
    ///   ``PluginBundle/preferredLocalizations(from:)``.
    /// - Returns: the sentences by kind, files first; for files and for the network there may be two. Empty if nothing is
    ///   permitted.
    public func sentences(in languages: [String]? = nil) -> [PermissionSentence] {
        let known = PermissionWords.all.map(\.language)
        let best = PluginBundle.preferredLocalizations(from: known, forPreferences: languages).first
        let words = PermissionWords.all.first { $0.language == best } ?? PermissionWords.all[0]
        return names.flatMap { name in
            texts(name, words).map { PermissionSentence(permission: name.rawValue, text: $0) }
        }
    }

    private func texts(_ name: Name, _ words: PermissionWords) -> [String] {
        switch name {
        case .files:
            return [(Access.read, words.read), (.write, words.write)].compactMap { access, sentence in
                sentence(files.filter { $0.access == access }.map { words.place($0.path) })
            }
        case .network:
            switch network {
            case .none: return []
            case .any: return [words.anyNetwork]
            case .ports(let connect, let listen):
                return [(connect, words.connect), (listen, words.listen)].compactMap { ports, sentence in
                    sentence(ports.sorted().map(String.init))
                }
            }
        case .processes: return [words.processes]
        case .devices: return [words.devices(devices.sorted().map(\.escapedForDisplay))].compactMap(\.self)
        case .environment: return [words.environment(environment.sorted().map(\.escapedForDisplay))].compactMap(\.self)
        }
    }
}

/// The sentences of one language.
///
/// Lists follow a colon, so that a sentence needs no form of the words in the list.
private struct PermissionWords: Sendable {
    /// A sentence that ends with a list.
    struct Listing: Sendable {
        let beginning: String
        let separator: String
        let end: String

        /// Nil without items.
        func callAsFunction(_ items: [String]) -> String? {
            items.isEmpty ? nil : beginning + items.joined(separator: separator) + end
        }
    }

    let language: String
    let read, write, connect, listen, devices, environment: Listing
    let anyNetwork, processes: String
    let home, documents, settings, own, ofApplication: String

    /// A path in the words of the language: “Documents › Scores”.
    func place(_ path: String) -> String {
        guard let parsed = try? PermissionPath(path) else { return path.escapedForDisplay }
        let names = parsed.names.map(\.escapedForDisplay)
        let base: String
        switch parsed.base {
        case .root: return "/" + names.joined(separator: "/")
        case .home: base = home
        case .documents: base = documents
        case .config: base = settings
        case .state: base = own
        case .host(let name): base = "\(ofApplication) (\(name.escapedForDisplay))"
        }
        return ([base] + names).joined(separator: " › ")
    }

    /// English first, for users of all other languages.
    static let all = [
        PermissionWords(
            language: "en",
            read: english("Read these files and directories"),
            write: english("Read, change and remove these files and directories"),
            connect: english("Connect to the network on these ports"),
            listen: english("Accept connections from the network on these ports"),
            devices: english("Use these devices"), environment: english("Read these environment variables"),
            anyNetwork: "Make and accept all connections to the network.",
            processes: "Start the programs of this computer, and its own.",
            home: "Home directory", documents: "Documents", settings: "Settings", own: "Its own data",
            ofApplication: "A directory of the application"),
        PermissionWords(
            language: "de",
            read: english("Diese Dateien und Ordner lesen"),
            write: english("Diese Dateien und Ordner lesen, ändern und löschen"),
            connect: english("Über diese Ports Verbindungen ins Netz aufbauen"),
            listen: english("Auf diesen Ports Verbindungen aus dem Netz annehmen"),
            devices: english("Diese Geräte benutzen"), environment: english("Diese Umgebungsvariablen lesen"),
            anyNetwork: "Alle Verbindungen ins Netz aufbauen und annehmen.",
            processes: "Die Programme dieses Rechners und eigene Programme starten.",
            home: "Persönlicher Ordner", documents: "Dokumente", settings: "Einstellungen", own: "Eigene Daten",
            ofApplication: "Ein Ordner der Anwendung"),
        PermissionWords(
            language: "fr",
            read: french("Lire ces fichiers et dossiers"),
            write: french("Lire, modifier et supprimer ces fichiers et dossiers"),
            connect: french("Se connecter au réseau par ces ports"),
            listen: french("Accepter des connexions du réseau sur ces ports"),
            devices: french("Utiliser ces périphériques"), environment: french("Lire ces variables d’environnement"),
            anyNetwork: "Établir et accepter toutes les connexions au réseau.",
            processes: "Lancer les programmes de cet ordinateur et les siens.",
            home: "Dossier personnel", documents: "Documents", settings: "Réglages", own: "Ses propres données",
            ofApplication: "Un dossier de l’application"),
        PermissionWords(
            language: "ja",
            read: japanese("次のファイルとフォルダを読み取る"), write: japanese("次のファイルとフォルダを読み取り、変更し、削除する"),
            connect: japanese("次のポートでネットワークに接続する"), listen: japanese("次のポートでネットワークからの接続を受け付ける"),
            devices: japanese("次のデバイスを使う"), environment: japanese("次の環境変数を読み取る"),
            anyNetwork: "ネットワークへのすべての接続を行い、受け付ける。",
            processes: "このコンピュータのプログラムと、自身のプログラムを起動する。",
            home: "ホームフォルダ", documents: "書類", settings: "設定", own: "自身のデータ",
            ofApplication: "アプリケーションのフォルダ"),
    ]

    /// With the punctuation of English, and of German.
    private static func english(_ beginning: String) -> Listing {
        Listing(beginning: beginning + ": ", separator: ", ", end: ".")
    }

    /// With a space that does not break before the colon.
    private static func french(_ beginning: String) -> Listing {
        Listing(beginning: beginning + "\u{A0}: ", separator: ", ", end: ".")
    }

    private static func japanese(_ beginning: String) -> Listing {
        Listing(beginning: beginning + "：", separator: "、", end: "。")
    }
}
