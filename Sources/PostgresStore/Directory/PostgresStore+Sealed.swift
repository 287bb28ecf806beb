// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore

extension PostgresStore: SealedStore {
    public func replaceSealed(_ item: SealedItem, old: [UInt8], new: [UInt8]) async throws -> Bool {
        let (table, column, id) = item.stored
        return try await self.write { connection in
            let update = "UPDATE \(table) SET \(column) = $1 WHERE \(column) = $2"
            let reply =
                if let id {
                    try connection.queue("\(update) AND id = $3", [.bytes(new), .bytes(old), .text(id)])
                } else {
                    try connection.queue(update, [.bytes(new), .bytes(old)])
                }
            try connection.commit()
            return reply.changes > 0
        }
    }
}
