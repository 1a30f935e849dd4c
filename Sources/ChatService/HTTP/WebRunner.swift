// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
package import ChatAPI
import Foundation
import Glibc

/// The service for browsers of one profile, running.
package final class WebRunner: Sendable {
    package struct Options: Sendable {
        package var address = WebAddress.loopback
        package var port: UInt16
        package var version: String
        /// Further names, for a proxy in front or a name of this machine.
        package var origins: [WebOrigins.Origin] = []
        package var certificateFile: String?
        package var keyFile: String?
        /// TLS with a certificate of an authority that the profile makes for itself.
        package var usesLocalAuthority = false
        /// Push services on this machine are called, and without TLS: for tests alone.
        package var permitsLocalPush = false
        /// Other machines may connect without TLS.
        package var allowsPlain = false
        /// Where the files of the web app are; nil looks in the usual places.
        package var root: String?
        package var makeQR: WebService.QRMaker = { _ in nil }
        /// Nil when nothing can read photos here.
        package var scanner: WebService.Scanner?
        package var server = WebServer.Configuration()

        package init(port: UInt16, version: String) {
            self.port = port
            self.version = version
        }
    }

    package let origin: WebOrigins.Origin
    package let port: UInt16
    /// SHA-256 of the profile's own authority, in hexadecimal digits; nil when another one vouches for the service.
    package let fingerprint: String?
    private let server: WebServer
    private let service: WebService
    private let lock: Int32
    private let directory: String
    private let tasks: [Task<Void, Never>]

    package var hasFiles: Bool { service.files != nil }

    /// Checks the options, binds, and serves.
    ///
    /// Another machine's request without TLS would show everything to whoever listens between, so that is refused
    /// unless it is asked for.
    package static func start(
        _ options: Options, client: any ChatClient, directory: String
    ) async throws(ChatAPIError) -> WebRunner {
        let isSecure = options.certificateFile != nil || options.usesLocalAuthority
        guard options.address.isLoopback || isSecure || options.allowsPlain else {
            throw ChatAPIError(
                .invalidArgument, "\(options.address.text) can be reached by other machines, and there is no TLS",
                hint:
                    "give a certificate with --web-cert, put a proxy with TLS in front of 127.0.0.1, or say --insecure")
        }
        let access = try WebAccessFile(profileDirectory: directory)
        let lock = try takeLock(access.directory)
        do throws(ChatAPIError) {
            // Tried again at the next start.
            try? await WebSettingsFile(folder: access.directory).handOver(to: client)
            return try WebRunner(options, isSecure, client, access, lock)
        } catch {
            close(lock)
            throw error
        }
    }

    private init(
        _ options: Options, _ isSecure: Bool, _ client: any ChatClient, _ access: WebAccessFile, _ lock: Int32
    ) throws(ChatAPIError) {
        var configuration = options.server
        if let file = options.certificateFile {
            configuration.tls = (try Self.read(file), try Self.read(options.keyFile ?? file))
        }
        var authority: String?
        if options.usesLocalAuthority, options.certificateFile == nil {
            let own = options.address.isUnspecified ? [] : [options.address.text]
            let hosts = ["localhost", "127.0.0.1", "::1"] + own + options.origins.map(\.host)
            let certificates = try WebCertificates(folder: access.directory, hosts: hosts)
            configuration.tls = (certificates.server.certificate, certificates.server.key)
            authority = certificates.authority
        }
        fingerprint = authority.flatMap { LocalAuthority.fingerprint($0) }
        let ledger = try WriteLedger(directory: access.directory)
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let files = (options.root ?? StaticFiles.standardRoot(program: program)).flatMap { StaticFiles(root: $0) }
        let listener = try WebListener(address: options.address, port: options.port)
        let origins = WebOrigins(
            address: options.address, port: listener.port, isSecure: isSecure, additional: options.origins)
        let service = WebService(
            client: client, origins: origins, access: access, ledger: ledger, files: files, port: listener.port,
            version: options.version, authority: authority, permitsLocalPush: options.permitsLocalPush,
            makeQR: options.makeQR, scanner: options.scanner)
        server = try WebServer(listener, handler: service, configuration: configuration)
        self.service = service
        self.lock = lock
        port = listener.port
        origin = origins.preferred
        directory = access.directory
        // Sessions that another process ended lose their streams within a second.
        let watch = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                let isUsed = service.streams.count > 0 || !service.push.store.targets.isEmpty
                guard isUsed, let now = try? access.read() else { continue }
                let sessions = Set(now.sessions.map(\.id))
                service.streams.keepOnly(sessions)
                try? await service.push.store.apart { (store) throws(ChatAPIError) in try store.keepOnly(sessions) }
            }
        }
        let pushing = PushWatch(
            client: client, sender: service.push, streams: service.streams)
        tasks = [watch, Task { await pushing.run() }]
        try WebAccessFile.replace(directory + "/origin", with: Array(origin.text.utf8))
    }

    package func makeCode() async throws(ChatAPIError) -> (code: String, expires: Timestamp) {
        try await service.access.apart { (access) throws(ChatAPIError) in try access.makeCode() }
    }

    /// Stops in order: no new request, 503 for those under way, streams end.
    package func stop() async {
        for task in tasks { task.cancel() }
        unlink(directory + "/origin")
        // A task of its own: the caller's may be cancelled already.
        let server = server
        await Task.detached { await server.stop() }.value
        close(lock)
    }

    /// The origin of the service that runs for a profile, whichever process it is.
    package static func running(directory: String) -> WebOrigins.Origin? {
        let folder = directory + "/web"
        let descriptor = open(folder + "/serve.lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Whoever can lock it is alone.
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return nil }
        guard let data = FileManager.default.contents(atPath: folder + "/origin") else { return nil }
        return try? WebOrigins.origin(String(decoding: data, as: UTF8.self))
    }

    private static func takeLock(_ folder: String) throws(ChatAPIError) -> Int32 {
        let descriptor = open(folder + "/serve.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw WebAccessFile.failed("open", folder + "/serve.lock") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw ChatAPIError(.busy, "a service for browsers runs for this profile already", hint: "stop it first")
        }
        return descriptor
    }

    private static func read(_ path: String) throws(ChatAPIError) -> String {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20 else {
            throw ChatAPIError(.invalidArgument, "cannot read \(path)", hint: "check the path and its rights")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
