// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Clause {
    /// Section 6.9, as far as a frame alone breaks it; what depends on the server's own sending is in ``WindowTests``.
    static let flowControl: [Clause] = [
        Clause("6.9", "WINDOW_UPDATE of the connection by nothing ends it", .connection(.protocolError)) {
            $0.send(.windowUpdate(0, by: 0))
        },
        Clause("6.9", "WINDOW_UPDATE of a stream by nothing is an error", .stream(1, .protocolError)) {
            $0.send(.headers(1, .request(), endStream: false), .windowUpdate(1, by: 0))
        },
        Clause("6.9.1", "a connection's window beyond 2^31-1 ends it", .connection(.flowControlError)) {
            $0.send(.windowUpdate(0, by: 0x7fff_ffff), .windowUpdate(0, by: 0x7fff_ffff))
        },
        Clause("6.9.1", "a stream's window beyond 2^31-1 is an error", .stream(1, .flowControlError)) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(.windowUpdate(1, by: 0x7fff_ffff), .windowUpdate(1, by: 0x7fff_ffff))
        },
        Clause("6.9.1", "the reserved bit of an increment is ignored", .tolerated, serving: [1]) {
            $0.send(HTTP2Frame(.windowUpdate, payload: [0x80, 0, 0, 1]), .headers(1, .request()))
        },
        Clause(
            "6.9.2",
            "an initial window that takes a stream beyond 2^31-1 ends the connection",
            .connection(.flowControlError)
        ) {
            $0.send(.headers(1, .request(), endStream: false), .windowUpdate(1, by: 0x7fff_0000))
            $0.send(.settings([0x4: 0x7fff_ffff]))
        },
    ]
}
