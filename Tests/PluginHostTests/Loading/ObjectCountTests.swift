import Testing

@testable import PluginHost

@Suite struct ObjectCountTests {
    private protocol Shape {}
    private final class Circle: Shape {}
    private struct Square: Shape { var side = 1 }
    private enum Kind { case plain, held(Circle) }

    @Test func objectsCountWhileTheyLive() {
        let count = ObjectCount()
        var circles = (0..<100).map { _ in Circle() }
        for circle in circles { count.add(circle) }
        #expect(count.value == 100)
        circles.removeLast(40)
        #expect(count.value == 60)
        circles = []
        #expect(count.value == 0)
    }

    @Test func anObjectThatIsGivenOftenCountsOnce() {
        let count = ObjectCount()
        let circle = Circle()
        for _ in 0..<1000 { count.add(circle as any Shape) }
        #expect(count.value == 1)
        withExtendedLifetime(circle) {}
    }

    @Test func valuesThatAreNotObjectsDoNotCount() {
        let count = ObjectCount()
        let circle = Circle()
        count.add(Square() as any Shape)
        count.add(3)
        count.add("text")
        count.add([circle])
        count.add(Kind.held(circle))
        count.add(Circle.self)
        count.add { 1 }
        #expect(count.value == 0)
        // The same value as an object of an existential type counts.
        count.add(circle as any Shape)
        count.add(circle as Any)
        #expect(count.value == 1)
    }

    @Test func manyObjectsThatDieLeaveNothing() {
        let count = ObjectCount()
        let held = Circle()
        count.add(held)
        for _ in 0..<100_000 { count.add(Circle()) }
        #expect(count.value == 1)
        withExtendedLifetime(held) {}
    }

    @Test func objectsWithAReportedEndAreCountedExactly() {
        let count = ObjectCount()
        for _ in 0..<10 { count.add() }
        for _ in 0..<7 { count.remove() }
        #expect(count.value == 3)
    }

    @Test func theCensusListsLiveObjectsByPointAndName() {
        let census = ObjectCensus()
        let (a, b) = (Circle(), Circle())
        census.count(.provider, "round", at: "org.example.z").add(a)
        census.count(.provider, "round", at: "org.example.a").add(b)
        census.count(.pluginClass, "Nobody").add(Circle())
        census.count(.cProvider, "square", at: "org.example.a").add()
        #expect(
            census.live == [
                LiveObjects(kind: .provider, name: "round", extensionPoint: "org.example.a", count: 1),
                LiveObjects(kind: .cProvider, name: "square", extensionPoint: "org.example.a", count: 1),
                LiveObjects(kind: .provider, name: "round", extensionPoint: "org.example.z", count: 1),
            ])
        withExtendedLifetime((a, b)) {}
    }
}
