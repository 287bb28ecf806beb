// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension PostgresConnection {
    /// Waits until the server or someone else has something to say.
    ///
    /// - Parameters:
    ///   - descriptor: a file that is read from, beside the connection.
    ///   - deadline: when to stop waiting.
    /// - Throws: ``PostgresFailure`` when the connection broke.
    func waitForNotifications(or descriptor: Int32, until deadline: ContinuousClock.Instant) throws {
        _ = try SocketWait.wait(
            for: [(PQsocket(self.handle), SocketWait.readable), (descriptor, SocketWait.readable)],
            until: deadline
        )
        guard PQconsumeInput(self.handle) == 1 else { throw self.breaking() }
    }

    /// The texts of the notifications that have come from other connections.
    func takeNotifications() -> [String] {
        var texts: [String] = []
        while let notification = PQnotifies(self.handle) {
            if notification.pointee.be_pid != PQbackendPID(self.handle) {
                texts.append(String(cString: notification.pointee.extra))
            }
            PQfreemem(notification)
        }
        return texts
    }
}
