/// Apple's most common types of documents, which bundles need not declare.
///
/// Source: Apple, Uniform Type Identifiers, “System-declared uniform type identifiers”.
enum SystemTypes {
    /// The types; each is listed after those to which it conforms.
    static let declarations: [Manifest.TypeDeclaration] = table.split(separator: "\n").map { row in
        let cells = row.split(separator: "|", omittingEmptySubsequences: false).map { cell in
            cell.split(separator: " ").map(String.init)
        }
        func cell(_ number: Int) -> [String] { number < cells.count ? cells[number] : [] }
        return Manifest.TypeDeclaration(
            identifier: cell(0)[0], conformsTo: cell(1), extensions: cell(2), mimeTypes: cell(3), isExported: true)
    }

    /// Identifier | what it conforms to | extensions | MIME types.
    private static let table = """
        public.item
        public.content
        public.composite-content | public.content
        public.data | public.item
        public.directory | public.item
        public.folder | public.directory
        public.archive | public.data
        public.zip-archive | public.archive | zip | application/zip
        public.tar-archive | public.archive | tar | application/x-tar
        public.executable | public.data
        public.database | public.data
        public.font | public.data
        public.text | public.data public.content
        public.plain-text | public.text | txt text | text/plain
        public.utf8-plain-text | public.plain-text
        public.delimited-values-text | public.text
        public.comma-separated-values-text | public.delimited-values-text | csv | text/csv
        public.tab-separated-values-text | public.delimited-values-text | tsv | text/tab-separated-values
        public.rtf | public.text | rtf | text/rtf application/rtf
        public.html | public.text | html htm | text/html
        public.xml | public.text | xml | application/xml text/xml
        public.json | public.text | json | application/json
        public.yaml | public.text | yaml yml | application/x-yaml application/yaml
        public.css | public.text | css | text/css
        public.vcard | public.text | vcf vcard | text/vcard
        public.source-code | public.plain-text
        public.script | public.source-code
        public.shell-script | public.script | sh | application/x-sh
        public.python-script | public.script | py | text/x-python
        public.c-source | public.source-code | c | text/x-csrc
        public.c-header | public.source-code | h | text/x-chdr
        public.c-plus-plus-source | public.source-code | cpp cc cxx | text/x-c++src
        public.swift-source | public.source-code | swift | text/x-swift
        public.image | public.data public.content
        public.jpeg | public.image | jpg jpeg jpe | image/jpeg
        public.png | public.image | png | image/png
        public.tiff | public.image | tiff tif | image/tiff
        public.svg-image | public.image public.xml | svg | image/svg+xml
        public.heic | public.image | heic | image/heic
        public.audiovisual-content | public.data public.content
        public.audio | public.audiovisual-content
        public.mp3 | public.audio | mp3 | audio/mpeg
        public.aiff-audio | public.audio | aiff aif | audio/aiff audio/x-aiff
        public.midi-audio | public.audio | mid midi | audio/midi audio/x-midi
        public.movie | public.audiovisual-content
        public.mpeg | public.movie | mpg mpeg | video/mpeg
        public.mpeg-4 | public.movie | mp4 | video/mp4
        public.avi | public.movie | avi | video/avi video/x-msvideo
        """
}
