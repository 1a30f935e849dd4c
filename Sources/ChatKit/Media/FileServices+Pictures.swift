// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import ApusTransport
internal import XMPP

/// What pictures of messages are made into; none is decoded in this process.
extension FileServices {
    /// The longest sides in pixels.
    static let fullSide = 1600
    static let thumbnailSide = 400
    static let previewSide = 24

    /// What a file that came is, as far as it may be shown.
    struct Look {
        var kind: FileKind?
        var size: (width: Int, height: Int)?
        var thumbnail: MadePicture?
    }

    /// Looks at a file that came.
    ///
    /// A picture that cannot be decoded is none that may be shown: it is only offered for saving (T144).
    func look(at name: String, _ kind: FileKind?) async -> Look {
        guard let kind, kind.isPicture else { return Look(kind: kind) }
        guard Picture.Format(rawValue: kind.rawValue) != nil else { return Look(kind: kind) }
        guard let measured = await measure(name) else { return Look() }
        guard let worker else { return Look(kind: kind, size: (measured.width, measured.height)) }
        var work = PictureWork()
        work.thumbnail = Self.thumbnailSide
        guard let made = try? await worker.make(work, from: folder.path(of: name)) else { return Look() }
        return Look(kind: kind, size: made.upright, thumbnail: made.thumbnail)
    }

    /// Puts a small picture into the folder; nil when there is none, or it cannot be written.
    func write(_ picture: MadePicture?) async -> String? {
        guard let picture else { return nil }
        return try? await folder.onQueue { () throws(ChatError) in try folder.write(picture.bytes) }
    }

    /// The measures, from the headers alone; nil for what is no picture, or a larger one than anybody decodes.
    func measure(_ name: String) async -> Picture? {
        await BlockingQueue.shared.run { [folder] in
            guard let bytes = folder.bytes(of: name, limit: Self.limits.bytes + 1) else { return nil }
            return try? Picture(bytes, limits: Self.limits)
        }
    }

    private static let limits: Picture.Limits = {
        var limits = Picture.Limits()
        (limits.bytes, limits.side, limits.frames, limits.pixels) = (32 << 20, 16_384, 2000, 1 << 28)
        return limits
    }()

    /// Whether a picture is made anew before it is sent: what moves would stand still.
    private static func isRemade(_ picture: Picture) -> Bool { picture.frames == 1 && picture.format != .gif }

    /// A file that is to be sent: a picture as small as it is needed, and without what it says besides its pixels.
    ///
    /// - Throws: what the worker says of a picture that cannot be prepared and is not to go as it is.
    func prepare(_ stored: MediaFolder.Stored, name: String?, keepsOriginal: Bool) async throws(ChatError) -> NewFile {
        var file = Self.description(stored.size, stored.sha256, ContentType.of(stored.prefix), name: name)
        file.kind = FileKind(of: stored.prefix)?.rawValue
        file.local = (stored.name, stored.size)
        guard ContentType.isPicture(stored.prefix) else { return file }
        guard let kind = FileKind(of: stored.prefix), Picture.Format(rawValue: kind.rawValue) != nil,
            let picture = await measure(stored.name)
        else {
            if keepsOriginal { return file }
            throw Self.unprepared(.pictureNotAcceptable, "pictures of this kind or size cannot be prepared")
        }
        (file.description.metadata.width, file.description.metadata.height) = (picture.width, picture.height)
        let isRemade = !keepsOriginal && Self.isRemade(picture)
        if !keepsOriginal, !isRemade, EmbeddedDetails.isIn(picture.bytes, picture.format) {
            throw Self.unprepared(.pictureNotAcceptable, "a picture that moves cannot be freed of what it says")
        }
        guard let worker else {
            // What stands in a picture is not sent by chance.
            guard isRemade else { return file }
            throw Self.unprepared(
                .pictureWorkerMissing, "what prepares pictures is missing; install apus-image beside this program")
        }
        var work = PictureWork()
        work.full = isRemade ? Self.fullSide : nil
        work.keepsTransparency = true
        (work.thumbnail, work.preview) = (Self.thumbnailSide, Self.previewSide)
        let made: PictureResult
        do throws(ChatError) {
            made = try await worker.make(work, from: folder.path(of: stored.name))
        } catch {
            // As it is, it may go whatever it is.
            if !isRemade, error.code != .cancelled { return file }
            throw Self.unprepared(error.code, error.description, error)
        }
        let (ready, result) = (file, made)
        return try await folder.onQueue { () throws(ChatError) in try replace(ready, stored, result, name: name) }
    }

