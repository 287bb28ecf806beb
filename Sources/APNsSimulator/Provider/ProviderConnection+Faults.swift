// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import NIOCore

/// What a connection does when a fault strikes one of its requests.
extension ProviderConnection {
    func play(
        _ fault: SimulatorFault.Action,
        hold: AnswerHold?,
        on stream: HTTP2Stream,
        in session: HTTP2Session,
        verdict: Verdict?,
        apnsID: APNsID
    ) {
        switch fault {
        case .reject(let rejection):
            self.answers.reject(stream, in: session, apnsID: apnsID, rejection: rejection)
        case .garble(let rejection, let body):
            self.answers.reject(stream, in: session, apnsID: apnsID, rejection: rejection, body: body)
        case .settings(let change):
            session.submitSettings(
                maximumConcurrentStreams: change.maximumConcurrentStreams,
                initialWindowSize: change.initialWindowSize
            )
            if let verdict { self.answer(stream, in: session, verdict: verdict, apnsID: apnsID) }
        case .delay(let duration):
            if let verdict { self.answer(stream, after: duration, verdict: verdict, apnsID: apnsID) }
        case .hold:
            if let verdict, let hold {
                self.hold(HeldAnswer(hold: hold, stream: stream, verdict: verdict, apnsID: apnsID))
            }
        case .goAway(let reason, let code, let chosen):
            let last = chosen ?? self.lastStreamID(refusing: stream)
            self.lastStreamID = min(self.lastStreamID, last)
            session.submitGoAway(lastStreamID: last, code: code, debugData: Rejection(reason).body)
            guard stream.id <= last else { break }
            if chosen == nil {
                session.reset(stream, code: .refusedStream)
            } else if let verdict {
                self.answer(stream, in: session, verdict: verdict, apnsID: apnsID)
            }
        case .reset(let code):
            session.reset(stream, code: code)
        case .drop:
            self.lastStreamID = 0
            self.connection?.close()
        case .silence, .latency, .connection, .unreachable:
            // A latency has become a delay by now, and the others do not concern requests.
            break
        }
    }

    /// The last stream that a GOAWAY names which takes one request no more.
    ///
    /// What is above it may be sent again: so it is the one before, unless a later one came in sooner and is served. Then the
    /// request is refused by itself.
    private func lastStreamID(refusing stream: HTTP2Stream) -> Int32 {
        self.lastHandledStreamID > stream.id ? self.lastHandledStreamID : max(0, stream.id - 2)
    }

    private func answer(_ stream: HTTP2Stream, after duration: Duration, verdict: Verdict, apnsID: APNsID) {
        guard let connection = self.connection, let eventLoop = connection.eventLoop else { return }
        let generation = self.generation(of: stream)
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
            guard let session = connection.session, self.generation(of: stream) == generation else { return }
            self.answer(stream, in: session, verdict: verdict, apnsID: apnsID)
            connection.scheduleFlush()
        }
    }
}
