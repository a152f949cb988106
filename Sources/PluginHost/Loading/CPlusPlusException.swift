import Glibc
internal import PluginABI

/// An exception of C++ that left a function of a plug-in, which the ABI forbids. The shims around these calls caught it.
struct CPlusPlusException {
    /// Its type and what it says: “std::runtime_error: No licence”.
    let text: String

    /// Takes the text of a shim and frees it.
    init(taking text: UnsafeMutablePointer<CChar>) {
        self.text = String(cString: text)
        free(text)
    }

    /// What went wrong, as the end of a sentence.
    var complaint: String { "it let an exception of C++ out, \(quoted(text))" }

    /// `function`: the function that the exception left.
    func remedy(in function: String) -> String {
        "The plug-in's author must catch all exceptions in \(function) and return a failure after set_error()."
    }

    /// `function`: the function that the exception left.
    func failure(in function: String) -> PluginFailure {
        PluginFailure(complaint, remedy: remedy(in: function))
    }
}
