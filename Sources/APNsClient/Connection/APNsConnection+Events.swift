// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import Logging

/// What the server says of the connection as a whole.
extension APNsConnection {
    /// Tells the metrics of a change in how many streams the server grants, of those that may be used.
    func grant(_ announced: Int) {
        let granted = min(announced, self.pool.configuration.maximumStreams)
        guard granted != self.granted else { return }
        self.pool.metrics.streamsGranted(granted - self.granted, by: self.pool.destination.endpoint.host)
        self.granted = granted
    }

    /// Tells the metrics what keeps the connection from sending more; `nil` when there is no connection.
    func note(_ bound: ConnectionBound?) {
        guard bound != self.bound else { return }
        self.pool.metrics.connectionBound(by: bound, before: self.bound, to: self.pool.destination.endpoint.host)
        self.bound = bound
    }

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {
        let reason = Rejection(status: 503, body: debugData.bindMemory(to: UInt8.self)).reason
        self.pool.logger.info(
            "APNs closes a connection",
            metadata: ["apns.connection": "\(self.id)", "apns.reason": "\(reason)", "http2.code": "\(code)"]
        )
        self.ending = .goAway
        self.pool.metrics.goAwayReceived(from: self.pool.destination.endpoint.host, reason: reason)
        self.drain()
    }

    // MARK: Nothing to do: an answer counts once its stream closes

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) {}
    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool) {}
    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream) {}
}
