"""What the manual pages have beyond the description that the program gives of itself, by command.

Each command has examples, the meaning of its exit statuses, and the files that it reads or writes apart from those on its
command line. Scripts/manual.py checks that every command is here, and that the examples use options that exist.
"""

FILES = {
    "index": ("~/.cache/pluginhost", "The index files of catalogues, and what an application recorded when it last ran "
              "(APPLICATION.application). $XDG_CACHE_HOME replaces ~/.cache."),
    "user": ("~/.local/share/APPLICATION/plugins", "The plug-ins that the user installed. $XDG_DATA_HOME replaces "
             "~/.local/share."),
    "system": ("/usr/local/share, /usr/share, /usr/local/lib, /usr/lib", "In each, APPLICATION/plugins has plug-ins of "
               "the administrator and the distribution."),
    "choices": ("~/.config/APPLICATION/plugins.plist", "The plug-ins that the user disabled. $XDG_CONFIG_HOME replaces "
                "~/.config."),
    "quarantine": ("~/.local/state/APPLICATION/quarantine", "The plug-ins that ended processes. $XDG_STATE_HOME replaces "
                   "~/.local/state."),
    "consents": ("~/.local/state/APPLICATION/consents", "What the user allowed plug-ins to reach. $XDG_STATE_HOME "
                 "replaces ~/.local/state."),
    "administrator": ("/etc/xdg/APPLICATION/execution, /etc/xdg/APPLICATION/quarantine", "The administrator's lists: "
                      "where plug-ins run, and which are not used. $XDG_CONFIG_DIRS replaces /etc/xdg."),
    "previous": (".previous", "In the folder of plug-ins: the version that the last “install” replaced."),
    "info": ("Contents/Info.plist", "In a bundle: what it is and offers."),
    "classes": ("Contents/Resources/NibClasses.plist", "In a bundle: the classes that its nibs may use."),
    "template": ("PluginTemplate", "In the package of --app-api: the application's own template."),
    "runtimes": ("PREFIX/lib/pluginhost/runtimes", "The runtimes of other Swift toolchains."),
}

USAGE = "Wrong usage"
UNWRITABLE = "the output cannot be written"


def status(one, two=f"{USAGE}, or {UNWRITABLE}."):
    return [("0", "Nothing is wrong."), ("1", one), ("2", two)] if one else [("0", "Nothing is wrong."), ("2", two)]


def changed(one, two):
    return [("0", "It was done."), ("1", one), ("2", two)]


BUNDLES = f"{USAGE}, there is no directory at a path, or {UNWRITABLE}."
PLACES = f"{USAGE}, a folder cannot be searched, or {UNWRITABLE}."
SEARCHED = ["user", "system", "choices", "quarantine", "administrator"]

