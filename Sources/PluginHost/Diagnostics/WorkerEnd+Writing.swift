internal import CPluginSupport.Shims

extension WorkerEnd {
    /// An end with what the worker wrote: if a signal ended it, its handler wrote the backtrace last.
    init(cause: Cause, phase: Phase, writing text: String) {
        self.init(cause: cause, phase: phase, output: text)
        guard case .signal = cause else { return }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.lastIndex(where: { $0 == PHS_STACK_BEGINS }) else { return }
        let frames = lines[(first + 1)...].prefix { $0.hasPrefix("  ") }.prefix(Int(PHS_STACK_FRAMES))
        backtrace = frames.compactMap(Frame.init)
        // Threads may still have written after it.
        output = (lines[..<first] + lines[(first + 1 + frames.count)...]).joined(separator: "\n")
    }
}

extension WorkerEnd.Frame {
    /// A place in the form of phs_journal_write_stacks().
    fileprivate init?(_ line: Substring) {
        guard let plus = line.lastIndex(of: "+"), line[plus...].hasPrefix("+0x"),
            let offset = UInt64(line[plus...].dropFirst(3), radix: 16)
        else { return nil }
        self.init(path: String(line[..<plus].dropFirst(2)), offset: offset)
    }
}
