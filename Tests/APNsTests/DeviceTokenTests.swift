// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@Suite("Device tokens")
struct DeviceTokenTests {
    private static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) } }

    @Test("a token of any size from 1 to 100 bytes survives a round trip through hex", arguments: [1, 32, 80, 100])
    func roundTrip(size: Int) throws {
        let bytes = Self.pattern(size)
        let expected = bytes.map { String(format: "%02x", $0) }.joined()
        let token = try DeviceToken(bytes: bytes)
        #expect(token.hex == expected)
        #expect(token.hexCount == 2 * size)
        #expect(try DeviceToken(hex: expected) == token)
        #expect(try DeviceToken(hex: expected.uppercased()) == token)
    }

    @Test("every byte has its two digits, in both directions")
    func everyByte() throws {
        for byte in UInt8.min...UInt8.max {
            let token = try DeviceToken(bytes: [byte])
            #expect(token.hex == String(format: "%02x", byte))
            #expect(try DeviceToken(hex: String(format: "%02X", byte)).bytes == [byte])
        }
    }

    @Test("a token of no bytes or of more than 100 is refused, with its size", arguments: [0, 101, 4096])
    func badSize(size: Int) {
        #expect(throws: InvalidValueError(field: "token", rule: "1...100 bytes", value: "\(size) bytes")) {
            try DeviceToken(bytes: [UInt8](repeating: 7, count: size))
        }
        let rule = "2...200 hexadecimal digits, two for each byte"
        #expect(throws: InvalidValueError(field: "token", rule: rule, value: "\(2 * size) characters")) {
            try DeviceToken(hex: String(repeating: "ab", count: size))
        }
    }

    @Test(
        "text that is no hex is refused, without being repeated",
        arguments: [
            ("abc", "3 characters"), ("zz", "a character at offset 0 that is not a digit"),
            ("00g0", "a character at offset 2 that is not a digit"),
            ("0x12", "a character at offset 1 that is not a digit"),
            ("ab cd ", "a character at offset 2 that is not a digit"),
            ("é", "a character at offset 0 that is not a digit"),
            ("0/", "a character at offset 1 that is not a digit"),
            ("0:", "a character at offset 1 that is not a digit"),
            ("@0", "a character at offset 0 that is not a digit"),
            ("`0", "a character at offset 0 that is not a digit"),
        ]
    )
    func notHex(text: String, value: String) throws {
        let failure = try #require(throws: InvalidValueError.self) { try DeviceToken(hex: text) }
        #expect(failure.field == "token")
        #expect(failure.value == value)
    }

    @Test("the forms for hot paths read and write the same digits in memory")
    func memoryForms() throws {
        let token = try DeviceToken(bytes: Self.pattern(80))
        var memory = [UInt8](repeating: 0, count: token.hexCount + 1)
        memory.withUnsafeMutableBufferPointer { token.writeHex(into: $0.baseAddress!) }
        #expect(String(decoding: memory.dropLast(), as: UTF8.self) == token.hex)
        #expect(memory.last == 0, "nothing is written behind the digits")
        let read = try memory.dropLast().withUnsafeBufferPointer { try DeviceToken(hexUTF8: $0) }
        #expect(read == token)
        #expect(throws: InvalidValueError.self) {
            try memory.withUnsafeBufferPointer { try DeviceToken(hexUTF8: $0) }
        }
    }

    @Test("a whole token never stands in a description")
    func redacted() throws {
        let token = try DeviceToken(bytes: Self.pattern(32))
        #expect(token.description == "\(token.hex.prefix(4))…(32 bytes)")
        #expect(String(reflecting: token) == token.description)
        #expect(try DeviceToken(hex: "abcd").description == "…(2 bytes)")
    }

    @Test("a token is coded as its hex text")
    func coded() throws {
        let token = try DeviceToken(hex: "00FFa1")
        let data = try JSONEncoder().encode([token])
        #expect(String(decoding: data, as: UTF8.self) == #"["00ffa1"]"#)
        #expect(try JSONDecoder().decode([DeviceToken].self, from: data) == [token])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([DeviceToken].self, from: Data(#"["xyz"]"#.utf8))
        }
    }
}
