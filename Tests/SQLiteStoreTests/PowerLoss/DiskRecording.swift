// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// A log of the changes to files, from which follows what a disk has of them after a power loss.
///
/// A disk is sure to have the changes that a later sync of the same file covers. It has any of the other changes, or a
/// part of them in sectors. It never changes bytes that were not written, as SQLite assumes
/// (<https://www.sqlite.org/psow.html>).
final class DiskRecording: Sendable {
    private enum Entry {
        case write(file: String, offset: Int, bytes: [UInt8])
        case truncation(file: String, size: Int)
        case deletion(file: String)

        /// The file has all changes before an entry.
        case sync(file: String, end: Int)
    }

    private static let sector = 512

    /// The size in bytes of the parts of an unsynced write, each of which the disk has or does not have.
    private static let page = 4096
    private let entries = Mutex<[Entry]>([])
    private let refused = Mutex<String?>(nil)

    /// The number of entries.
    var count: Int { self.entries.withLock { $0.count } }

    /// Returns the number of writes to a file.
    func writes(to name: String) -> Int {
        self.entries.withLock { entries in
            entries.count { if case .write(name, _, _) = $0 { true } else { false } }
        }
    }

    // MARK: Recording

    /// Makes all later writes to a file fail; `nil` ends that.
    func refuseWrites(to file: String?) { self.refused.withLock { $0 = file } }

    /// Records a write; returns `false` if it has to fail.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, to file: String) -> Bool {
        guard self.refused.withLock({ $0 != file }) else { return false }
        let entry = Entry.write(file: file, offset: offset, bytes: Array(bytes))
        self.entries.withLock { $0.append(entry) }
        return true
    }

    func truncate(_ file: String, to size: Int) {
        self.entries.withLock { $0.append(.truncation(file: file, size: size)) }
    }

    func delete(_ file: String) {
        self.entries.withLock { $0.append(.deletion(file: file)) }
    }

    /// A sync has ended; `end` is the number of entries when it began.
    func sync(_ file: String, end: Int) {
        self.entries.withLock { $0.append(.sync(file: file, end: end)) }
    }

    // MARK: After a power loss

    /// Returns the contents of the files if the power is lost after `count` entries.
    ///
    /// - Parameter keepsOthers: whether the disk has some of the changes that no sync covers, chosen at random.
    func files(after count: Int, keepsOthers: Bool) -> [String: [UInt8]] {
        let entries = self.entries.withLock { Array($0.prefix(count)) }
        var ends: [String: Int] = [:]
        for case .sync(let file, let end) in entries { ends[file] = end }
        var files: [String: [UInt8]] = [:]
        for (number, entry) in entries.enumerated() {
            func isSynced(_ file: String) -> Bool { number < ends[file, default: 0] }
            func isKept(_ file: String) -> Bool { isSynced(file) || keepsOthers && Bool.random() }
            switch entry {
            case .write(let file, let offset, let bytes):
                let step = isSynced(file) ? max(1, bytes.count) : Self.page
                for start in stride(from: 0, to: bytes.count, by: step) where isKept(file) {
                    let part = bytes[start..<min(start + step, bytes.count)]
                    let isWhole = isSynced(file) || part.count < Self.sector
                    let sectors = Int.random(in: 0...part.count / Self.sector)
                    let kept = isWhole ? part : part.prefix(sectors * Self.sector)
                    let place = offset + start
                    let missing = place + kept.count - files[file, default: []].count
                    if missing > 0 { files[file, default: []] += [UInt8](repeating: 0, count: missing) }
                    files[file]?.replaceSubrange(place..<place + kept.count, with: kept)
                }
            case .truncation(let file, let size) where isKept(file):
                if let length = files[file]?.count, length > size { files[file]?.removeLast(length - size) }
            case .deletion(let file): files[file] = nil
            case .truncation, .sync: break
            }
        }
        return files
    }
}
