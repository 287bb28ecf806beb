// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The simulator's event feed of one device, used only as a notification of changes.
final class EventFeed: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let url: URL
    private let onChange: @Sendable () -> Void
    private let isStopped = Locked(false)
    private let session = Locked<URLSession?>(nil)

    init(control: URL, device: String, onChange: @escaping @Sendable () -> Void) {
        // Device IDs of the control API contain no spaces.
        self.url = URL(string: "\(control.absoluteString)/v1/events?device=\(device)") ?? control
        self.onChange = onChange
    }

    func start() {
        guard !self.isStopped.with({ $0 }) else { return }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 86_400
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        self.session.with { $0 = session }
        session.dataTask(with: self.url).resume()
    }

    func stop() {
        self.isStopped.with { $0 = true }
        self.session.with {
            $0?.invalidateAndCancel(); $0 = nil
        }
    }

    /// Reports a change when the response starts, because the feed can have missed earlier events.
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        self.onChange()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.onChange()
    }

    /// Reconnects 100 ms after the response ended or the connection failed.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        session.finishTasksAndInvalidate()
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { self.start() }
    }
}
