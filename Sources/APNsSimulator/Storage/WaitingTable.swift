// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What waits in APNs's store for devices that are like others: at most one notification each.
struct WaitingTable: Sendable {
    private var entries = ChunkedArray<LogEntry>()
    /// Places that can be used again.
    private var free: [Int32] = []

    /// How many places there are, in use or not.
    var capacity: Int { self.entries.count }

    subscript(place: Int32) -> LogEntry { self.entries[Int(place)] }

    /// Keeps an entry; returns its place.
    mutating func add(_ entry: LogEntry) -> Int32 {
        if let place = self.free.popLast() {
            self.entries[Int(place)] = entry
            return place
        }
        self.entries.append(entry)
        return Int32(self.entries.count - 1)
    }

    /// Takes an entry out.
    mutating func remove(_ place: Int32) -> LogEntry {
        defer {
            self.entries[Int(place)].device = -1
            self.free.append(place)
        }
        return self.entries[Int(place)]
    }

    /// Holds entries against the contents that they refer to, after they were read from a document.
    func check(_ contents: ContentTable) throws(SnapshotFault) {
        for place in 0..<self.entries.count where self.entries[place].isKept {
            guard contents.isValid(self.entries[place].content) else {
                throw SnapshotFault(path: "world.waiting[\(place)]", rule: "a known content")
            }
        }
        for place in self.free where place < 0 || Int(place) >= self.entries.count {
            throw SnapshotFault(path: "world.waiting.free", rule: "known places")
        }
    }
}

extension WaitingTable: Codable {}
