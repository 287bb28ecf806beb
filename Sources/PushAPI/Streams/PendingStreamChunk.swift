// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Synchronization

/// Lines of a stream that are gathered, to be stored together.
struct PendingStreamChunk {
    let firstLine: Int

    /// The memory that is reserved for the lines.
    var reservedBytes = 0

    /// The status of each line.
    private(set) var lines = StreamLineList()

    /// The notifications of the accepted lines.
    private(set) var groups: ItemBatcher

    init(app: App, firstLine: Int) {
        self.firstLine = firstLine
        self.groups = ItemBatcher(app: app)
    }

    var numbers: Range<Int> { self.firstLine..<self.firstLine + self.lines.count }

    mutating func read(_ line: LineBuffer.Line, in bytes: [UInt8], app: AppID, limit: Int) {
        switch line {
        case .overlong: self.refuse(.lineTooLong(limit: limit))
        case .text(let range): self.read(range, of: bytes, app: app)
        }
    }

    private mutating func read(_ range: Range<Int>, of bytes: [UInt8], app: AppID) {
        var cursor = JSONCursor(bytes, in: range)
        guard cursor.peek() != nil else { return self.lines.append(.init(fate: .empty)) }
        if let scan = FastItemParser.read(&cursor), cursor.peek() == nil, let place = self.groups.add(scan, of: bytes) {
            self.append(place, name: scan.name.map { bytes[$0] })
        } else {
            self.readStrictly(Array(bytes[range]), app: app)
        }
    }

    /// Parses an unusual or invalid line, and records its error.
    private mutating func readStrictly(_ bytes: [UInt8], app: AppID) {
        var draft = ItemParser()
        do {
            let item = try JSONReader.read(bytes, members: ItemParser.members) {
                (reader, member, path) throws(JSONSyntaxError) in
                try draft.read(member, &reader, path)
            } finish: { reader in
                draft.finish(&reader, app: app)
            }
            self.append(self.groups.add(item), name: item.name)
        } catch {
            self.refuse(error, name: draft.name)
        }
    }

    private mutating func append(_ place: ItemBatcher.Place, name: ArraySlice<UInt8>?) {
        let fate = StreamLineList.Fate.accepted(ordinal: place.ordinal, index: place.index)
        self.lines.append(.init(name: name ?? [], fate: fate))
    }

    private mutating func refuse(_ problem: Problem, name: ArraySlice<UInt8>? = nil) {
        self.lines.append(.init(name: name ?? [], fate: .refused(problem.lineJSON[...])))
    }
}
