import CPluginSupport.Shims
import Glibc
import HostBasics

/// An ELF file that the dynamic linker has loaded into this process: the program or a library.
package struct ProcessImage: Sendable, Hashable {
    /// The dynamic linker's path; for the main program, the path of its file.
    ///
    /// It is empty for the kernel's library (vDSO).
    package var path: String
    /// The number that is added to the file's addresses.
    package var base: UInt
    /// The address of the file's first segment, which contains its ELF header.
    package var header: UInt
    package var isMainProgram: Bool
}

/// The ELF files that are loaded into this process.
///
/// **Threads.** Any. **Cost.** A few microseconds and a String for each file; nothing is cached.
package enum LoadedImages {
    /// All loaded files in load order, the main program first.
    package static func all() -> [ProcessImage] {
        var images: [ProcessImage] = []
        withUnsafeMutablePointer(to: &images) { images in
            phs_each_image(
                { image, headers, count, context in
                    guard let image, let images = context?.assumingMemoryBound(to: [ProcessImage].self) else {
                        return false
                    }
                    images.pointee.append(
                        ProcessImage(image.pointee, headers, count, isMainProgram: images.pointee.isEmpty))
                    return true
                }, images)
        }
        return images
    }

    /// The start address of the loaded file that contains an address.
    package static func base(containing address: UnsafeRawPointer) -> UInt? {
        var image = phs_image()
        guard phs_image_of_address(address, &image) else { return nil }
        return UInt(image.base)
    }

    /// The Swift modules whose types or protocols each loaded file defines, by the address of the file's ELF header.
    package static func modules() -> [UInt: Set<String>] {
        var sections: [phs_swift_image] = []
        withUnsafeMutablePointer(to: &sections) { sections in
            phs_each_swift_image(
                { image, context in
                    guard let image else { return false }
                    context?.assumingMemoryBound(to: [phs_swift_image].self).pointee.append(image.pointee)
                    return true
                }, sections)
        }
        // The records are read after the enumeration, because the runtime may hold a lock during it.
        var modules: [UInt: Set<String>] = [:]
        for image in sections {
            let found = TypeContext.modules(
                in: ProcessMemory(),
                sections: [
                    (UInt64(UInt(bitPattern: image.types)), UInt64(image.types_length)),
                    (UInt64(UInt(bitPattern: image.protocols)), UInt64(image.protocols_length)),
                ])
            modules[UInt(bitPattern: image.header), default: []].formUnion(found)
        }
        return modules
    }
}

extension ProcessImage {
    fileprivate init(_ image: phs_image, _ headers: UnsafeRawPointer?, _ count: Int, isMainProgram: Bool) {
        base = UInt(image.base)
        self.isMainProgram = isMainProgram
        let name = image.path.map { String(cString: $0) } ?? ""
        path = isMainProgram && name.isEmpty ? Path.mainProgram : name
        header = base
        // A program that is not position-independent has base 0 and its header at the address of its first segment.
        let bytes = UnsafeRawBufferPointer(start: headers, count: count * ELF.programHeaderSize)
        for index in 0..<count {
            let segment = ELFSegment(bytes, at: index * ELF.programHeaderSize)
            guard segment.type == ELF.load else { continue }
            header = base &+ UInt(segment.address) &- UInt(segment.offset)
            break
        }
    }
}
