import Glibc
import HostBasics
internal import PluginABI

/// A C++ exception that left a function of a plug-in, which the ABI forbids.
///
/// The shims around these calls caught it.
struct CPlusPlusException {
    /// Its type and text: “std::runtime_error: No licence”.
    let text: String

    /// Copies the text from a shim and frees the original.
    init(taking text: UnsafeMutablePointer<CChar>) {
        self.text = String(cString: text)
        free(text)
    }

    /// What went wrong, as the end of a sentence.
    var complaint: String { "it threw a C++ exception, \(quoted(text))" }

    /// `function`: the function that the exception left.
    func remedy(in function: String) -> String {
        "The plug-in's author must catch all exceptions in \(function) and return a failure after set_error()."
    }

    /// `function`: the function that the exception left.
    func failure(in function: String) -> PluginFailure {
        PluginFailure(complaint, remedy: remedy(in: function))
    }
}
