import ArgumentParser

/// A form in which a property list is written.
enum ListForm: String, CaseIterable {
    case xml1, binary1, openstep, json

    static func named(_ name: String) throws -> ListForm {
        guard let form = ListForm(rawValue: name) else {
            throw ValidationError("The form must be xml1, binary1, openstep or json.")
        }
        return form
    }
}
