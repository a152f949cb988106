/// Rows of facts, which an exporter lays out.
public struct Table: Sendable {
    /// The content of one cell.
    ///
    /// The exporter writes numbers in the style of the report's language.
    public enum Cell: Sendable {
        case text(String)
        case integer(Int)
        /// With one digit after the decimal mark.
        case decimal(Double)
        /// 0.25 is shown as 25 %.
        case percentage(Double)
        /// The size of a file.
        case bytes(Int)
        /// Set in a monospaced face.
        case code(String)
    }

    /// The title for people.
    public var title: String
    /// The heads of the columns; empty for a table of names and values, which needs none.
    public var columns: [String]
    /// The rows, each with a cell for each column.
    public var rows: [[Cell]]
    /// A sentence below the table, for instance about rows that were left out; empty for none.
    public var remark: String

    /// A table with the given parts.
    public init(title: String, columns: [String] = [], rows: [[Cell]] = [], remark: String = "") {
        self.title = title
        self.columns = columns
        self.rows = rows
        self.remark = remark
    }
}
