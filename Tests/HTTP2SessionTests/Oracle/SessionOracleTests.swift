// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import CNghttp2
import HTTP2Session
import Testing

@Suite("A session against libnghttp2's", .timeLimit(.minutes(20)))
struct SessionOracleTests {
    private static let bodySizes = [0, 1, 230, 4096, 16_384, 16_385, 70_000]

    /// Settings that make a peer's windows, tables, frames and streams small or large.
    private static func settings(_ random: inout SeededRandom) -> [(nghttp2_settings_id, UInt32)] {
        [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, [1, 3, 100].randomElement(using: &random) ?? 1),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, [1, 100, 65_535, 1_000_000].randomElement(using: &random) ?? 1),
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, [0, 100, 4096, 65_536].randomElement(using: &random) ?? 0),
            (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, [16_384, 30_000].randomElement(using: &random) ?? 16_384),
        ]
    }

    private static func body(_ random: inout SeededRandom, isWindowTiny: Bool) -> [UInt8] {
        let size = Self.bodySizes.prefix(isWindowTiny ? 3 : Self.bodySizes.count).randomElement(using: &random) ?? 0
        return [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size)
    }

    @Test(
        "a client's requests reach its server whole, and the answers come back, resets aside",
        arguments: 0..<12 as Range<UInt64>
    )
    func client(seed: UInt64) throws {
        var generator = RandomFields(seed: seed)
        let settings = Self.settings(&generator.random)
        let server = NativeSession(isServer: true, settings: settings)
        let recorder = SessionRecorder()
        let session = try HTTP2Session(role: .client, delegate: recorder)
        var sent: [Int32: (fields: [[UInt8]], body: LentBody)] = [:]
        var resets: Set<Int32> = []
        for round in 0..<12 {
            for _ in 0..<Int.random(in: 0...6, using: &generator.random) {
                let fields = generator.request()
                let body = LentBody(Self.body(&generator.random, isWindowTiny: settings[1].1 < 1000))
                let stream = try session.submit(fields, body: body.bytes)
                sent[stream.id] = (fields.map(\.value), body)
                if Int.random(in: 0..<8, using: &generator.random) == 0 {
                    resets.insert(stream.id)
                    if Bool.random(using: &generator.random) {
                        session.reset(stream, code: .cancel)
                    } else {
                        server.resets.insert(stream.id)
                    }
                }
            }
            try Self.carry(session, server, &generator, untilSilent: round == 11)
        }
        #expect(session.endedBy == nil && !session.isFinished, "seed \(seed)")
        #expect(session.openStreams == 0, "seed \(seed)")
        #expect(recorder.brokenPromises.isEmpty)
        #expect(Set(recorder.closings.compactMap(\.closedStream)) == Set(sent.keys), "seed \(seed)")
        for (stream, request) in sent where !resets.contains(stream) {
            #expect(server.messages[stream]?.fields.map(\.value) == request.fields, "seed \(seed)")
            #expect(server.messages[stream]?.body == request.body.copy, "seed \(seed)")
            #expect(recorder.bodies[stream] ?? [] == request.body.copy, "seed \(seed)")
            #expect(recorder.events.contains(.closed(stream, .noError)), "seed \(seed)")
        }
    }

    @Test(
        "a server takes a client's requests whole, and its answers reach the client, resets aside",
        arguments: 0..<12 as Range<UInt64>
    )
    func server(seed: UInt64) throws {
        var generator = RandomFields(seed: seed)
        var settings = Self.settings(&generator.random)
        settings[0].1 = 100
        let client = NativeSession(isServer: false, settings: settings)
        let recorder = SessionRecorder(SessionPair.answer)
        let own = HTTP2Settings(
            headerTableSize: [0, 300, 4096].randomElement(using: &generator.random) ?? 0,
            initialWindowSize: [200, 65_535, 500_000].randomElement(using: &generator.random) ?? 0,
            maximumFrameSize: [16_384, 40_000].randomElement(using: &generator.random) ?? 16_384
        )
        let session = try HTTP2Session(role: .server, settings: own, delegate: recorder)
        var sent: [Int32: (fields: [HeaderField], body: [UInt8])] = [:]
        var resets: Set<Int32> = []
        for round in 0..<12 {
            for _ in 0..<Int.random(in: 0...6, using: &generator.random) {
                let fields = generator.request().map { field in
                    var native = HeaderField(field.name.description, "", isIndexed: field.isIndexed)
                    native.value = field.value
                    return native
                }
                let isWindowTiny = settings[1].1 < 1000 || own.initialWindowSize < 1000
                let body = Self.body(&generator.random, isWindowTiny: isWindowTiny)
                let stream = client.request(fields, body: body)
                sent[stream] = (fields, body)
                guard Int.random(in: 0..<8, using: &generator.random) == 0 else { continue }
                client.reset(stream)
                resets.insert(stream)
            }
            try Self.carry(session, client, &generator, untilSilent: round == 11)
        }
        #expect(session.endedBy == nil && !session.isFinished, "seed \(seed)")
        #expect(session.openStreams == 0, "seed \(seed)")
        #expect(recorder.brokenPromises.isEmpty)
        for (stream, request) in sent where !resets.contains(stream) {
            #expect(recorder.fields(on: stream) == request.fields.map(\.description), "seed \(seed)")
            #expect(recorder.bodies[stream] ?? [] == request.body, "seed \(seed)")
            #expect(client.messages[stream]?.body == request.body, "seed \(seed)")
            #expect(client.messages[stream]?.code == 0, "seed \(seed)")
        }
    }

    /// Carries bytes to and fro in pieces of any size, some of them or until neither side has anything to say.
    private static func carry(
        _ session: HTTP2Session,
        _ native: NativeSession,
        _ generator: inout RandomFields,
        untilSilent: Bool
    ) throws {
        var rounds = untilSilent ? Int.max : Int.random(in: 0...3, using: &generator.random)
        while rounds > 0 {
            rounds -= 1
            let said = try session.output(
                limit: [1000, 20_000, 1 << 20].randomElement(using: &generator.random) ?? 1000
            )
            for piece in generator.pieces(of: said) {
                let error = native.receive(piece)
                #expect(error == nil)
            }
            let answer = native.output()
            for piece in generator.pieces(of: answer) { try session.receive(piece) }
            if said.isEmpty, answer.isEmpty { return }
        }
    }
}
