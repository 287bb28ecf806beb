// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSpawn
public import Foundation
public import PushModel
public import PushStore
import SQLStore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension SQLiteStore: WorkerLiveness {
    /// The wait before another attempt to lock the own file, which another process holds while it looks at it.
    private static let retryDelay = Duration.milliseconds(20)

    public func hold(_ worker: WorkerID) async throws {
        try self.workerLocks.prepare()
        var held: WorkerLockFile?
        while held == nil {
            held = try self.workerLocks.lock(worker, creates: true)
            if held == nil { try await Task.sleep(for: Self.retryDelay) }
        }
        self.heldLock.withLock { $0 = held }
        defer { self.heldLock.withLock { $0 = nil } }
        // Ends when the task is cancelled or the store is closed.
        for await _ in self.broadcast.changes({ _ in false }) {}
        if Task.isCancelled { held?.remove() }
    }

    public func terminatedWorkers() async throws -> [WorkerID]? {
        guard self.heldLock.withLock({ $0 != nil }) else { return nil }
        // The own file is locked too, by another descriptor.
        return try self.workerLocks.workers().filter { try self.workerLocks.lock($0, creates: false) != nil }
    }

    public func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] {
        // Held until the commit, so that no other process expires them too.
        guard let lock = try self.workerLocks.lock(worker, creates: false) else { return [:] }
        let activities = lock.note()
        let expired = try await self.sql.write { try $0.expireLeases(of: worker, noted: activities, now: now) }
        lock.remove()
        return expired
    }

    public func note(_ activities: [Int64]) async throws {
        self.heldLock.withLock { $0 }?.write(activities)
    }
}

/// A locked file of one worker.
///
/// The kernel releases the lock when the process terminates, also after SIGKILL. The lock is `flock`: an
/// `fcntl` lock ends when the process closes any descriptor of the file.
final class WorkerLockFile: Sendable {
    private let path: String
    private let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    /// Locks a file until the object is released; `nil` if another descriptor holds the lock, or if the file is gone.
    ///
    /// - Throws: `StoreError` if the file cannot be opened.
    static func lock(_ path: String, creates: Bool) throws -> WorkerLockFile? {
        // No child process inherits the descriptor: it would keep the lock.
        let descriptor = open(path, O_RDWR | O_CLOEXEC | (creates ? O_CREAT : 0), 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT, !creates { return nil }
            throw StoreError(
                code: .unavailable,
                message: "The lock file \(path) cannot be opened: \(String(cString: strerror(errno))). "
                    + "Check the permissions of its directory and the limit of open files."
            )
        }
        let file = WorkerLockFile(path: path, descriptor: descriptor)
        var status = stat()
        // The finder of a terminated worker removes the file. A lock on a removed file is worth nothing.
        let isHeld =
            flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &status) == 0 && status.st_nlink > 0
        return isHeld ? file : nil
    }

    /// Replaces the content of the file by numbers, which outlive the process.
    func write(_ numbers: [Int64]) {
        let text = Array(numbers.map(String.init).joined(separator: " ").utf8)
        // A note that fails is only missed after a crash.
        _ = ftruncate(self.descriptor, 0)
        _ = pwrite(self.descriptor, text, text.count, 0)
    }

    /// The numbers that were written; a text that is cut off loses the last.
    func note() -> [Int64] {
        let text = FileManager.default.contents(atPath: self.path).map { String(decoding: $0, as: UTF8.self) }
        return text?.split(separator: " ").compactMap { Int64($0) } ?? []
    }

    func remove() { unlink(self.path) }
}

/// The directory with the lock files of all workers of a database.
struct WorkerLockDirectory: Sendable {
    private static let suffix = ".lock"

    /// The bytes of a worker's ID that a file name keeps as they are.
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    )

    private let path: String

    /// The directory beside the file of a database; all processes find it, also through symbolic links.
    init(database: String) {
        self.path = URL(fileURLWithPath: database).resolvingSymlinksInPath().path + "-workers"
    }

    /// Creates the directory if it is missing.
    ///
    /// - Throws: `UnreliableLocksError` if it is on a network file system, and `StoreError` if it cannot be created.
    func prepare() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: self.path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw StoreError(
                code: .unavailable,
                message: "The directory \(self.path) for lock files cannot be created. Check the permissions of its "
                    + "parent directory.",
                cause: error
            )
        }
        if self.isOnNetworkFileSystem {
            throw UnreliableLocksError("\(self.path) is on a network file system, which may lose locks.")
        }
    }

    /// Whether a server, not the kernel of this machine, keeps the locks.
    private var isOnNetworkFileSystem: Bool {
        var system = statfs()
        guard statfs(self.path, &system) == 0 else { return false }
        #if canImport(Darwin)
        return system.f_flags & UInt32(MNT_LOCAL) == 0
        #else
        // NFS, SMB, CIFS, SMB2, 9P, FUSE, Ceph, AFS and Lustre, by the numbers of `statfs(2)`.
        let types: [UInt32] = [
            0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x6573_5546, 0x00C3_6400, 0x5346_414F, 0x0BD0_0BD0,
        ]
        return types.contains(UInt32(truncatingIfNeeded: system.f_type))
        #endif
    }

    func lock(_ worker: WorkerID, creates: Bool) throws -> WorkerLockFile? {
        let name = worker.rawValue.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? ""
        return try WorkerLockFile.lock("\(self.path)/\(name)\(Self.suffix)", creates: creates)
    }

    func workers() -> [WorkerID] {
        // Without a worker there is no directory.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []
        return names.filter { $0.hasSuffix(Self.suffix) }.compactMap { name in
            name.dropLast(Self.suffix.count).removingPercentEncoding.flatMap { WorkerID(rawValue: $0) }
        }
    }
}
