/// The strongly connected components of a directed graph: sets of nodes that all lead to each other.
///
/// A component comes after every other one that it leads to, so in a graph without circles each node comes after those
/// that it needs. Nodes are visited in ascending order, so equal graphs give equal results.
///
/// Source: R. Tarjan, “Depth-first search and linear graph algorithms”, SIAM Journal on Computing 1, 1972; with an
/// explicit stack, because a chain may be too long for the thread's stack.
///
/// - Parameter successors: for each node, the nodes that it leads to.
/// - Returns: the components, each in ascending order.
///
/// **Cost.** Linear in nodes and edges.
func stronglyConnectedComponents(_ successors: [[Int]]) -> [[Int]] {
    var components: [[Int]] = []
    var order = [Int](repeating: 0, count: successors.count)  // in which nodes are reached, from 1; 0: not reached
    var lowest = order  // the lowest node on the stack that a node leads to
    var isOnStack = [Bool](repeating: false, count: successors.count)
    var stack: [Int] = []
    var path: [(node: Int, next: Int)] = []
    var reached = 0

    func enter(_ node: Int) {
        reached += 1
        order[node] = reached
        lowest[node] = reached
        isOnStack[node] = true
        stack.append(node)
        path.append((node, 0))
    }

    for root in successors.indices where order[root] == 0 {
        enter(root)
        while let (node, next) = path.last {
            if next < successors[node].count {
                path[path.count - 1].next += 1
                let successor = successors[node][next]
                if order[successor] == 0 {
                    enter(successor)
                } else if isOnStack[successor] {
                    lowest[node] = min(lowest[node], order[successor])
                }
                continue
            }
            path.removeLast()
            if let parent = path.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
            if lowest[node] == order[node] {
                let start = stack.lastIndex(of: node)!
                let component = Array(stack[start...]).sorted()
                stack.removeSubrange(start...)
                for member in component { isOnStack[member] = false }
                components.append(component)
            }
        }
    }
    return components
}