    /// Why a picture is not sent, and what can be done.
    private static func unprepared(
        _ code: ChatError.Code, _ why: String, _ cause: ChatError? = nil
    ) -> ChatError {
        let way = "send it as it is, with everything that stands in it, also where it was taken"
        return ChatError(code, why + (why.contains(";") ? ", or " : "; ") + way, underlying: cause)
    }

    private func replace(
        _ file: NewFile, _ stored: MediaFolder.Stored, _ made: PictureResult, name: String?
    ) throws(ChatError) -> NewFile {
        var file = file
        if let full = made.full {
            let written = try folder.write(full.bytes)
            folder.remove(stored.name)
            let hash = ContentHash.sha256(of: full.bytes)
            file = Self.description(Int64(full.bytes.count), hash.value, full.mediaType, name: name)
            file.kind = full.mediaType
            file.local = (written, Int64(full.bytes.count))
            (file.description.metadata.width, file.description.metadata.height) = (full.width, full.height)
        } else {
            let seen = made.upright
            (file.description.metadata.width, file.description.metadata.height) = (seen.width, seen.height)
        }
        if let thumbnail = made.thumbnail, let name = try? folder.write(thumbnail.bytes) {
            file.thumbnail = (name, Int64(thumbnail.bytes.count))
        }
        if let preview = made.preview, let uri = Preview.uri(preview) { file.description.preview = uri }
        return file
    }

    private static func description(
        _ size: Int64, _ sha256: [UInt8], _ mediaType: String, name: String?
    ) -> NewFile {
        var metadata = FileMetadata(
            name: FileMetadata(name: name).safeName, mediaType: mediaType, byteCount: Int(clamping: size),
            hashes: [ContentHash(algorithm: "sha-256", value: sha256)])
        metadata.name = metadata.name.map { ContentType.named($0, mediaType) }
        var description = FileDescription(SharedFile(metadata: metadata))
        description.isInline = MessageFile.Kind(mediaType: mediaType) != .other
        return NewFile(state: FileState.waiting, description: description)
    }
}

extension PictureResult {
    /// The measures as the picture is seen: what was made of it is upright, the headers need not be.
    var upright: (width: Int, height: Int) {
        guard let made = full ?? thumbnail, made.width != made.height, width != height else { return (width, height) }
        return (made.width > made.height) == (width > height) ? (width, height) : (height, width)
    }
}

extension Preview {
    /// A picture as a `data:` URL; nil when that is too long to go with a message.
    static func uri(_ picture: MadePicture) -> String? {
        let uri = "data:\(picture.mediaType);base64,\(base64(picture.bytes))"
        return isAcceptable(uri) ? uri : nil
    }
}

extension ChatCore {
    /// Copies a file in and makes it what is sent.
    nonisolated func prepare(_ path: String, _ options: FileOptions) async throws(ChatError) -> NewFile {
        let (media, limit) = (media, Int64(configuration.maximumFileBytes))
        let stored = try await media.onQueue { () throws(ChatError) in try media.copy(path, limit: limit) }
        do throws(ChatError) {
            return try await fileServices.prepare(
                stored, name: options.name ?? path.split(separator: "/").last.map(String.init),
                keepsOriginal: options.keepsOriginal)
        } catch {
            media.remove(stored.name)
            throw error
        }
    }
}
