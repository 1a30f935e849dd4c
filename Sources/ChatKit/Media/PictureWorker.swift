// SPDX-License-Identifier: Apache-2.0

/// Decodes pictures outside of this process: their decoders meet whatever strangers send, and must be able to do no harm.
///
/// `apus` has one that runs `apus-image`, a program that can neither open files nor connect.
public protocol PictureWorker: Sendable {
    /// Makes other pictures of the one in a file.
    ///
    /// Waits until they are done. Cancelling ends the work.
    ///
    /// - Throws: ``ChatError``: `pictureNotAcceptable` for what is no whole picture of a known kind, `pictureTooLarge` for
    ///   one that has too many pixels, `pictureWorkerFailed` when it took too long, too much memory, or was killed.
    func make(_ work: PictureWork, from path: String) async throws(ChatError) -> PictureResult
}

/// Which pictures are wanted.
public struct PictureWork: Hashable, Sendable {
    /// The longest side of the picture itself in pixels; nil leaves it out.
    public var full: Int?
    /// Parts that are transparent stay so; otherwise they become white.
    public var keepsTransparency = false
    /// The longest side of a small picture; nil leaves it out.
    public var thumbnail: Int?
    /// The longest side of a very small picture; nil leaves it out.
    public var preview: Int?

    /// Makes the wish for nothing but the measures.
    public init() {}
}

/// A picture that was made: its pixels, upright, and nothing else that the old one said (T154).
public struct MadePicture: Hashable, Sendable {
    /// The bytes.
    public var bytes: [UInt8]
    /// `image/jpeg` or `image/png`.
    public var mediaType: String
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// Makes a value.
    public init(bytes: [UInt8], mediaType: String, width: Int, height: Int) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.width = width
        self.height = height
    }
}

/// What a worker made of a picture.
public struct PictureResult: Hashable, Sendable {
    /// The width of the old picture in pixels.
    public var width: Int
    /// The height of the old picture in pixels.
    public var height: Int
    /// How many pictures it has; more than one when it moves.
    public var frames: Int
    /// The picture itself.
    public var full: MadePicture?
    /// A small one.
    public var thumbnail: MadePicture?
    /// A very small one.
    public var preview: MadePicture?

    /// Makes a value.
    public init(width: Int, height: Int, frames: Int = 1) {
        self.width = width
        self.height = height
        self.frames = frames
    }
}

extension ChatError.Code {
    /// The picture is damaged, or of a kind that is not known.
    public static let pictureNotAcceptable = Self(rawValue: "pictureNotAcceptable")
    /// The picture has too many pixels or bytes.
    public static let pictureTooLarge = Self(rawValue: "pictureTooLarge")
    /// There is nobody who decodes pictures, so none can be prepared.
    public static let pictureWorkerMissing = Self(rawValue: "pictureWorkerMissing")
    /// Whoever decodes pictures failed.
    public static let pictureWorkerFailed = Self(rawValue: "pictureWorkerFailed")
}
