import PluginABI

/// What the nibs of the measurement are made of: three attributes, an outlet, and an event.
final class Cell: Plugin, NibObject {
    var title = ""
    var tag = 0
    var isOn = false
    var next: Cell?
    var onPress: NibAction?
    /// What the graph that is made by hand has in the place of ``onPress``.
    var press: ((Cell) throws -> Void)?
    var awoken = 0

    init() {}
    init(context: PluginContext) {}

    static let nibInterface = NibInterface(for: Cell.self) { nib in
        nib.attribute("title") { $0.title = $1 }
        nib.attribute("tag") { $0.tag = $1 }
        nib.attribute("isOn") { $0.isOn = $1 }
        nib.outlet("next") { $0.next = $1 }
        nib.event { $0.onPress = $1 }
    }

    func awakeFromNib() { awoken += 1 }
}

/// The owner of the nibs.
final class Board: NibObject {
    var first: Cell?
    var presses = 0

    static let nibInterface = NibInterface(for: Board.self) { nib in
        nib.outlet("first") { $0.first = $1 }
        nib.action("press:", Board.press)
    }

    func press(_ sender: Cell) { presses += 1 }
}

/// The same graph, by hand and as a document.
enum Graph {
    /// Makes the objects as an author would without nibs.
    static func make(_ count: Int, owner: Board) -> [Cell] {
        var cells: [Cell] = []
        cells.reserveCapacity(count)
        for number in 0..<count {
            let cell = Cell()
            cell.title = "Cell \(number)"
            cell.tag = number
            cell.isOn = number.isMultiple(of: 3)
            cells.append(cell)
        }
        for number in 0..<count {
            // The outlets make no chain: each row of ten begins anew.
            if number % 10 != 9, number + 1 < count { cells[number].next = cells[number + 1] }
            if number.isMultiple(of: 2) { cells[number].press = { [weak owner] in owner?.press($0) } }
        }
        owner.first = cells.first
        for cell in cells { cell.awakeFromNib() }
        return cells
    }

    /// The document of the same objects.
    static func document(_ count: Int) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0">
                <objects>
                    <customObject id="-2" userLabel="File's Owner" customClass="Board">
                        <connections>
                            <outlet property="first" destination="cell-0" id="first"/>
                        </connections>
                    </customObject>

            """
        for number in 0..<count {
            let flag = number.isMultiple(of: 3) ? "YES" : "NO"
            text +=
                "        <customObject id=\"cell-\(number)\" customClass=\"Cell\" title=\"Cell \(number)\" "
                + "tag=\"\(number)\" isOn=\"\(flag)\">\n            <connections>\n"
            if number % 10 != 9, number + 1 < count {
                text +=
                    "                <outlet property=\"next\" destination=\"cell-\(number + 1)\" id=\"o-\(number)\"/>\n"
            }
            if number.isMultiple(of: 2) {
                text += "                <action selector=\"press:\" target=\"-2\" id=\"a-\(number)\"/>\n"
            }
            text += "            </connections>\n        </customObject>\n"
        }
        return text + "    </objects>\n</document>\n"
    }
}
