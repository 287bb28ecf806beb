// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import Testing

@testable import PushAPI

@Suite("The fast way to read a line")
struct ItemScanTests {
    private static let app = App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start)

    /// What a line comes to by the fast way; `nil` when that leaves it to the other.
    private static func scanned(_ bytes: [UInt8]) -> BatchedNotification.Part? {
        var cursor = JSONCursor(bytes)
        var groups = ItemBatcher(app: self.app)
        guard let scan = FastItemParser.read(&cursor), cursor.peek() == nil, groups.add(scan, of: bytes) != nil else {
            #expect(groups.isEmpty)
            return nil
        }
        return groups.parts(lane: .urgent, now: TestTime.start).first
    }

    /// What it comes to by the strict way; `nil` when it is refused.
    private static func read(_ bytes: [UInt8]) -> BatchedNotification.Part? {
        var draft = ItemParser()
        let item = try? JSONReader.read(bytes, members: ItemParser.members) {
            (reader, member, path) throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            draft.finish(&reader, app: self.app.id)
        }
        guard let item else { return nil }
        var groups = ItemBatcher(app: self.app)
        _ = groups.add(item)
        return groups.parts(lane: .urgent, now: TestTime.start).first
    }

    private static let lines = [
        #"{"id":"a\n","token":"AB01","environment":"production","payload":{"aps":{"alert":"寿司"}, "x":[1,{"y":null}]}}"#,
        #" { "token" : "ab" , "pushType" : "background" , "priority" : 5 , "payload" : { } } "#,
        #"{"payload":{},"collapseID":"a","expiration":1770000100,"token":"ab","pushType":"alert","priority":10}"#,
    ]

    @Test("takes what is usual", arguments: Self.lines)
    func usual(line: String) throws {
        let scanned = try #require(Self.scanned(Array(line.utf8)))
        #expect(scanned == Self.read(Array(line.utf8)))
    }

    @Test("never takes what the strict way refuses, nor otherwise than it, whichever byte is changed")
    func mutations() {
        let replacements = Array(#""{}[],:\ 0a-tn"#.utf8) + [0x00, 0x0A, 0x7F, 0xC3, 0xFF]
        for line in Self.lines {
            let whole = Array(line.utf8)
            for place in whole.indices {
                var candidates = replacements.map { byte in
                    var bytes = whole
                    bytes[place] = byte
                    return bytes
                }
                candidates.append(Array(whole[..<place]))
                for bytes in candidates {
                    guard let scanned = Self.scanned(bytes), scanned != Self.read(bytes) else { continue }
                    Issue.record("\(String(decoding: bytes, as: UTF8.self)) is read in two ways")
                    return
                }
            }
        }
    }
}
