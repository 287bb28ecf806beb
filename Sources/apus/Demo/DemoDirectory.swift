// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The directory of one demo, with the store and the logs of its processes.
enum DemoDirectory {
    /// Makes a directory and hands it to `body`.
    ///
    /// It is removed afterwards, unless something went wrong: then it is kept and named, since it holds the logs.
    /// - Parameters:
    ///   - parent: where it is made.
    ///   - tell: gets a line for the person who watches.
    ///   - body: runs the demo; answers whether all was well.
    /// - Throws: what `body` throws.
    static func with(
        in parent: URL = FileManager.default.temporaryDirectory,
        tell: (String) -> Void = Console.note,
        _ body: (String) async throws -> Bool
    ) async throws {
        let path = parent.appendingPathComponent("apus-demo-\(UInt32.random(in: .min ... .max))").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var isGood = false
        do {
            isGood = try await body(path)
        } catch let error as CancellationError {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        } catch {
            tell("The logs of the demo are in \(path)")
            throw error
        }
        if isGood {
            try FileManager.default.removeItem(atPath: path)
        } else {
            tell("The logs of the demo are in \(path)")
        }
    }
}
