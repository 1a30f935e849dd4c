// SPDX-License-Identifier: Apache-2.0
package import XMPP

/// What the accounts of a profile share for files.
package struct FileServices: Sendable {
    let folder: MediaFolder
    let transfers: TransferBook
    /// Ports of this program's own interface, which no link reaches.
    let ownPorts: @Sendable () -> Set<UInt16>
    /// The largest file that is sent or fetched, in bytes.
    let maximumBytes: Int
    /// Decodes pictures.
    let worker: (any PictureWorker)?
    /// Changes the rules for fetching; for tests.
    let adjust: @Sendable (HTTPAccess) -> HTTPAccess

    /// The rules of an account for what goes by HTTP.
    func access(_ settings: AccountSettings) throws -> (access: HTTPAccess, mediaServer: MediaServer?) {
        var access = HTTPAccess()
        access.trustedHosts = Set(settings.mediaHosts)
        access.ownPorts = ownPorts()
        access.maximumBytes = maximumBytes
        access.trust.authorityFiles = settings.authorityFiles
        access.trust.usesSystemRoots = settings.usesSystemRoots
        access.proxy = try settings.proxy?.server()
        let server = settings.mediaServer.flatMap { MediaServer(baseURL: $0) }
        if let server { access = server.trusted(in: access) }
        return (adjust(access), server)
    }
}

/// A file that is to go to a server.
package struct FileUpload: Sendable {
    /// Where it is.
    package var path: String
    package var name: String
    package var mediaType: String
    package var access: HTTPAccess
    package var mediaServer: MediaServer?
    /// The media server comes before the upload service.
    package var prefersMediaServer: Bool
}

extension XMPPSession {
    package nonisolated func upload(
        _ file: FileUpload, progress: @escaping HTTPFiles.Progress
    ) async throws -> String {
        if file.prefersMediaServer, let server = file.mediaServer {
            return try await httpFiles(file.access).put(
                .file(file.path), name: file.name, mediaType: file.mediaType, to: server, progress: progress
            ).url
        }
        return try await upload(
            .file(file.path), name: file.name, mediaType: file.mediaType, access: file.access,
            mediaServer: file.mediaServer, progress: progress
        ).url
    }
}
