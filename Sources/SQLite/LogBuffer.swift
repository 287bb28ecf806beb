// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSQLite

/// Collects the writes of one connection to the write-ahead log and passes them on in large parts.
///
/// SQLite writes each page with two system calls, although the pages of a transaction are adjacent in the log. Other
/// connections do not read these pages before the commit, and the sync of the commit flushes the buffer first. So each
/// commit must sync the log (`PRAGMA synchronous = FULL`).
///
/// The buffer replaces methods of the open log and database files, and is freed when the database file is closed. See
/// <https://www.sqlite.org/c3ref/io_methods.html>.
struct LogBuffer {
    private typealias File = UnsafeMutablePointer<sqlite3_file>

    /// The size of the buffer in bytes: 15 pages with their headers.
    private static let capacity = 64 << 10

    /// The slot of the lock that a transaction holds while it writes to the log (`WAL_WRITE_LOCK`).
    ///
    /// See <https://www.sqlite.org/walformat.html>.
    private static let writeLock: Int32 = 0

    // The files point to these.
    private var logMethods: sqlite3_io_methods
    private var databaseMethods: sqlite3_io_methods

    private let baseOfLog: UnsafePointer<sqlite3_io_methods>
    private let baseOfDatabase: UnsafePointer<sqlite3_io_methods>
    private let bytes = UnsafeMutableRawPointer.allocate(byteCount: Self.capacity, alignment: 16)
    private var length = 0

    /// The offset of the buffered bytes in the log.
    private var offset: Int64 = 0

    /// Starts to buffer the writes of a connection that has opened its log.
    ///
    /// Without effect if a loss of power may damage bytes beside those that are being written.
    static func install(database: UnsafeMutablePointer<sqlite3_file>, log: UnsafeMutablePointer<sqlite3_file>) {
        guard let baseOfDatabase = database.pointee.pMethods, let baseOfLog = log.pointee.pMethods else { return }
        // On such a disk SQLite writes to the log after the sync of a commit, too, to fill the sector. It asks the file
        // of the database.
        let powerSafe = baseOfDatabase.pointee.xDeviceCharacteristics(database) & SQLITE_IOCAP_POWERSAFE_OVERWRITE
        guard powerSafe != 0 else { return }
        let buffer = UnsafeMutablePointer<LogBuffer>.allocate(capacity: 1)
        buffer.initialize(to: LogBuffer(baseOfDatabase: baseOfDatabase, baseOfLog: baseOfLog))
        let methods = UnsafeRawPointer(buffer)
        log.pointee.pMethods = (methods + Self.placeOfLog).assumingMemoryBound(to: sqlite3_io_methods.self)
        database.pointee.pMethods = (methods + Self.placeOfDatabase).assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    private static let placeOfLog = MemoryLayout<LogBuffer>.offset(of: \.logMethods) ?? 0
    private static let placeOfDatabase = MemoryLayout<LogBuffer>.offset(of: \.databaseMethods) ?? 0

    private static func of(log: File?) -> UnsafeMutablePointer<LogBuffer>? { self.buffer(of: log, at: self.placeOfLog) }

    private static func of(database: File?) -> UnsafeMutablePointer<LogBuffer>? {
        self.buffer(of: database, at: self.placeOfDatabase)
    }

    private static func buffer(of file: File?, at place: Int) -> UnsafeMutablePointer<LogBuffer>? {
        guard let methods = file?.pointee.pMethods else { return nil }
        let buffer = UnsafeRawPointer(methods) - place
        return UnsafeMutablePointer(mutating: buffer.assumingMemoryBound(to: LogBuffer.self))
    }

    private init(
        baseOfDatabase: UnsafePointer<sqlite3_io_methods>,
        baseOfLog: UnsafePointer<sqlite3_io_methods>
    ) {
        (self.baseOfDatabase, self.baseOfLog) = (baseOfDatabase, baseOfLog)
        (self.databaseMethods, self.logMethods) = (baseOfDatabase.pointee, baseOfLog.pointee)
        self.replaceLogMethods()
        self.replaceDatabaseMethods()
    }

    private mutating func replaceLogMethods() {
        self.logMethods.xWrite = { file, bytes, count, offset in
            guard let file, let bytes, let buffer = LogBuffer.of(log: file) else { return SQLITE_IOERR }
            return buffer.pointee.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: offset, to: file)
        }
        self.logMethods.xRead = { file, bytes, count, offset in
            LogBuffer.flush(file, offset..<offset + Int64(count)) { $1.pointee.xRead($0, bytes, count, offset) }
        }
        self.logMethods.xSync = { file, flags in LogBuffer.flush(file) { $1.pointee.xSync($0, flags) } }
        self.logMethods.xTruncate = { file, size in LogBuffer.flush(file) { $1.pointee.xTruncate($0, size) } }
        self.logMethods.xFileSize = { file, size in LogBuffer.flush(file) { $1.pointee.xFileSize($0, size) } }
        self.logMethods.xClose = { file in
            guard let file, let buffer = LogBuffer.of(log: file) else { return SQLITE_IOERR }
            file.pointee.pMethods = buffer.pointee.baseOfLog
            return buffer.pointee.baseOfLog.pointee.xClose(file)
        }
    }

