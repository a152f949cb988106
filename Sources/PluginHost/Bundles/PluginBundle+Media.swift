import BundleReading
import HostBasics
@_spi(PluginHost) public import PluginABI
import Synchronization

#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

extension PluginBundle {
    /// The image with a name, from this bundle or, if it has none, from the main bundle.
    ///
    /// The name is tried unchanged, then with `png`, `svg`, `jpg`, `jpeg`, `gif`, `webp`, `tiff`, `tif` and `bmp`. Each
    /// is searched for in the order of ``path(forResource:ofType:)``: the image may be localised, and a host of that
    /// scale or device gets `seal@2x.png` or `seal~phone.png`. Images of other bundles or of the system never take
    /// precedence.
    ///
    /// - Parameter name: the file's name, without the marks of scale and device.
    /// - Returns: the same object for the same name until the file, the device or the scale changes; nil if there is
    ///   none.
    ///
    /// **Threads.** Any. **Cost.** The first call for a name opens one file. Repeated calls cost less than the look-up
    /// of a resource.
    public func image(named name: String) -> NamedImage? {
        if let own = media.image(named: name, { mediaFile($0, $1) }) { return own }
        let main = PluginBundle.main
        return main === self ? nil : main.image(named: name)
    }

    /// The sound with a name, from this bundle or, if it has none, from the main bundle, found like ``image(named:)``.
    ///
    /// The extensions are `wav`, `oga`, `ogg`, `flac`, `mp3`, `opus`, `aiff`, `aif`, `au` and `snd`.
    public func sound(named name: String) -> NamedSound? {
        if let own = media.sound(named: name, { mediaFile($0, $1) }) { return own }
        let main = PluginBundle.main
        return main === self ? nil : main.sound(named: name)
    }

    /// The path of an image of this bundle, found like ``image(named:)``.
    public func pathForImageResource(_ name: String) -> String? {
        BundleMedia.path(of: name, types: BundleMedia.imageTypes, mediaFile)
    }

    /// The URL of an image of this bundle, found like ``image(named:)``.
    public func urlForImageResource(_ name: String) -> URL? {
        pathForImageResource(name).map { URL(filePath: $0, directoryHint: .notDirectory) }
    }

    /// The path of a sound of this bundle, found like ``sound(named:)``.
    public func pathForSoundResource(_ name: String) -> String? {
        BundleMedia.path(of: name, types: BundleMedia.soundTypes, mediaFile)
    }

    /// Finds a file like any resource, including variants and languages.
    private func mediaFile(_ name: String, _ type: String?) -> FoundResource? {
        resources.resource(name, type: type, subdirectory: nil, localization: nil)
    }

    private var media: BundleMedia {
        mediaReference.load() ?? mediaReference.storeIfNil(BundleMedia(bundlePath: bundlePath))
    }

    fileprivate func sound(named name: String, foundAt path: String) -> NamedSound? {
        media.sound(named: name, foundAt: path)
    }
}

extension NamedSound {
    /// The sound with a name, from the main bundle or, if it has none, from the user's and the system's sounds.
    ///
    /// After the main bundle, the search covers `freedesktop/stereo/<name>.oga`, `.ogg` and `.wav` in
    /// `$XDG_DATA_HOME/sounds` and in `sounds` of each directory of `$XDG_DATA_DIRS`. Nibs do not use this search: they
    /// name sounds of their own bundle.
    ///
    /// - Parameter name: the name, such as `bell`.
    /// - Returns: nil if there is none.
    public static func named(_ name: String) -> NamedSound? {
        if let own = PluginBundle.main.sound(named: name) { return own }
        guard SearchOrder.isUsable(name) else { return nil }
        for directory in UserDirectories.process.data {
            for type in ["oga", "ogg", "wav"] {
                let path = Path.join(directory, "sounds/freedesktop/stereo/\(name).\(type)")
                if FileIdentity(path: path)?.isRegularFile ?? false {
                    return PluginBundle.main.sound(named: name, foundAt: path)
                }
            }
        }
        return nil
    }
}
