// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import APNsSimulator

@Suite("Request head")
struct RequestHeadTests {
    private func append(_ field: RequestField, _ value: String, to request: RequestHead) {
        Array(value.utf8).withUnsafeBufferPointer { request.append(field, value: $0) }
    }

    private func text(_ field: RequestField, of request: RequestHead) -> String? {
        request.value(field).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("every field that is read is known by its name, and no other", arguments: RequestField.allCases)
    func names(field: RequestField) {
        let name = Array("\(field.name)".utf8)
        #expect(name.withUnsafeBufferPointer { RequestField($0) } == field)
        let other = name.dropLast() + [UInt8(ascii: "x")]
        #expect(Array(other).withUnsafeBufferPointer { RequestField($0) } == nil)
    }

    @Test("values and body outlive the growth of the memory they are in")
    func growth() {
        let request = RequestHead()
        self.append(.path, "/3/device/00", to: request)
        self.append(.authorization, String(repeating: "t", count: 3000), to: request)
        self.append(.topic, "com.example.app", to: request)
        let pieces: [[UInt8]] = [[UInt8](repeating: 1, count: 2000), [UInt8](repeating: 2, count: 2000)]
        for piece in pieces { piece.withUnsafeBytes { request.appendBody($0) } }
        #expect(self.text(.path, of: request) == "/3/device/00")
        #expect(self.text(.topic, of: request) == "com.example.app")
        #expect(Array(request.body) == pieces[0] + pieces[1])
        #expect(self.text(.collapseID, of: request) == nil)
    }

    @Test("a body beyond the limit is counted and not kept")
    func largeBody() {
        let request = RequestHead()
        let piece = [UInt8](repeating: 1, count: 5000)
        for _ in 0..<3 { piece.withUnsafeBytes { request.appendBody($0) } }
        #expect(request.bodyCount == 15_000)
        #expect(request.body.count == RequestHead.maximumStoredBody)
    }

    @Test("a head that is used again remembers nothing")
    func reuse() {
        let request = RequestHead()
        self.append(.topic, "a", to: request)
        self.append(.topic, "b", to: request)
        [UInt8](repeating: 1, count: 9).withUnsafeBytes { request.appendBody($0) }
        #expect(request.hasDuplicates)
        request.reset()
        #expect(!request.hasDuplicates)
        #expect(request.bodyCount == 0)
        #expect(request.body.isEmpty)
        #expect(self.text(.topic, of: request) == nil)
    }
}