# Command: (examples as text and command, exit statuses, files)
DETAILS = {
    "": ([("Which plug-ins does the application demo-host use?", "pluginhost list --application demo-host"),
          ("What is wrong on this machine?", "pluginhost doctor --application demo-host"),
          ("Make, build and pack a plug-in:", "pluginhost new Salon && pluginhost pack --build Salon")],
         status("A command found problems."), ["user", "system", "index"]),
    "list": ([("The plug-ins of an application:", "pluginhost list --application demo-host"),
              ("Every bundle in a folder, with the reason why it is not used:", "pluginhost list --all ./Plugins")],
             status("Something is wrong with a bundle or a search path."), SEARCHED),
    "why": ([("Why does the application not use a plug-in?", "pluginhost why org.example.Loud --application demo-host"),
             ("The same for bundles in a folder:", "pluginhost why org.example.Loud --in ./Plugins")],
            status("The plug-in is not used, or the check of its bundle finds an error."), [*SEARCHED, "consents", "index"]),
    "info": ([("What is in a bundle?", "pluginhost info Loud.bundle"),
              ("Where does an application run it, and why?", "pluginhost info --application demo-host Loud.bundle")],
             status("An Info.plist cannot be read.", BUNDLES), ["info", "administrator", "index"]),
    "graph": ([("Draw the plug-ins of a folder:", "pluginhost graph --format svg ./Plugins > plugins.svg")],
              status("A plug-in lacks something that it requires."), SEARCHED),
    "doctor": ([("Examine the machine alone:", "pluginhost doctor"),
                ("Examine an application with all of its plug-ins:", "pluginhost doctor --application demo-host"),
                ("Fail on warnings too, in a script:", "pluginhost doctor --strict --application demo-host")],
               status("There is an error, or with --strict a warning.", PLACES), [*SEARCHED, "consents", "index", "runtimes"]),
    "scan": ([("What does the start of an application find, and how long does it take?",
               "pluginhost scan --explain --application demo-host")],
             status("Something is wrong with a bundle or a search path."), [*SEARCHED, "index"]),
    "check": ([("Would the application load the bundle?", "pluginhost check --host /usr/bin/demo-host Loud.bundle"),
               ("Run everything before you ship it:", "pluginhost check --level strict Loud.bundle"),
               ("A report for a code host:", "pluginhost check --format sarif ./Plugins > plugins.sarif")],
              status("There is an error, with --strict or a level also a warning, or a bundle is the reason why a rule could "
                     "not be checked.",
                     f"{USAGE}, there is no directory at a path, a rule could not be checked because of the machine, or "
                     f"{UNWRITABLE}."), ["info", "classes"]),
    "lint": ([("Check the lists, tables and nibs of a bundle:", "pluginhost lint Loud.bundle"),
              ("Also find keys that no table has:", "pluginhost lint --sources Sources Loud.bundle"),
              ("Check one file from standard input:", "pluginhost lint --type strings - < Localizable.strings")],
             status("There is an error, or with --strict a warning.",
                    f"{USAGE}, nothing exists at a path, or {UNWRITABLE}."), ["info", "classes"]),
    "explain": ([("What does a code of check or lint mean?", "pluginhost explain symbolMissing")],
                status(None, f"{USAGE}, there is no such rule, or {UNWRITABLE}."), []),
    "load": ([("What does a bundle register?", "LD_LIBRARY_PATH=/usr/lib/demo-host pluginhost load Loud.bundle"),
              ("The same in a process that reaches only a directory:",
               "pluginhost load --sandboxed --grant files=/srv/fonts Loud.bundle"),
              ("Debug the entry:", "pluginhost load --isolated --gdb Loud.bundle")],
             status("A bundle did not load, or its code harmed its process; with --strict also a warning.",
                    f"{USAGE}, there is no directory at a path, a process cannot be started, or {UNWRITABLE}."), ["classes"]),
    "call": ([("List the functions:", "pluginhost call --list Checksum.bundle"),
              ("Call one with the content of a file:", "pluginhost call Checksum.bundle crc32 @README.md"),
              ("Call one that may reach nothing:", "pluginhost call --sandboxed Checksum.bundle crc32 text")],
             [("0", "The function returned."), ("1", "The function or its bundle failed."),
              ("2", f"{USAGE}, an unknown function, an argument that does not fit, or {UNWRITABLE}.")], []),
    "new": ([("A plug-in in Swift:", "pluginhost new Salon"),
             ("One for an application, in C:", "pluginhost new Salon --language c --app-api ../DemoAPI")],
            [("0", "The project was made."), ("2", f"{USAGE}, the directory exists, or it cannot be written.")], ["template"]),
    "pack": ([("Build and pack the package in this directory:", "pluginhost pack --build"),
              ("Pack what another build made, as an archive:",
               "pluginhost pack --executable build/libSalon.so --archive --output dist Salon")],
             [("0", "The bundle is in its place."), ("1", "The code does not compile, or a check found an error."),
              ("2", f"{USAGE}, a program such as swift or strip is missing, or a file cannot be read or written.")], ["info"]),
    "strings": ([("Collect the keys of sources:", "pluginhost strings extract --output Resources Sources"),
                 ("Update the tables of a nib:", "pluginhost strings --merge Resources Resources/Base.lproj/Main.xib")],
                status("A source has an error, or tables differ.", f"{USAGE}, or a table cannot be read or written."), []),
    "strings extract": ([("Into the tables of a folder:", "pluginhost strings extract --output Resources Sources")],
                        status("A source has an error.", f"{USAGE}, or a source or table cannot be read."), []),
    "strings diff": ([("What does a new version change?", "pluginhost strings diff Old.bundle New.bundle")],
                     status("There is a difference.", f"{USAGE}, or a table cannot be read."), []),
    "strings convert": ([("A table as JSON:", "pluginhost strings convert Localizable.strings table.json")],
                        status("Something would be lost.", f"{USAGE}, or a table cannot be read or written."), []),
    "strings pseudo": ([("A language that shows what is not translated:", "pluginhost strings pseudo Salon.bundle")],
                       status("A text has an error.", f"{USAGE}, or a table cannot be read or written."), []),
    "strings export": ([("For a translator:", "pluginhost strings export --language fr --output fr.xliff Salon.bundle")],
                       status("A text has an error.", f"{USAGE}, or a table cannot be read or written."), []),
    "strings import": ([("What would change?", "pluginhost strings import --dry-run fr.xliff Salon.bundle"),
                        ("Write it:", "pluginhost strings import fr.xliff Salon.bundle")],
                       status("Something in the file does not fit.", f"{USAGE}, or a table cannot be read or written."), []),
    "strings nib": ([("Print the table of a nib:", "pluginhost strings Base.lproj/Main.xib"),
                     ("Update the tables of all languages:", "pluginhost strings --merge Resources Resources/Base.lproj/Main.xib")],
                    status(None, f"{USAGE}, or the nib or a table cannot be read or written."), ["classes"]),
    "plist": ([("Show one value:", "pluginhost plist get CFBundleIdentifier Info.plist")],
              status("There is no such value, or a form cannot have it.", f"{USAGE}, or a list cannot be read or written."), []),
    "plist convert": ([("Replace a list by its binary form:", "pluginhost plist convert binary1 Info.plist")],
                      status("The form cannot have a value.", f"{USAGE}, or a list cannot be read or written."), []),
    "plist get": ([("The name of the first factory:", "pluginhost plist get --raw PHFactories.0.name Info.plist")],
                  status("There is no such value.", f"{USAGE}, or the list cannot be read."), []),
    "plist print": ([("Show a binary list:", "pluginhost plist print Info.plist")],
                    status(None, f"{USAGE}, or the list cannot be read."), []),
    "remote": ([("Fail if the proxies are not current:",
                 "pluginhost remote --check --module DemoAPI --output Proxies.swift DemoAPI.symbols.json")],
               status("Something cannot be passed to another process, or with --check the file would change.",
                      f"{USAGE}, or a symbol graph cannot be read."), []),
    "stage": ([("Everything that runs elsewhere:",
                "pluginhost stage --plugins Plugins --output tree .build/release/demo-host")],
              status("A library is missing, or a staged bundle could not be loaded.",
                     f"{USAGE}, patchelf is missing, or the directory cannot be written."), []),
    "install": ([("For the user:", "pluginhost install --application demo-host Salon-1.0.tar.zst"),
                 ("For everybody, as root:", "pluginhost install --in /usr/local/lib/demo-host/plugins Salon-1.0.tar.zst")],
                changed("Something is wrong with the archive or the bundle; nothing was changed.",
                        f"{USAGE}, there is no such file or folder, or the folder cannot be written; nothing was changed."),
                ["user", "previous"]),
    "uninstall": ([("By its identifier:", "pluginhost uninstall --application demo-host org.example.Salon")],
                  changed("The plug-in is not installed there.",
                          f"{USAGE}, there is no such folder, or it cannot be written; nothing was changed."),
                  ["user", "previous"]),
    "rollback": ([("The version before:", "pluginhost rollback --application demo-host org.example.Salon")],
                 changed("The plug-in is not installed there, or no version of it is kept.",
                         f"{USAGE}, there is no such folder, or it cannot be written; nothing was changed."),
                 ["user", "previous"]),
    "enable": ([("One plug-in:", "pluginhost enable --application demo-host org.example.Salon")],
               [("0", "The choice is kept."), ("2", f"{USAGE}, or the choice cannot be kept.")], ["choices"]),
    "disable": ([("One plug-in:", "pluginhost disable --application demo-host org.example.Salon"),
                 ("All of them:", "pluginhost disable --application demo-host '*'")],
                [("0", "The choice is kept."), ("2", f"{USAGE}, or the choice cannot be kept.")], ["choices"]),
    "probe": ([("Does it work without any permission?", "pluginhost probe Salon.bundle")],
              status("A step failed.", f"{USAGE}, a bundle could not be tried, or {UNWRITABLE}."), ["index"]),
    "quarantine": ([("Which plug-ins are in quarantine, and why?", "pluginhost quarantine --application demo-host"),
                    ("Use one again:", "pluginhost quarantine clear --application demo-host org.example.Salon")],
                   status("A plug-in is in quarantine, or nothing was changed.",
                          f"{USAGE}, or the list cannot be written."), ["quarantine", "administrator"]),
    "quarantine list": ([("Which, and why?", "pluginhost quarantine list --application demo-host")],
                        status("A plug-in is in quarantine."), ["quarantine", "administrator"]),
    "quarantine clear": ([("Use a plug-in again:", "pluginhost quarantine clear --application demo-host org.example.Salon")],
                         changed("It was not in quarantine, or only the administrator can end it.",
                                 f"{USAGE}, or the list cannot be written."), ["quarantine", "administrator"]),
    "quarantine add": ([("One bundle, with a reason:",
                         "pluginhost quarantine add --application demo-host --reason 'It hangs.' ./Salon.bundle")],
                       changed("There is no such plug-in.", f"{USAGE}, or the list cannot be written."), ["quarantine"]),
    "consents": ([("What did the user allow?", "pluginhost consents --application demo-host"),
                  ("Allow everything that a plug-in asks for:",
                   "pluginhost consents give --application demo-host org.example.Salon all")],
                 status("The file is damaged, or nothing was changed.", f"{USAGE}, or the answers cannot be written."),
                 ["consents"]),
    "consents list": ([("What did the user allow?", "pluginhost consents list --application demo-host")],
                      status("The file is damaged."), ["consents"]),
    "consents give": ([("All that it asks for:", "pluginhost consents give --application demo-host org.example.Salon all"),
                       ("A part of it:",
                        "pluginhost consents give --application demo-host org.example.Salon 'files=$HOME/Music:read'"),
                       ("Nothing, without another question:",
                        "pluginhost consents give --application demo-host org.example.Salon none")],
                      changed("There is no such plug-in, or it does not ask for one of the permissions; nothing was changed.",
                              f"{USAGE}, or the answers cannot be written."), ["consents"]),
    "consents revoke": ([("Let the application ask again:",
                          "pluginhost consents revoke --application demo-host org.example.Salon")],
                        changed("There was no answer.", f"{USAGE}, or the answers cannot be written."), ["consents"]),
}