    private mutating func replaceDatabaseMethods() {
        self.databaseMethods.xShmLock = { file, slot, count, flags in
            guard let file, let buffer = LogBuffer.of(database: file) else { return SQLITE_IOERR }
            // The remaining pages were rolled back. From now on another process may write to their place in the log.
            if flags & SQLITE_SHM_UNLOCK != 0, slot == LogBuffer.writeLock { buffer.pointee.length = 0 }
            return buffer.pointee.baseOfDatabase.pointee.xShmLock(file, slot, count, flags)
        }
        // SQLite closes the log first.
        self.databaseMethods.xClose = { file in
            guard let file, let buffer = LogBuffer.of(database: file) else { return SQLITE_IOERR }
            let base = buffer.pointee.baseOfDatabase
            buffer.pointee.bytes.deallocate()
            buffer.deinitialize(count: 1).deallocate()
            file.pointee.pMethods = base
            return base.pointee.xClose(file)
        }
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, to file: File) -> Int32 {
        let follows = self.length > 0 && offset == self.offset + Int64(self.length)
        if !follows || self.length + bytes.count > Self.capacity {
            let code = self.flush(to: file)
            guard code == SQLITE_OK else { return code }
        }
        guard bytes.count <= Self.capacity else {
            return self.baseOfLog.pointee.xWrite(file, bytes.baseAddress, Int32(bytes.count), offset)
        }
        if self.length == 0 { self.offset = offset }
        UnsafeMutableRawBufferPointer(start: self.bytes + self.length, count: bytes.count).copyMemory(from: bytes)
        self.length += bytes.count
        return SQLITE_OK
    }

    /// Flushes the buffer, or only if it overlaps a range of the log, and then calls the original method.
    private static func flush(
        _ file: File?,
        _ range: Range<Int64>? = nil,
        _ next: (File, UnsafePointer<sqlite3_io_methods>) -> Int32
    ) -> Int32 {
        guard let file, let buffer = LogBuffer.of(log: file) else { return SQLITE_IOERR }
        let buffered = buffer.pointee.offset..<buffer.pointee.offset + Int64(buffer.pointee.length)
        if range.map(buffered.overlaps) ?? true {
            let code = buffer.pointee.flush(to: file)
            guard code == SQLITE_OK else { return code }
        }
        return next(file, buffer.pointee.baseOfLog)
    }

    /// Writes the buffer to the log.
    ///
    /// On failure it keeps the bytes: on a full disk SQLite may roll back only the statement that was reading. The next
    /// flush writes all of them again, and without it the commit fails.
    private mutating func flush(to file: File) -> Int32 {
        guard self.length > 0 else { return SQLITE_OK }
        let code = self.baseOfLog.pointee.xWrite(file, self.bytes, Int32(self.length), self.offset)
        if code == SQLITE_OK { self.length = 0 }
        return code
    }
}

extension Database {
    /// Buffers the writes of this connection to the write-ahead log until its commits sync the log.
    ///
    /// The database has to be in WAL mode, with `PRAGMA synchronous = FULL`. Call it once for a connection.
    package func bufferLogWrites() throws {
        // SQLite opens the log when the connection reads for the first time.
        _ = try self.value("SELECT 1 FROM sqlite_master LIMIT 1")
        LogBuffer.install(
            database: try self.file(SQLITE_FCNTL_FILE_POINTER),
            log: try self.file(SQLITE_FCNTL_JOURNAL_POINTER)
        )
    }
}
