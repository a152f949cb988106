/// Rows of facts, for an exporter to set.
public struct Table: Sendable {
    /// What stands in one place of a row. The exporter writes numbers as the report's language does.
    public enum Cell: Sendable {
        case text(String)
        case integer(Int)
        /// With one digit after the decimal mark.
        case decimal(Double)
        /// 0.25 is shown as 25 %.
        case percentage(Double)
        /// A size of a file.
        case bytes(Int)
        /// Set in a monospaced face.
        case code(String)
    }

    /// The title for people.
    public var title: String
    /// The heads of the columns; empty for a table of names and values that needs none.
    public var columns: [String]
    /// The rows, each with a cell for each column.
    public var rows: [[Cell]]
    /// A sentence below the table, for instance what was left out; empty for none.
    public var remark: String

    /// A table with the given parts.
    public init(title: String, columns: [String] = [], rows: [[Cell]] = [], remark: String = "") {
        self.title = title
        self.columns = columns
        self.rows = rows
        self.remark = remark
    }
}
