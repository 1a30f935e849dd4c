// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// A Web server of one's own that takes files by PUT, and serves them at the same address: where there is no upload
/// service (XEP-0363), as with many servers that chat tutorials set up.
///
/// It has no login; whoever can reach it can put files there.
public struct MediaServer: Sendable, Hashable {
    /// The address that file names are put behind, as `http://192.168.1.5:8080/files/Image`.
    public let baseURL: String
    /// Its host, which is trusted by being named here.
    let host: String
    private let isEncrypted: Bool

    /// Nil when that is no `https` or `http` address, or one with a query.
    public init?(baseURL: String) {
        guard let location = HTTPLocation(baseURL), location.url.hasSuffix(location.path) else { return nil }
        self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        host = location.host
        isEncrypted = location.isEncrypted
    }

    /// The rules with this server among the trusted: to fetch from it what others put there.
    public func trusted(in access: HTTPAccess) -> HTTPAccess {
        var access = access
        access.trustedHosts.insert(host)
        if !isEncrypted { access.permitsUnencrypted = true }
        return access
    }

    /// A name that nobody else takes or guesses, with the ending of the file's own.
    func url(for name: String) -> String {
        let ending = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? ""
        let kept = ending.prefix(8).lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return "\(baseURL)/\(randomName())\(kept.isEmpty ? "" : ".\(kept)")"
    }

    private func randomName() -> String {
        randomBytes(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension HTTPFiles {
    /// Puts a file on a media server.
    ///
    /// Waits until the server says that it has it. Throws ``XMPPError``: `fileUnusable`, `httpRefused`, `transferFailed`,
    /// `timedOut`. Cancelling ends the transfer.
    /// - Parameters:
    ///   - source: The file.
    ///   - name: The name that others see, nil for that of the file; on the server it has another.
    ///   - mediaType: The media type.
    ///   - server: Where to put it.
    ///   - progress: Told how far it is.
    public func put(
        _ source: FileSource, name: String? = nil, mediaType: String? = nil, to server: MediaServer,
        progress: Progress? = nil
    ) async throws -> UploadedFile {
        try await put(
            try OpenedSource(source), name: FileMetadata(name: name ?? source.name).safeName ?? "file",
            mediaType: mediaType, to: server, progress: progress)
    }

    func put(
        _ source: OpenedSource, name: String, mediaType: String?, to server: MediaServer, progress: Progress?
    ) async throws -> UploadedFile {
        let files = HTTPFiles(server.trusted(in: access))
        let url = server.url(for: name)
        let location = try files.access.location(url)
        let status = try await files.put(source, to: location, headers: [], mediaType: mediaType, progress: progress)
        guard [200, 201, 204].contains(status) else { throw XMPPError.status(status, host: location.host) }
        return try UploadedFile(source, url: url, name: name, mediaType: mediaType)
    }
}
