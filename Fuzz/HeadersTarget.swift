// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTP2Session
import NIOCore

@testable import APNsSimulator

/// The header rules, by the whole way of a request from its fields to its answer.
///
/// An input is a list of fields and a body behind it: `number length value` for each field, the numbers being those of
/// ``RequestField``; a value of one byte below 8 stands for a right one.
final class HeadersTarget: FuzzTarget {
    private let core: SimulatorCore
    private let right: [[UInt8]]

    init() throws {
        let simulator = try APNsSimulator()
        let device = try simulator.bootDevice(apps: ["com.example.app"])
        let token = device.token("com.example.app")?.hex ?? ""
        let jwt = try ProviderTokenFactory(simulator.demoKey).token(issuedAt: Date())
        self.core = simulator.core
        self.right = [
            "POST", "/3/device/\(token)", "bearer \(jwt)", "com.example.app", "alert",
            "8f0f1f2e-1111-2222-3333-444455556666", "0", "10",
        ].map { Array($0.utf8) }
    }

    func feed(_ bytes: [UInt8]) {
        var block = HPACKBlock([":scheme": "https", ":authority": "localhost"])
        var rest = bytes[...]
        while let number = rest.popFirst(), number & 0x80 == 0, let length = rest.popFirst() {
            let fields = RequestField.allCases
            let field = fields[Int(number) % fields.count]
            var value = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            if value.count == 1, value[0] < 8 { value = self.right[Int(value[0])] }
            let name = Array("\(field.name)".utf8)
            // Pseudo-header fields come first, or the session refuses the request before any rule sees it.
            if name.first == UInt8(ascii: ":") {
                var first = HPACKBlock()
                first.append(name, value)
                block.bytes.insert(contentsOf: first.bytes, at: 0)
            } else {
                block.append(name, value)
            }
        }
        self.send(block, body: Array(rest))
    }

    private func send(_ block: HPACKBlock, body: [UInt8]) {
        let settings = HTTP2Settings(maximumConcurrentStreams: 1)
        let connection = ProviderConnection(core: self.core, settings: settings)
        guard let session = try? HTTP2Session(role: .server, settings: settings, delegate: connection) else { return }
        var peer = RawHTTP2Peer(.client)
        peer.sendHello()
        peer.send(.headers(1, block, endStream: body.isEmpty))
        if !body.isEmpty { peer.send(.data(1, body, endStream: true)) }
        try? peer.takeOutput().withUnsafeBytes { try session.receive($0, now: .uptimeNanoseconds(1)) }
        var output = ByteBuffer()
        while (try? session.write(into: &output, limit: 1 << 16)) == false, output.readableBytes < 1 << 20 {}
        peer.receive(output.readableBytesView)
        let isAnswered = peer.frames(on: 1).contains { $0.kind == .headers || $0.kind == .resetStream }
        precondition(isAnswered || peer.goAway != nil, "a request without an answer")
    }
}
