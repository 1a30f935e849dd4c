// SPDX-License-Identifier: Apache-2.0

/// What a file is by its own first bytes, of the kinds that are harmless to show or play (XEP-0363 §11).
///
/// What the sender or a server says counts for nothing: a file that is of none of these kinds is only offered for saving,
/// whatever its name. Text, HTML, SVG and PDF are among those, since they can carry programs.
public enum FileKind: String, Sendable, Hashable, CaseIterable {
    /// A PNG picture.
    case png = "image/png"
    /// A JPEG picture.
    case jpeg = "image/jpeg"
    /// A GIF picture.
    case gif = "image/gif"
    /// A WebP picture.
    case webp = "image/webp"
    /// An AVIF picture.
    case avif = "image/avif"
    /// A film in MP4, or sound in it.
    case mp4 = "video/mp4"
    /// A film in WebM.
    case webm = "video/webm"
    /// Sound in Ogg.
    case ogg = "audio/ogg"
    /// Sound in MP3.
    case mp3 = "audio/mpeg"
    /// Sound in WAV.
    case wav = "audio/wav"
    /// Sound in FLAC.
    case flac = "audio/flac"

    /// So many bytes from the beginning are enough to tell.
    public static let prefixBytes = 64

    /// The kind that the first bytes show, nil for any other.
    public init?(of bytes: some Collection<UInt8>) {
        let start = Array(bytes.prefix(Self.prefixBytes))
        func has(_ text: String, at place: Int) -> Bool {
            place + text.utf8.count <= start.count && start[place...].starts(with: text.utf8)
        }
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has("GIF87a", at: 0) || has("GIF89a", at: 0) {
            self = .gif
        } else if has("RIFF", at: 0), has("WEBP", at: 8) {
            self = .webp
        } else if has("RIFF", at: 0), has("WAVE", at: 8) {
            self = .wav
        } else if has("ftyp", at: 4) {
            self = has("avif", at: 8) || has("avis", at: 8) ? .avif : .mp4
            if !has("avif", at: 8), !has("avis", at: 8), !Self.filmBrands.contains(where: { has($0, at: 8) }) {
                return nil
            }
        } else if start.starts(with: [0x1A, 0x45, 0xDF, 0xA3]), String(decoding: start, as: UTF8.self).contains("webm")
        {
            self = .webm
        } else if has("OggS", at: 0) {
            self = .ogg
        } else if has("ID3", at: 0)
            || start.count > 1 && start[0] == 0xFF && [0xFB, 0xFA, 0xF3, 0xF2].contains(start[1])
        {
            self = .mp3
        } else if has("fLaC", at: 0) {
            self = .flac
        } else {
            return nil
        }
    }

    private static let filmBrands = [
        "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4A ", "M4V ", "dash",
    ]

    /// Whether it is a picture.
    public var isPicture: Bool { rawValue.hasPrefix("image/") }
}
