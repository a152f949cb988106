extension GraphLayout {
    /// Sorts each layer by the places of its neighbours, in forward and backward passes, and keeps the order with the
    /// fewest crossings.
    mutating func order() {
        var best = layers
        var fewest = crossings()
        for round in 0..<12 where fewest > 0 {
            let isForward = round % 2 == 0
            for number in isForward ? Array(layers.indices.dropFirst()) : layers.indices.dropLast().reversed() {
                let beside = isForward ? layers[number - 1] : layers[number + 1]
                var position = [Int: Int](minimumCapacity: beside.count)
                for (index, item) in beside.enumerated() { position[item] = index }
                let keys = layers[number].enumerated().map { index, item -> (Double, Int, Int) in
                    let neighbours = isForward ? items[item].before : items[item].after
                    if neighbours.isEmpty { return (Double(index), index, item) }
                    let sum = neighbours.reduce(0) { $0 + position[$1]! }
                    return (Double(sum) / Double(neighbours.count), index, item)
                }
                layers[number] = keys.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
            }
            let count = crossings()
            if count < fewest {
                fewest = count
                best = layers
            }
        }
        layers = best
    }

    /// The number of pairs of edges that cross: the inversions between the ends on both sides, counted with a tree of
    /// sums (Barth, Jünger and Mutzel 2002).
    private func crossings() -> Int {
        var total = 0
        for (left, right) in zip(layers, layers.dropFirst()) {
            var position = [Int: Int](minimumCapacity: right.count)
            for (index, item) in right.enumerated() { position[item] = index }
            var sums = [Int](repeating: 0, count: right.count + 1)
            var seen = 0
            for item in left {
                let ends = items[item].after.map { position[$0]! }
                for end in ends {
                    var index = end + 1
                    var notAbove = 0
                    while index > 0 {
                        notAbove += sums[index]
                        index -= index & -index
                    }
                    total += seen - notAbove
                }
                for end in ends {
                    var index = end + 1
                    while index <= right.count {
                        sums[index] += 1
                        index += index & -index
                    }
                    seen += 1
                }
            }
        }
        return total
    }
}
