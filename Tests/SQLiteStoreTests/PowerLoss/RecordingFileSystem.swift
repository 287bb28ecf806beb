// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSQLite
import Foundation
import Synchronization

/// SQLite's file system, with a record of the changes to files in some directories.
///
/// It is the default of the process from the first recording on. Files in other directories are opened as before.
/// See <https://www.sqlite.org/vfs.html>.
enum RecordingFileSystem {
    /// An open file that is recorded.
    ///
    /// The pointers are valid until it is closed.
    private struct File: @unchecked Sendable {
        let name: String
        let recording: DiskRecording
        let base: UnsafePointer<sqlite3_io_methods>
        let methods: UnsafeMutablePointer<sqlite3_io_methods>
    }

    private struct State {
        /// By the names of the directories.
        var recordings: [String: DiskRecording] = [:]

        /// By their addresses.
        var files: [Int: File] = [:]
    }

    private static let state = Mutex(State())

    // Constants once they are set.
    private nonisolated(unsafe) static let base = sqlite3_vfs_find(nil)
    private static let registration = Self.register()

    /// Records the changes to the files in a directory, whose name no other directory has.
    static func record(_ directory: URL) -> DiskRecording {
        precondition(self.registration == SQLITE_OK, "SQLite rejects the file system (\(self.registration))")
        let recording = DiskRecording()
        self.state.withLock { $0.recordings[directory.lastPathComponent] = recording }
        return recording
    }

    private static func register() -> Int32 {
        guard let base else { return SQLITE_ERROR }
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: base.pointee)
        own.pointee.pNext = nil
        own.pointee.zName = UnsafePointer(strdup("apus-recording"))
        own.pointee.xOpen = { _, path, file, flags, results in
            RecordingFileSystem.open(path, file, flags, results)
        }
        own.pointee.xDelete = { _, path, syncsDirectory in
            if let path { RecordingFileSystem.recording(of: path)?.delete(RecordingFileSystem.name(of: path)) }
            return RecordingFileSystem.base?.pointee.xDelete(RecordingFileSystem.base, path, syncsDirectory)
                ?? SQLITE_IOERR
        }
        return sqlite3_vfs_register(own, 1)
    }

    private static func name(of path: UnsafePointer<CChar>) -> String {
        URL(fileURLWithPath: String(cString: path)).lastPathComponent
    }

    private static func recording(of path: UnsafePointer<CChar>) -> DiskRecording? {
        let directory = URL(fileURLWithPath: String(cString: path)).deletingLastPathComponent().lastPathComponent
        return self.state.withLock { $0.recordings[directory] }
    }

    private static func file(_ file: UnsafeMutablePointer<sqlite3_file>?) -> File? {
        let address = Int(bitPattern: file)
        return self.state.withLock { $0.files[address] }
    }

    private static func open(
        _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ flags: Int32,
        _ results: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let status = self.base?.pointee.xOpen(self.base, path, file, flags, results) else { return SQLITE_IOERR }
        guard status == SQLITE_OK, let path, let recording = self.recording(of: path), let file,
            let base = file.pointee.pMethods
        else { return status }
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: base.pointee)
        self.replace(&methods.pointee)
        let opened = File(name: self.name(of: path), recording: recording, base: base, methods: methods)
        let address = Int(bitPattern: file)
        self.state.withLock { $0.files[address] = opened }
        file.pointee.pMethods = UnsafePointer(methods)
        return status
    }

    /// Replaces the methods that change a file.
    ///
    /// A write is recorded before it begins and a sync after it has ended, so that the record never has too much.
    private static func replace(_ methods: inout sqlite3_io_methods) {
        methods.xWrite = { pointer, bytes, count, offset in
            guard let file = RecordingFileSystem.file(pointer) else { return SQLITE_IOERR }
            let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            guard file.recording.write(buffer, at: Int(offset), to: file.name) else { return SQLITE_FULL }
            return file.base.pointee.xWrite(pointer, bytes, count, offset)
        }
        methods.xTruncate = { pointer, size in
            guard let file = RecordingFileSystem.file(pointer) else { return SQLITE_IOERR }
            file.recording.truncate(file.name, to: Int(size))
            return file.base.pointee.xTruncate(pointer, size)
        }
        methods.xSync = { pointer, flags in
            guard let file = RecordingFileSystem.file(pointer) else { return SQLITE_IOERR }
            let end = file.recording.count
            let status = file.base.pointee.xSync(pointer, flags)
            if status == SQLITE_OK { file.recording.sync(file.name, end: end) }
            return status
        }
        methods.xClose = { pointer in
            let address = Int(bitPattern: pointer)
            guard let file = RecordingFileSystem.state.withLock({ $0.files.removeValue(forKey: address) }) else {
                return SQLITE_IOERR
            }
            defer { file.methods.deallocate() }
            return file.base.pointee.xClose(pointer)
        }
    }
}
