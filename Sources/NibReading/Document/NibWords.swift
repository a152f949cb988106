internal import PropertyLists

/// The names of elements and attributes that occur in nearly every object and connection, in the numbering of one
/// document.
struct NibWords {
    let id, key, placeholderIdentifier, customClass, customModule, customModuleProvider: XMLName
    let customObject, connections, outlet, outletCollection, action: XMLName
    let property, destination, selector, target, eventType, trigger, reference: XMLName

    init(_ xml: XMLDocument) {
        id = xml.name("id")
        key = xml.name("key")
        placeholderIdentifier = xml.name("placeholderIdentifier")
        customClass = xml.name("customClass")
        customModule = xml.name("customModule")
        customModuleProvider = xml.name("customModuleProvider")
        customObject = xml.name("customObject")
        connections = xml.name("connections")
        outlet = xml.name("outlet")
        outletCollection = xml.name("outletCollection")
        action = xml.name("action")
        property = xml.name("property")
        destination = xml.name("destination")
        selector = xml.name("selector")
        target = xml.name("target")
        eventType = xml.name("eventType")
        trigger = xml.name("trigger")
        reference = xml.name("reference")
    }
}
