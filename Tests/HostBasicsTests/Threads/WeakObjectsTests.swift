import HostBasics
import Testing

@Suite struct WeakObjectsTests {
    private final class Object: Sendable {}

    private func living(_ objects: WeakObjects<Object>) -> [Object] { objects.all.compactMap(\.object) }

    @Test func objectsAreInTheOrderOfTheirAddition() {
        var objects = WeakObjects<Object>()
        let owned = (0..<100).map { _ in Object() }
        for object in owned { objects.add(object) }
        #expect(living(objects).map(ObjectIdentifier.init) == owned.map(ObjectIdentifier.init))
    }

    @Test func anObjectThatIsAddedAgainIsOnceThereAsTheLast() {
        var objects = WeakObjects<Object>()
        let (first, second) = (Object(), Object())
        for object in [first, second, first] { objects.add(object) }
        #expect(living(objects).map(ObjectIdentifier.init) == [second, first].map(ObjectIdentifier.init))
    }

    @Test func destroyedObjectsDoNotAccumulate() {
        var objects = WeakObjects<Object>()
        let owned = Object()
        objects.add(owned)
        for _ in 0..<1000 { objects.add(Object()) }
        #expect(objects.all.count <= 17 && living(objects).first === owned)
    }
}
