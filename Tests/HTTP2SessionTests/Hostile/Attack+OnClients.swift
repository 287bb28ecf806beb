// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Attack {
    /// Servers that break rules.
    ///
    /// The client has sent a request on stream 1 with a long body, and one on stream 3.
    static let onClients: [Attack] = [
        Attack("garbage instead of SETTINGS ends the connection", .goAway(.protocolError), isIntroduced: false) {
            $0.send(bytes: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8)
        },
        Attack("a first frame other than SETTINGS ends the connection", .goAway(.protocolError), isIntroduced: false) {
            $0.send(.ping())
        },
        Attack("a promise that was not allowed ends the connection", .goAway(.protocolError)) {
            $0.send(.pushPromise(1, promising: 2, .request()))
        },
        Attack("a response on a stream that was not opened ends the connection", .goAway(.protocolError)) {
            $0.send(.headers(9, .response()))
        },
        Attack("a stream that the server opens ends the connection", .goAway(.protocolError)) {
            $0.send(.headers(2, .response()))
        },
        Attack("DATA before a response ends the connection", .goAway(.protocolError)) { $0.send(.data(1, [1])) },
        Attack("a response without a status resets the stream", .reset(1, .protocolError)) {
            $0.send(.headers(1, HPACKBlock(["content-type": "application/json"])))
        },
        Attack("a status that is no number resets the stream", .reset(1, .protocolError)) {
            $0.send(.headers(1, .response("2x0")))
        },
        Attack("DATA after the end of a response ends the connection", .goAway(.streamClosed)) {
            $0.send(.headers(1, .response()), .data(1, [1]))
        },
        Attack("a response with a header list of 16,000 bytes ends the connection", .goAway(.enhanceYourCalm)) {
            var block = HPACKBlock.response()
            block.append("x", String(repeating: "v", count: 16_000))
            $0.send(.headers(1, block))
        },
        Attack("a response with 101 fields ends the connection", .goAway(.enhanceYourCalm)) {
            var block = HPACKBlock.response()
            for _ in 0..<101 { block.append("x", "v") }
            $0.send(.headers(1, block))
        },
        Attack("an HPACK index beyond the tables ends the connection", .goAway(.compressionError)) {
            $0.send(.headers(1, HPACKBlock([0xff, 0x00])))
        },
        Attack("a connection's window beyond 2^31-1 ends the connection", .goAway(.flowControlError)) {
            $0.send(.windowUpdate(0, by: 0x7fff_ffff), .windowUpdate(0, by: 0x7fff_ffff))
        },
        Attack("a stream's window beyond 2^31-1 resets the stream", .reset(1, .flowControlError)) {
            $0.send(.windowUpdate(1, by: 0x7fff_ffff), .windowUpdate(1, by: 0x7fff_ffff))
        },
        Attack("a last stream that grows from GOAWAY to GOAWAY ends the connection", .goAway(.protocolError)) {
            $0.send(.goAway(lastStream: 1), .goAway(lastStream: 3))
        },
        Attack("a flood of SETTINGS ends the connection", .goAway(.enhanceYourCalm)) {
            for _ in 0..<10_000 { $0.send(.settings([0x3: 100])) }
        },
        Attack("a flood of PING ends the connection", .goAway(.enhanceYourCalm)) {
            for _ in 0..<10_000 { $0.send(.ping()) }
        },
        Attack("a flood of GOAWAY ends the connection", .goAway(.enhanceYourCalm)) {
            for _ in 0..<10_000 { $0.send(.goAway(lastStream: 3)) }
        },
        Attack("a flood of RST_STREAM for one stream ends the connection", .goAway(.enhanceYourCalm)) {
            for _ in 0..<10_000 { $0.send(.reset(3)) }
        },
        Attack("a flood of empty DATA ends the connection", .goAway(.enhanceYourCalm)) {
            $0.send(.headers(1, .response(), endStream: false))
            for _ in 0..<10_000 { $0.send(.data(1)) }
        },
        Attack("a flood of WINDOW_UPDATE ends the connection", .goAway(.enhanceYourCalm)) {
            for _ in 0..<10_000 { $0.send(.windowUpdate(0, by: 1)) }
        },
        Attack("a flood of frames of an unknown type ends the connection", .goAway(.enhanceYourCalm)) {
            for _ in 0..<10_000 { $0.send(.unknown) }
        },
        Attack("a flood of responses to a request that was answered ends the connection", .goAway(.enhanceYourCalm)) {
            for _ in 0..<10_000 { $0.send(.headers(3, .response())) }
        },
        Attack("a flood of responses of status 103 ends the connection", .goAway(.enhanceYourCalm)) {
            for _ in 0..<10_000 { $0.send(.headers(1, .response("103"), endStream: false)) }
        },
    ]
}
