/// The steps of an instantiation, as the stages of planning add them.
///
/// Why not arrays: a step is not copyable, see ``NibPlan/Step``.
struct NibSteps {
    /// The order of the steps: phases with lower numbers come first.
    enum Phase: Int, CaseIterable {
        case attributes, containment, connections, runtimeAttributes, connectors, externals
    }

    /// The steps of each phase.
    let lists = (0..<Phase.allCases.count).map { _ in Rows<NibPlan.Step>() }

    subscript(phase: Phase) -> Rows<NibPlan.Step> { lists[phase.rawValue] }

    /// Adds a step.
    ///
    /// Steps on the owner or a placeholder come last, when nothing can fail any more.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - phase: its phase, if the nib makes the object that it changes.
    ///   - isMade: whether the nib makes that object.
    func append(_ step: consuming NibPlan.Step, _ phase: Phase, isMade: Bool) {
        self[!isMade && phase != .connectors ? .externals : phase].append(step)
    }
}
