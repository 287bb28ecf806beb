// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting

/// Makes a peer's words out of lawful frames, with some of them changed, doubled, dropped, moved or broken off.
struct FrameMutator {
    private var random: SeededRandom

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
    }

    /// The bytes of one connection, in the pieces in which they arrive.
    mutating func conversation(of role: RawHTTP2Peer.Role) -> [[UInt8]] {
        var frames: [HTTP2Frame] = [.settings([0x3: 100]), .settingsAcknowledgement]
        for _ in 0..<Int.random(in: 1...20, using: &self.random) { frames += self.frames(of: role) }
        for _ in 0..<Int.random(in: 0...4, using: &self.random) { self.rearrange(&frames) }
        var bytes = role == .client ? HTTP2Frame.clientPreface : []
        for frame in frames { bytes += frame.bytes }
        for _ in 0..<Int.random(in: 0...6, using: &self.random) { self.spoil(&bytes) }
        return self.pieces(of: bytes)
    }

    private mutating func frames(of role: RawHTTP2Peer.Role) -> [HTTP2Frame] {
        let stream = UInt32.random(in: 0...20, using: &self.random) | (self.chance(10) ? 0 : 1)
        let block = self.block(of: role)
        switch Int.random(in: 0..<13, using: &self.random) {
        case 0...2: return [.headers(stream, block, endStream: self.chance(2))]
        case 3: return [.headers(stream, block, endStream: false), .data(stream, self.noise(300), endStream: true)]
        case 4: return [.data(stream, self.noise(20_000), endStream: self.chance(2))]
        case 5: return [.reset(stream, code: .random(in: 0...14, using: &self.random))]
        case 6:
            return [.settings([.random(in: 0...8, using: &self.random): .random(in: 0...(.max), using: &self.random)])]
        case 7: return [.windowUpdate(stream & 1, by: .random(in: 0...0x7fff_ffff, using: &self.random))]
        case 8: return [.ping(acknowledgement: self.chance(2)), .priority(stream, dependsOn: stream ^ 2)]
        case 9: return [.goAway(lastStream: stream, debugData: self.noise(40))]
        case 10: return [.headers(stream, block, endHeaders: false), .continuation(stream, endHeaders: true)]
        case 11: return [.pushPromise(stream, promising: stream + 1, block)]
        default:
            let kind = HTTP2Frame.Kind(rawValue: .random(in: 0...20, using: &self.random))
            let flags = HTTP2Frame.Flags(rawValue: .random(in: 0...255, using: &self.random))
            return [HTTP2Frame(kind, flags: flags, stream: stream, payload: self.noise(60))]
        }
    }

    private mutating func block(of role: RawHTTP2Peer.Role) -> HPACKBlock {
        var block = role == .client ? HPACKBlock.request() : HPACKBlock.response(self.chance(4) ? "103" : "200")
        for _ in 0..<Int.random(in: 0...3, using: &self.random) {
            switch Int.random(in: 0..<4, using: &self.random) {
            case 0: block.append("x-name", "value", indexing: .incremental)
            case 1: block.append(self.noise(8), self.noise(30), indexing: .never)
            case 2: block.append(index: .random(in: 0...70, using: &self.random))
            default: block.append(tableSize: .random(in: 0...5000, using: &self.random))
            }
        }
        return block
    }

    private mutating func rearrange(_ frames: inout [HTTP2Frame]) {
        guard let place = frames.indices.randomElement(using: &self.random) else { return }
        switch Int.random(in: 0..<4, using: &self.random) {
        case 0: frames.remove(at: place)
        case 1: frames.insert(frames[place], at: place)
        case 2: frames.swapAt(place, frames.indices.randomElement(using: &self.random) ?? place)
        default: frames[place].payload = Array(frames[place].payload.dropLast(.random(in: 0...4, using: &self.random)))
        }
    }

    private mutating func spoil(_ bytes: inout [UInt8]) {
        guard let place = bytes.indices.randomElement(using: &self.random) else { return }
        switch Int.random(in: 0..<4, using: &self.random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &self.random)
        case 1: bytes[place] = .random(in: 0...255, using: &self.random)
        case 2: bytes.remove(at: place)
        default: bytes.insert(.random(in: 0...255, using: &self.random), at: place)
        }
    }

    private mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        let size = Int.random(in: 1...max(2, bytes.count), using: &self.random)
        while !rest.isEmpty {
            let count = Int.random(in: 1...size, using: &self.random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    private mutating func noise(_ limit: Int) -> [UInt8] {
        let count = Int.random(in: 0...limit, using: &self.random)
        return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ 0x5a }
    }

    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self.random) == 0 }
}
