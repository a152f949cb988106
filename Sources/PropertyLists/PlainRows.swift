/// The rows of a table under construction: an array without a check at each use whether it is shared.
struct PlainRows<Row: BitwiseCopyable>: ~Copyable {
    private var room: UnsafeMutableBufferPointer<Row>
    private(set) var count = 0

    /// `capacity`: the number of rows to reserve memory for; the memory grows if there are more.
    init(capacity: Int) { room = .allocate(capacity: max(capacity, 1)) }

    deinit { room.deallocate() }

    subscript(row: Int) -> Row {
        @inline(__always) get {
            precondition(row >= 0 && row < count, "a table has no such row")
            return room[row]
        }
        @inline(__always) set {
            precondition(row >= 0 && row < count, "a table has no such row")
            room[row] = newValue
        }
    }

    @inline(__always)
    mutating func append(_ row: Row) {
        if count == room.count { grow() }
        room[count] = row
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<Row>.allocate(capacity: 2 * room.count)
        _ = larger.initialize(fromContentsOf: room[..<count])
        room.deallocate()
        room = larger
    }

    /// The rows, in no more memory than they need.
    var array: [Row] { Array(room[..<count]) }
}
