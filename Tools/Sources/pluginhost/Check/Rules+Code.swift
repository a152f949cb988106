import PluginHost

extension Rule {
    static let loading: [Rule] = [
        .plugin(
            .executableChanged, .load, .load,
            what: "The executable was replaced between its check and the call of plugin_entry.",
            why: "The code that would run is not the code that was checked.",
            mend:
                "Check the bundle again after its installation. Code that replaces its own file must not do so while it is loaded."
        ),
        .plugin(
            .alreadyEntered, .load, .load,
            what: "One file is the executable of two bundles.",
            why:
                "The dynamic linker loads a file once, so the second bundle would share the first one's code and state.",
            mend: "Give each bundle its own copy of the file instead of a link."),
        .plugin(
            .libraryClash, .load, .load,
            what:
                "A library that the bundle carries has the name of another library, and cannot get a name of its own.",
            why: "The dynamic linker would give the plug-in the other library, which may be another version.",
            mend: """
                Give the library a SONAME of its own, such as -Wl,-soname,libhelper-example.so.1, and link the plug-in \
                again.
                """),
        .plugin(
            .loadFailed, .load, .load,
            what: "The dynamic linker refuses the executable for a reason that its files do not show.",
            why: "No application can load the plug-in.",
            mend: "Read the linker's message. “LD_DEBUG=all pluginhost load” shows each of its steps."),
        .plugin(
            .entryFailed, .load, .load,
            what: "plugin_entry returned a failure, or a C++ exception left it.",
            why: "Nothing of the plug-in is registered.",
            mend:
                "Correct the cause that the message states. Call set_error() before each failure, so that there is one."
        ),
        .plugin(
            .nothingRegistered, .load, .load,
            what: "plugin_entry succeeded but registered nothing.",
            why: "An application cannot use the plug-in.",
            mend: "Register a class, a provider, a factory or a function in plugin_entry."),
        .plugin(
            .registrationInvalid, .load, .load,
            what:
                "A registration has an unusable name, signature or structure, or was made on another thread than that of plugin_entry.",
            why: "All registrations of an entry count together, so one invalid registration makes the load fail.",
            mend:
                "Correct the registration that the message names, and register only on the thread that called plugin_entry."
        ),
        .plugin(
            .duplicateFactory, .load, .load,
            what: "Two registrations of one plug-in, or of two plug-ins at one extension point, have the same name.",
            why: "An application that asks for the name could get either.",
            mend: "Give each registration a different name."),
        .plugin(
            .signatureMismatch, .load, .load,
            what: "PHFunctions declares another signature than the code registers.",
            why: "A call with the wrong signature passes wrong arguments, and may crash.",
            mend: "Correct the one that is not the C function's own."),
        .plugin(
            .activationFailed, .load, .load,
            what: "plugin_entry succeeded, but activate failed.",
            why: "A plug-in that is not active offers nothing.",
            mend: "Correct the cause that the message states."),
        .plugin(
            .serviceUndeclared, .load, .load,
            what: "The code requests a service that PHUses of Info.plist does not declare.",
            why: "The application loads the providers of declared services only, so the request fails.",
            mend: "Declare the extension point and its version in PHUses."),
        .plugin(
            .serviceMissing, .load, .load,
            what: "Nobody provides a service that the code requests while it is loaded.",
            why: "The plug-in fails in every application that has no such provider.",
            mend: "Name the bundle that provides the service on the same command line, or load without the service."),
        .plugin(
            .crashed, .load, .load,
            what: "A signal ended the process in which the tool ran the code. The message names the step.",
            why: "In an application, the same fault ends the application.",
            mend: "Correct what the code does in that step; a debugger shows the place."),
        .plugin(
            .exited, .load, .load,
            what: "The code ended the process in which the tool ran it. The message names the step.",
            why: "A plug-in must not end its application.",
            mend: "Return or throw an error instead of calling exit()."),
        .plugin(
            .hung, .load, .load,
            what: "A step took longer than the limit, and the tool ended the process. The message names the step.",
            why: "An application that loads the plug-in stands still.",
            mend: "Wait for nothing in plugin_entry, hooks and factories. “--timeout” gives more time."),
        .plugin(
            .reportLost, .load, .load,
            what:
                "The code closed or overwrote a descriptor that is not its own, so the outcome of the load is unknown.",
            why: "In an application, that descriptor is a file or a connection of the application.",
            mend: "Close and write only descriptors that the plug-in opened."),
        .plugin(
            .descriptorMisused, .load, .load,
            what: "The code wrote into a descriptor that is not its own.",
            why: "In an application, that damages a file or a connection of the application.",
            mend: "Write only to descriptors that the plug-in opened."),
        .plugin(
            .outputFlooded, .standard, .load,
            what: "The code wrote more output than the tool shows.",
            why: "It hides the messages of the application.",
            mend: "Log less, through the host's log()."),
        .plugin(
            .processesLeft, .standard, .load,
            what: "Processes that the code started were still running when its own process ended.",
            why: "They outlive the application, and nobody ends them.",
            mend: "Wait for each process that the plug-in starts, or end it in deactivate."),
    ]
}
