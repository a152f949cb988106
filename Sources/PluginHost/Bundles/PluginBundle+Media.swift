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
    /// The image of a name: of this bundle, or else of the main bundle.
    ///
    /// The name without extension is looked for as it stands, then with `png`, `svg`, `jpg`, `jpeg`, `gif`, `webp`, `tiff`,
    /// `tif` and `bmp`, each by the order of ``path(forResource:ofType:)``: so it may be localised, and
    /// `seal@2x.png` or `seal~phone.png` is taken for a host of that scale or device. Nothing of other bundles or of the
    /// system hides it.
    ///
    /// - Parameter name: the file's name, without the marks of scale and device.
    /// - Returns: the same object for one name until the file, the device or the scale changes; nil if there is none.
    ///
    /// **Threads.** Any. **Cost.** Repeated, less than a look-up of a resource; the first time one file is opened.
    public func image(named name: String) -> NamedImage? {
        if let own = media.image(named: name, { mediaFile($0, $1) }) { return own }
        let main = PluginBundle.main
        return main === self ? nil : main.image(named: name)
    }

    /// The sound of a name: of this bundle, or else of the main bundle, as ``image(named:)``.
    ///
    /// The extensions are `wav`, `oga`, `ogg`, `flac`, `mp3`, `opus`, `aiff`, `aif`, `au` and `snd`.
    public func sound(named name: String) -> NamedSound? {
        if let own = media.sound(named: name, { mediaFile($0, $1) }) { return own }
        let main = PluginBundle.main
        return main === self ? nil : main.sound(named: name)
    }

    /// The path of an image of this bundle, found as by ``image(named:)``.
    public func pathForImageResource(_ name: String) -> String? {
        BundleMedia.path(of: name, types: BundleMedia.imageTypes, mediaFile)
    }

    /// The URL of an image of this bundle, found as by ``image(named:)``.
    public func urlForImageResource(_ name: String) -> URL? {
        pathForImageResource(name).map { URL(filePath: $0, directoryHint: .notDirectory) }
    }

    /// The path of a sound of this bundle, found as by ``sound(named:)``.
    public func pathForSoundResource(_ name: String) -> String? {
        BundleMedia.path(of: name, types: BundleMedia.soundTypes, mediaFile)
    }

    /// Finds a file as any resource: variants and languages included.
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
    /// The sound of a name: of the main bundle, or else of the user's and the system's sounds.
    ///
    /// After the main bundle it looks for `freedesktop/stereo/<name>.oga`, `.ogg` and `.wav` in `$XDG_DATA_HOME/sounds`
    /// and in `sounds` of each directory of `$XDG_DATA_DIRS`. Nibs do not: they name sounds of their own bundle.
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
