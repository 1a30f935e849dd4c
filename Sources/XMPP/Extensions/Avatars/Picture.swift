// SPDX-License-Identifier: Apache-2.0

/// A picture of a kind that is safe to hand on, with bounds on what decoding it may cost.
///
/// Nothing is decoded here: the kind is read from the first bytes, whatever the sender claims, and the measures from the
/// headers. A picture that breaks a limit cannot be made (T144). Still decode it in a process of its own.
public struct Picture: Sendable, Hashable {
    /// The kinds that are accepted; a drawing in XML is none of them.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// PNG, animated ones included.
        case png = "image/png"
        /// JPEG.
        case jpeg = "image/jpeg"
        /// GIF, animated ones included.
        case gif = "image/gif"
        /// WebP, animated ones included.
        case webp = "image/webp"

        /// The kind that the first bytes show, nil for any other.
        public init?(of bytes: [UInt8]) {
            if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                self = .png
            } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
                self = .jpeg
            } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
                self = .gif
            } else if bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) {
                self = .webp
            } else {
                return nil
            }
        }

        /// The name of the kind, as `image/png`.
        public var mediaType: String { rawValue }
    }

    /// How large a picture may be.
    public struct Limits: Sendable, Hashable {
        /// The most bytes.
        ///
        /// Defaults to 1 MiB.
        public var bytes = 1 << 20
        /// The most pixels on one side.
        ///
        /// Defaults to 4096.
        public var side = 4096
        /// The most frames.
        ///
        /// Defaults to 256.
        public var frames = 256
        /// The most pixels of all frames together.
        ///
        /// Defaults to 2²⁵.
        public var pixels = 1 << 25

        /// Makes the usual limits for pictures of others.
        public init() {}

        /// For pictures that are published: 128 KiB, so that the stanza fits through every server.
        public static let published: Limits = {
            var limits = Limits()
            limits.bytes = 128 << 10
            return limits
        }()
    }

    /// The bytes.
    public let bytes: [UInt8]
    /// What they are.
    public let format: Format
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// How many frames there are; 1 unless it moves.
    public let frames: Int
    /// The name of the picture.
    public let hash: PictureHash

    /// Checks bytes from wherever.
    ///
    /// Throws ``XMPPError``: `pictureTooLarge` when a limit is broken, `pictureNotAcceptable` when the bytes are none of
    /// the kinds or have no readable measures.
    public init(_ bytes: [UInt8], limits: Limits = Limits()) throws(XMPPError) {
        guard bytes.count <= limits.bytes else { throw .pictureTooLarge(bytes.count, limits) }
        guard let format = Format(of: bytes) else {
            throw XMPPError(.pictureNotAcceptable, "this is no PNG, JPEG, GIF or WebP picture")
        }
        guard let header = PictureHeader(bytes, format), header.width > 0, header.height > 0, header.frames > 0 else {
            throw XMPPError(.pictureNotAcceptable, "the headers of the \(format.mediaType) picture are damaged")
        }
        let (width, height, frames) = (header.width, header.height, header.frames)
        guard width <= limits.side, height <= limits.side, frames <= limits.frames,
            width <= limits.pixels / frames / height
        else {
            throw XMPPError(
                .pictureTooLarge, "a picture of \(width)×\(height) pixels in \(frames) frames is more than is accepted")
        }
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.frames = frames
        hash = PictureHash(of: bytes)
    }

    /// Checks bytes that came under a name.
    ///
    /// Throws as ``init(_:limits:)`` does, and `pictureMismatch` when they are another picture than the name says.
    public init(_ bytes: [UInt8], named hash: PictureHash, limits: Limits = Limits()) throws(XMPPError) {
        guard bytes.count <= limits.bytes else { throw .pictureTooLarge(bytes.count, limits) }
        guard PictureHash(of: bytes) == hash else {
            throw XMPPError(.pictureMismatch, "another picture came than was announced")
        }
        try self.init(bytes, limits: limits)
    }
}

extension XMPPError.Code {
    /// The picture breaks a limit.
    public static let pictureTooLarge = Self(rawValue: "pictureTooLarge")
    /// The bytes are no picture of a kind that is accepted.
    public static let pictureNotAcceptable = Self(rawValue: "pictureNotAcceptable")
    /// The picture is another one than was announced.
    public static let pictureMismatch = Self(rawValue: "pictureMismatch")
}

extension XMPPError {
    /// Whether a picture was refused for what it is.
    var isPictureRefusal: Bool {
        code == .pictureTooLarge || code == .pictureNotAcceptable || code == .pictureMismatch
    }

    static func pictureTooLarge(_ bytes: Int, _ limits: Picture.Limits) -> XMPPError {
        XMPPError(
            .pictureTooLarge,
            "a picture of \(bytes) bytes is too large; at most \(limits.bytes) are accepted, so scale it down")
    }
}
