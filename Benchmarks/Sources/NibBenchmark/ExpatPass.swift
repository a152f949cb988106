import Foundation
import Measuring

/// One pass of the C library expat over a document, with handlers that count elements and attributes: what reading XML costs at
/// least.
///
/// The library is opened at run time, because the project does not need it otherwise.
struct ExpatPass {
    private typealias Create = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias Start =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> Void
    private typealias End = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void
    private typealias SetHandlers = @convention(c) (OpaquePointer?, Start?, End?) -> Void
    private typealias Parse = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, CInt, CInt) -> CInt

    private let create: Create
    private let free: Free
    private let setHandlers: SetHandlers
    private let parse: Parse

    /// Nil if expat is not installed.
    init?() {
        guard let library = dlopen("libexpat.so.1", RTLD_NOW),
            let create = dlsym(library, "XML_ParserCreate"), let free = dlsym(library, "XML_ParserFree"),
            let handlers = dlsym(library, "XML_SetElementHandler"), let parse = dlsym(library, "XML_Parse")
        else { return nil }
        self.create = unsafeBitCast(create, to: Create.self)
        self.free = unsafeBitCast(free, to: Free.self)
        setHandlers = unsafeBitCast(handlers, to: SetHandlers.self)
        self.parse = unsafeBitCast(parse, to: Parse.self)
    }

    /// Passes over a document.
    func run(_ bytes: [UInt8]) throws {
        let parser = create(nil)
        defer { free(parser) }
        setHandlers(parser, { _, _, _ in }, { _, _ in })
        let status = bytes.withUnsafeBytes {
            parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), CInt($0.count), 1)
        }
        guard status == 1 else { throw Child.Failure(description: "expat does not read the document") }
    }
}
