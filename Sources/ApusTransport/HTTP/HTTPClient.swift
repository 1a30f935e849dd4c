// SPDX-License-Identifier: Apache-2.0
import ApusCCurl
import ApusCLinux
import Glibc

/// Fetches and sends by HTTPS, through libcurl, on a thread of its own that runs only while there is something to do.
///
/// Redirects lead to `https` only, no cookie is kept, no compressed body is asked for, and the proxy variables of the
/// environment do not count. Owner of the queue: its lock; the transfers under way belong to the thread.
package final class HTTPClient: Sendable {
    package static let shared = HTTPClient()

    struct Inbox {
        var waiting: [HTTPTransfer] = []
        var cancelled: [HTTPTransfer] = []
        var isRunning = false
        /// libcurl's set of transfers, while the thread runs.
        var multi: CurlMulti?
    }

    let inbox = Locked(Inbox())

    package init() {
        // Safe to call again and from several threads in the versions that Apus needs (7.84 on).
        _ = apus_curl_global_init()
    }

    /// Fetches; throws when there was no complete answer, and at once with `.cancelled` when the task is cancelled.
    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let started = Locked<HTTPTransfer?>(nil)
        let isCancelled = Locked(false)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                let transfer = start(request) { continuation.resume(returning: $0) }
                started.withLock { $0 = transfer }
                if isCancelled.withLock({ $0 }) { transfer.cancel() }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            started.withLock { $0 }?.cancel()
        }
        return try result.get()
    }

    package typealias Outcome = Result<HTTPResponse, TransportError>

    /// The same with a call on the client's thread in the end, once.
    package func start(_ request: HTTPRequest, _ completion: @escaping @Sendable (Outcome) -> Void) -> HTTPTransfer {
        let transfer = HTTPTransfer(self, request, completion)
        let startsThread = inbox.withLock { inbox in
            inbox.waiting.append(transfer)
            inbox.multi?.wake()
            defer { inbox.isRunning = true }
            return !inbox.isRunning
        }
        if startsThread { startThread() }
        return transfer
    }

    func cancel(_ transfer: HTTPTransfer) {
        inbox.withLock { inbox in
            guard inbox.isRunning else { return }
            inbox.cancelled.append(transfer)
            inbox.multi?.wake()
        }
    }

    private func startThread() {
        let context = Unmanaged.passRetained(self).toOpaque()
        guard apus_start_thread(runHTTPClient, context) == 0 else {
            Unmanaged<HTTPClient>.fromOpaque(context).release()
            return failWaiting("The system gives no thread for HTTP.")
        }
    }

    private func failWaiting(_ reason: String) {
        let waiting = inbox.withLock { inbox in
            inbox.isRunning = false
            defer { (inbox.waiting, inbox.cancelled) = ([], []) }
            return inbox.waiting
        }
        for transfer in waiting { transfer.finish(.failure(TransportError(.system(EAGAIN), reason))) }
    }

    fileprivate func run() {
        guard let multi = CurlMulti() else { return failWaiting("There is no memory for HTTP.") }
        inbox.withLock { $0.multi = multi }
        while true {
            let (waiting, cancelled) = inbox.withLock { inbox in
                defer { (inbox.waiting, inbox.cancelled) = ([], []) }
                return (inbox.waiting, inbox.cancelled)
            }
            for transfer in waiting { multi.begin(transfer) }
            for transfer in cancelled { multi.cancel(transfer) }
            multi.perform()
            let ends = inbox.withLock { inbox in
                guard multi.isEmpty, inbox.waiting.isEmpty, inbox.cancelled.isEmpty else { return false }
                inbox.isRunning = false
                inbox.multi = nil
                return true
            }
            if ends { return }
            multi.wait()
        }
    }
}

/// One transfer of an `HTTPClient`.
// Unchecked: the completion is behind a lock; what libcurl's callbacks use belongs to the client's thread.
package final class HTTPTransfer: @unchecked Sendable {
    let request: HTTPRequest
    private let client: HTTPClient
    private let completion: Locked<(@Sendable (HTTPClient.Outcome) -> Void)?>

    // The client's thread only, from here on.
    var body: [UInt8] = []
    /// Bytes of the answer's body that came, wherever they went.
    var received = 0
    /// The head of the last answer.
    var head = HTTPResponse(status: 0, body: [])
    var headBytes = 0
    /// Where in the request's body the next piece begins.
    var sendOffset: Int64 = 0
    var isTooLarge = false
    var isForbidden = false
    /// Its own body could not be read, or whoever takes the answer's body had enough.
    var isLocalFailure = false
    var connectTo: UnsafeMutablePointer<curl_slist>?

    init(_ client: HTTPClient, _ request: HTTPRequest, _ completion: @escaping @Sendable (HTTPClient.Outcome) -> Void) {
        self.client = client
        self.request = request
        self.completion = Locked(completion)
    }

    /// Ends the transfer; its completion is called with `.cancelled`, unless it was called before.
    package func cancel() {
        client.cancel(self)
    }

    func finish(_ outcome: HTTPClient.Outcome) {
        let completion = self.completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(outcome)
    }
}

// A plain function: a closure formed in isolated code would trap on the new thread.
private func runHTTPClient(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<HTTPClient>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
