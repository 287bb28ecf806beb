// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSQLite
import Synchronization

/// A request to end a read, which any thread can make.
final class Cancellation: Sendable {
    private let isSet = Atomic(false)

    var isRequested: Bool { self.isSet.load(ordering: .relaxed) }

    func request() { self.isSet.store(true, ordering: .relaxed) }
}

/// The receiver of the length of the write-ahead log.
final class CommitHook {
    fileprivate let body: @Sendable (_ pages: Int) -> Void

    fileprivate init(_ body: @escaping @Sendable (_ pages: Int) -> Void) {
        self.body = body
    }
}

/// An SQL function of one text.
private final class TextFunction {
    let body: @Sendable (String?) -> String?

    init(_ body: @escaping @Sendable (String?) -> String?) {
        self.body = body
    }

    func call(_ context: OpaquePointer?, _ argument: OpaquePointer?) {
        var text: String?
        if sqlite3_value_type(argument) == SQLITE_TEXT, let bytes = sqlite3_value_text(argument) {
            let buffer = UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(argument)))
            text = String(decoding: buffer, as: UTF8.self)
        }
        guard var result = self.body(text) else { return sqlite3_result_null(context) }
        // SQLite copies what is returned with it.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        result.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { text in
                let count = UInt64(text.count)
                sqlite3_result_text64(context, text.baseAddress, count, copying, UInt8(SQLITE_UTF8))
            }
        }
    }
}

extension Database {
    /// The number of instructions of SQLite's virtual machine between two checks for a cancellation.
    private static let instructionsPerCheck: Int32 = 1000

    /// Reads one state of the database; throws `CancellationError` once `cancellation` is requested.
    func read<Value>(until cancellation: Cancellation, _ body: (Database) throws -> Value) throws -> Value {
        guard !cancellation.isRequested else { throw CancellationError() }
        let handle = try self.connection()
        sqlite3_progress_handler(
            handle,
            Self.instructionsPerCheck,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().isRequested ? 1 : 0
            },
            Unmanaged.passUnretained(cancellation).toOpaque()
        )
        defer { withExtendedLifetime(cancellation) { sqlite3_progress_handler(handle, 0, nil, nil) } }
        do {
            return try self.inTransaction(.deferred) { try body(self) }
        } catch let error as DatabaseError where error.resultCode == .interrupt {
            throw CancellationError()
        }
    }

    /// Adds an SQL function of one text; it returns the same result for the same argument.
    package func addFunction(_ name: String, _ body: @escaping @Sendable (String?) -> String?) throws {
        let handle = try self.connection()
        let code = sqlite3_create_function_v2(
            handle,
            name,
            1,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            Unmanaged.passRetained(TextFunction(body)).toOpaque(),
            { context, _, arguments in
                guard let function = sqlite3_user_data(context) else { return }
                Unmanaged<TextFunction>.fromOpaque(function).takeUnretainedValue().call(context, arguments?[0])
            },
            nil,
            nil,
            { function in
                guard let function else { return }
                Unmanaged<TextFunction>.fromOpaque(function).release()
            }
        )
        guard code == SQLITE_OK else { throw DatabaseError(handle, code) }
    }

    /// Calls `body` after each commit with the length of the write-ahead log in pages.
    ///
    /// It replaces the automatic checkpoints of SQLite; call ``checkpoint()`` instead.
    package func onCommit(_ body: @escaping @Sendable (_ pages: Int) -> Void) throws {
        let hook = CommitHook(body)
        sqlite3_wal_hook(
            try self.connection(),
            { hook, _, _, pages in
                guard let hook else { return SQLITE_OK }
                Unmanaged<CommitHook>.fromOpaque(hook).takeUnretainedValue().body(Int(pages))
                return SQLITE_OK
            },
            Unmanaged.passUnretained(hook).toOpaque()
        )
        self.commitHook = hook
    }

    /// Copies the pages of the write-ahead log that no reader holds back into the database.
    ///
    /// - Returns: the number of pages of the log that are copied.
    package func checkpoint() throws -> Int {
        // A connection that has not read yet does not know the log, and would copy nothing.
        _ = try self.value("SELECT 1 FROM sqlite_master LIMIT 1")
        let handle = try self.connection()
        var copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, &copied)
        guard code == SQLITE_OK else { throw DatabaseError(handle, code) }
        return Int(copied)
    }
}
