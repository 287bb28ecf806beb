// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The file of this very program, so that it can start itself with another command.
enum OwnExecutable {
    static var path: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

    /// The path as somebody in the current directory would type it.
    static var typed: String {
        let directory = FileManager.default.currentDirectoryPath + "/"
        let path = self.path
        return path.hasPrefix(directory) ? String(path.dropFirst(directory.count)) : path
    }
}
