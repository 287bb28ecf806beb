// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("Header compression on the wire")
struct HeaderCompressionTests {
    private static let token = String(repeating: "5f", count: 32)

    @Test("constant fields are one byte each from the second request on, and the path never enters the table")
    func requests() throws {
        let pair = try SessionPair.introduced()
        for number in 0..<3 {
            try pair.clientSession.request(path: "/3/device/\(number)" + Self.token)
            try pair.exchange()
        }
        let blocks = pair.clientFrames.filter { $0.kind == .headers }.map(\.payload)
        let second = try #require(HPACKRepresentation.all(of: blocks[1]))
        let third = try #require(HPACKRepresentation.all(of: blocks[2]))

        for block in [second, third] {
            #expect(block.count == 5)
            for (position, representation) in block.enumerated() {
                if case .literal(.never, nameIndex: HPACKRepresentation.StaticIndex.path, _) = representation {
                    #expect(position == 3)
                } else if case .indexed(let index) = representation {
                    // Indices beyond one byte's prefix would cost more.
                    #expect(index < 127)
                } else {
                    Issue.record("\(representation) is neither indexed nor the path")
                }
            }
        }
        #expect(second == third, "the table has not grown between the two")
        #expect(blocks[1].count < blocks[0].count)
        #expect(blocks[2].count == blocks[1].count)
        #expect(pair.server.fields(on: 5).contains(":path: /3/device/2" + Self.token))
    }

    @Test("a response of status 200 is one byte, and ids that differ never enter the table")
    func responses() throws {
        let pair = try SessionPair.introduced(server: { recorder, event in
            guard let id = event.completedStream, let stream = recorder.streams[id] else { return }
            try? recorder.session?.respond(to: stream, filler: id == 5 ? 36 : 0)
        })
        for _ in 0..<3 { try pair.clientSession.request() }
        try pair.exchange()
        let blocks = pair.serverFrames.filter { $0.kind == .headers }.map(\.payload)
        // The first block also confirms the size of the table.
        #expect(HPACKRepresentation.all(of: blocks[0])?.first == .tableSize(4096))
        #expect(blocks[1].count == 1)
        #expect(HPACKRepresentation.all(of: blocks[1]) == [.indexed(HPACKRepresentation.StaticIndex.ok)])
        let third = try #require(HPACKRepresentation.all(of: blocks[2]))
        #expect(third.count == 2)
        guard case .literal(.never, nameIndex: 0, _) = third[1] else {
            Issue.record("\(third[1]) may be indexed")
            return
        }
    }

    @Test("a peer that keeps no dynamic table is sent none, and still understands")
    func withoutTable() throws {
        let pair = try SessionPair.introduced(serverSettings: HTTP2Settings(headerTableSize: 0))
        for _ in 0..<3 {
            try pair.clientSession.request(path: "/3/device/" + Self.token)
            try pair.exchange()
        }
        let block = try #require(pair.clientFrames.last { $0.kind == .headers }?.payload)
        let representations = try #require(HPACKRepresentation.all(of: block))
        for case .indexed(let index) in representations { #expect(index <= 61, "an entry of the dynamic table") }
        #expect(pair.server.fields(on: 5).count == 5)
        #expect(pair.client.closings.count == 3)
    }

    @Test("a field's value can be replaced, while its name and kind stay")
    func replacedValue() throws {
        let pair = try SessionPair.introduced()
        var fields = HTTP2HeaderList(capacity: 4)
        fields.append(":method", "GET")
        fields.append(":scheme", "https")
        fields.append(":authority", "localhost")
        Array("/a".utf8).withUnsafeBufferPointer { fields.append(":path", $0, .copiedUnindexed) }
        try Array("/other".utf8).withUnsafeBufferPointer { path in
            fields.replaceValue(at: 3, with: path)
            _ = try pair.clientSession.submitRequest(fields, body: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        try pair.exchange()
        #expect(pair.server.fields(on: 1).last == ":path: /other")
        let block = try #require(pair.clientFrames.last { $0.kind == .headers }?.payload)
        guard
            case .literal(.never, nameIndex: HPACKRepresentation.StaticIndex.path, _)? =
                HPACKRepresentation.all(of: block)?.last
        else {
            Issue.record("the path may be indexed")
            return
        }
    }

    @Test("a table of fields begins anew from the fields that stay")
    func truncatedTable() throws {
        let pair = try SessionPair.introduced()
        var fields = HTTP2HeaderList(capacity: 5)
        fields.append(":method", "GET")
        fields.append(":scheme", "https")
        fields.append(":authority", "localhost")
        for path: StaticString in ["/a", "/b"] {
            fields.truncate(to: 3)
            fields.append(":path", path)
            _ = try pair.clientSession.submitRequest(fields, body: UnsafeRawBufferPointer(start: nil, count: 0))
            try pair.exchange()
        }
        #expect(fields.count == 4)
        #expect(pair.server.fields(on: 1).last == ":path: /a")
        #expect(pair.server.fields(on: 3).last == ":path: /b")
    }
}
