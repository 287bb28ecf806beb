// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import APNsClient

@Suite("The room of a connection")
struct SendRoomTests {
    @Test("as many requests go out as the window has room for and streams are free")
    func room() {
        var room = SendCapacity()
        room.begin(window: 1000)
        room.spend(100)
        #expect(room.requests(streams: 50) == 9)
        #expect(room.requests(streams: 5) == 5)
    }

    @Test("with any window left at least one goes out, however large it may be; with none, none does")
    func edges() {
        var room = SendCapacity()
        room.begin(window: 4097)
        room.spend(4096)
        #expect(room.requests(streams: 50) == 1)
        room.spend(4096)
        #expect(room.requests(streams: 50) == 0)
        room.begin(window: 0)
        #expect(room.requests(streams: 50) == 0)
    }
}
