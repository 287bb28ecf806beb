// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging

extension ServerConfiguration {
    /// The logger of a process that runs with this configuration; it tells first of variables that look misspelt.
    func processLogger() -> Logger {
        var logger = Logger(label: "apus", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = self.logLevel
        let unknown = ConfigurationSources.unknownVariables(in: ProcessInfo.processInfo.environment)
        if !unknown.isEmpty {
            let names = unknown.joined(separator: ", ")
            logger.warning("Variables of the environment that are no keys are ignored", metadata: ["names": "\(names)"])
        }
        return logger
    }
}
