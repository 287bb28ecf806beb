// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// Why jobs cannot be registered.
public struct JobRunnerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Hashable, Sendable {
        /// Two jobs have the same name.
        case repeatedName

        /// The name belongs to a job that was made through the API.
        case nameTaken

        /// The app has as many jobs as it may have.
        case tooMany

        /// The policy of a job contradicts itself.
        case unfitPolicy
    }

    /// What kind of failure it is.
    public let code: Code

    /// What happened, and how to fix it.
    public let message: String

    /// The code and the message.
    public var description: String { "\(self.code.rawValue): \(self.message)" }

    static func repeatedName(_ id: JobID) -> JobRunnerError {
        JobRunnerError(code: .repeatedName, message: "Two jobs are called '\(id)'. Give one of them another `id`.")
    }

    static func unfitPolicy(_ id: JobID) -> JobRunnerError {
        JobRunnerError(
            code: .unfitPolicy,
            message:
                "The job '\(id)' makes up for each missed occurrence (`misfire: .each`) and leaves out those that overlap "
                + "(`overlap: .skip`), so that it would run one and drop the others. Let `overlap` be `.queue` or `.allow`, "
                + "or leave it out."
        )
    }

    init(_ refusal: JobRefusal, of id: JobID) {
        switch refusal {
        case .tooMany:
            self.init(code: .tooMany, message: "The app has \(Job.maximumPerApp) jobs already. Remove some.")
        case .isCode, .isNotCode:
            self.init(
                code: .nameTaken,
                message: "The app has a job '\(id)' that was made through the API. Remove it, or take another `id`."
            )
        }
    }

    private init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}
