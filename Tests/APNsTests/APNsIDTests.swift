// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@Suite("apns-id")
struct APNsIDTests {
    private static let text = "123e4567-e89b-12d3-a456-4266554400a0"
    private static let id = APNsID(high: 0x123E_4567_E89B_12D3, low: 0xA456_4266_5544_00A0)

    @Test("a canonical UUID is read in both cases and written in lower case")
    func roundTrip() {
        #expect(APNsID(canonical: Self.text) == Self.id)
        #expect(APNsID(canonical: Self.text.uppercased()) == Self.id)
        #expect(Self.id.description == Self.text)
        let substring = "<\(Self.text)>".dropFirst().dropLast()
        #expect(APNsID(canonical: substring) == Self.id)
    }

    @Test(
        "what is no canonical UUID is refused",
        arguments: [
            "", "123e4567e89b12d3a4564266554400a0", "123e4567-e89b-12d3-a456-4266554400a",
            "123e4567-e89b-12d3-a456-4266554400a00", "123e4567-e89b-12d3-a456-4266554400ag",
            "123e4567-e89b-12d3-a456+4266554400a0", "{123e4567-e89b-12d3-a456-426655440}",
            "123e456-7e89b-12d3-a456-4266554400a0",
        ]
    )
    func notCanonical(text: String) {
        #expect(APNsID(canonical: text) == nil)
    }

    @Test("36 bytes are written to the start of the memory and no more")
    func written() {
        var memory = [UInt8](repeating: 0x2A, count: 40)
        memory.withUnsafeMutableBytes { Self.id.write(into: $0) }
        #expect(String(decoding: memory, as: UTF8.self) == Self.text + "****")
        let read = memory.prefix(36).withUnsafeBufferPointer { APNsID(canonicalUTF8: $0) }
        #expect(read == Self.id)
    }

    @Test("ids are ordered as their texts are")
    func ordered() {
        let ids = [
            APNsID(high: 0, low: 0), APNsID(high: 0, low: 1), APNsID(high: 0, low: .max), APNsID(high: 1, low: 0),
            Self.id, APNsID(high: .max, low: 0), APNsID(high: .max, low: .max),
        ]
        #expect(ids.shuffled().sorted() == ids)
        #expect(ids.map(\.description).sorted() == ids.map(\.description))
    }

    @Test("random ids are UUIDs of version 4")
    func random() throws {
        let ids = (0..<100).map { _ in APNsID.random() }
        #expect(Set(ids).count == 100)
        for id in ids {
            let text = id.description
            #expect(text[text.index(text.startIndex, offsetBy: 14)] == "4")
            #expect("89ab".contains(text[text.index(text.startIndex, offsetBy: 19)]))
            #expect(UUID(uuidString: text) != nil)
        }
    }

    @Test("random ids differ, also those of other threads")
    func distinct() async {
        let ids = await withTaskGroup(of: [APNsID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<1000).map { _ in APNsID.random() } } }
            return await group.reduce(into: Set()) { $0.formUnion($1) }
        }
        #expect(ids.count == 8000)
    }

    @Test("an id is coded as its text")
    func coded() throws {
        let data = try JSONEncoder().encode([Self.id])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(Self.text)\"]")
        #expect(try JSONDecoder().decode([APNsID].self, from: data) == [Self.id])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([APNsID].self, from: Data(#"["x"]"#.utf8)) }
    }
}
