// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import Logging

/// Events of the server about the connection as a whole.
extension APNsConnection {
    /// Reports a change in the number of usable streams that the server grants to the metrics.
    func grant(_ announced: Int) {
        let granted = min(announced, self.pool.configuration.maximumStreams)
        guard granted != self.maxConcurrentStreams else { return }
        let change = granted - self.maxConcurrentStreams
        self.pool.metrics.maxConcurrentStreamsChanged(by: change, at: self.pool.destination.endpoint.host)
        self.maxConcurrentStreams = granted
    }

    /// Reports the limit that the connection has reached to the metrics; `nil` if there is no connection.
    func note(_ limit: SendLimitReason?) {
        guard limit != self.sendLimit else { return }
        self.pool.metrics.connectionLimited(by: limit, before: self.sendLimit, to: self.pool.destination.endpoint.host)
        self.sendLimit = limit
    }

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {
        let reason = Rejection(status: 503, body: debugData.bindMemory(to: UInt8.self)).reason
        self.pool.logger.info(
            "Received a GOAWAY from APNs",
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
