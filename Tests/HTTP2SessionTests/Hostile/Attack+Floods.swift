// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Attack {
    private static let count: UInt32 = 10_000

    /// Clients that send lawful frames, or nearly so, far more often than an honest one.
    static let floods: [Attack] = [
        Attack("a rapid reset ends the connection", .goAway(.enhanceYourCalm)) { peer in
            Self.eachStream { peer.send(.headers($0, .request()), .reset($0)) }
        },
        Attack("a rapid reset with NO_ERROR ends the connection", .goAway(.enhanceYourCalm)) { peer in
            Self.eachStream { peer.send(.headers($0, .request()), .reset($0, code: 0)) }
        },
        Attack("a rapid reset before the end of the requests ends the connection", .goAway(.enhanceYourCalm)) { peer in
            Self.eachStream { peer.send(.headers($0, .request(), endStream: false), .reset($0)) }
        },
        Attack("requests that have to be reset end the connection", .goAway(.enhanceYourCalm)) { peer in
            Self.eachStream { peer.send(.headers($0, HPACKBlock([":method": "POST"]))) }
        },
        Attack("window updates that provoke resets end the connection", .goAway(.enhanceYourCalm)) { peer in
            Self.eachStream {
                peer.send(.headers($0, .request(), endStream: false), .windowUpdate($0, by: 0x7fff_ffff))
            }
        },
        Self.repeated("a flood of SETTINGS ends the connection", .settings()),
        Self.repeated("a flood of SETTINGS with values ends the connection", .settings([0x4: 100_000])),
        Self.repeated("a flood of PING ends the connection", .ping()),
        Self.repeated("a flood of acknowledgements of PING ends the connection", .ping(acknowledgement: true)),
        Self.repeated("a flood of PRIORITY ends the connection", .priority(1, dependsOn: 3)),
        Self.repeated("a flood of GOAWAY ends the connection", .goAway(lastStream: 0)),
        Self.repeated("a flood of frames of an unknown type ends the connection", .unknown),
        Self.repeated("a flood of WINDOW_UPDATE of the connection ends the connection", .windowUpdate(0, by: 1)),
        Attack("a flood of WINDOW_UPDATE of an open stream ends the connection", .goAway(.enhanceYourCalm)) { peer in
            peer.send(.headers(1, .request(), endStream: false))
            for _ in 0..<Self.count { peer.send(.windowUpdate(1, by: 1)) }
        },
        Attack("a flood of WINDOW_UPDATE of a closed stream ends the connection", .goAway(.enhanceYourCalm)) { peer in
            peer.send(.headers(1, .request(), endStream: false), .reset(1))
            for _ in 0..<Self.count { peer.send(.windowUpdate(1, by: 1)) }
        },
        Attack("a flood of HEADERS on a stream that was refused ends the connection", .goAway(.enhanceYourCalm)) {
            peer in
            peer.send(.headers(1, HPACKBlock([":method": "POST"]), endStream: false))
            for _ in 0..<Self.count { peer.send(.headers(1, HPACKBlock(["x-sum": "1"]))) }
        },
        Attack("a flood of empty DATA on a stream that was refused ends the connection", .goAway(.enhanceYourCalm)) {
            peer in
            peer.send(.headers(1, HPACKBlock([":method": "POST"]), endStream: false))
            for _ in 0..<Self.count { peer.send(.data(1)) }
        },
        Attack("a flood of empty DATA ends the connection", .goAway(.enhanceYourCalm)) { peer in
            peer.send(.headers(1, .request(), endStream: false))
            for _ in 0..<Self.count { peer.send(.data(1)) }
        },
        Attack("a flood of DATA that is all padding ends the connection", .goAway(.enhanceYourCalm)) { peer in
            peer.send(.headers(1, .request(), endStream: false))
            for _ in 0..<Self.count { peer.send(HTTP2Frame(.data, flags: .padded, stream: 1, payload: [1, 0])) }
        },
        Attack("a flood of empty CONTINUATION ends the connection", .goAway(.enhanceYourCalm)) { peer in
            peer.send(.headers(1, .request(), endHeaders: false))
            for _ in 0..<Self.count { peer.send(.continuation(1, endHeaders: false)) }
        },
        Attack("a flood of CONTINUATION after a field that is malformed ends the connection", .goAway(.enhanceYourCalm))
        {
            $0.send(.headers(1, HPACKBlock([":method": "POST", ":method": "GET"]), endHeaders: false))
            for _ in 0..<Self.count { $0.send(.continuation(1, endHeaders: false)) }
        },
    ]

    private static func repeated(_ name: String, _ frame: HTTP2Frame) -> Attack {
        Attack(name, .goAway(.enhanceYourCalm)) { peer in
            for _ in 0..<Self.count { peer.send(frame) }
        }
    }

    private static func eachStream(_ body: (UInt32) -> Void) {
        for number in 0..<Self.count { body(2 * number + 1) }
    }
}

extension HTTP2Frame {
    /// A frame of a type that RFC 9113 does not define.
    static let unknown = Self(Kind(rawValue: 0xfa))
}
