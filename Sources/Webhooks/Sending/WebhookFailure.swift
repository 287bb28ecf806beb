// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
import NIOCore
import PushModel

/// Why a request got no answer.
struct WebhookFailure: Error {
    /// What kind of failure it is.
    let code: WebhookAnswer.Failure

    /// What happened, without a secret.
    let message: String

    init(code: WebhookAnswer.Failure, message: String) {
        self.code = code
        self.message = message
    }

    /// What any error of a request means.
    init(_ error: any Error) {
        switch error {
        case let failure as WebhookFailure: self = failure
        case let error as HTTPClientError where [.connectTimeout, .deadlineExceeded].contains(error):
            self.init(code: .deadline, message: "\(error)")
        case let error as HTTPClientError where error == .tlsHandshakeTimeout:
            self.init(code: .tls, message: "\(error)")
        case let error where "\(type(of: error))".contains("SSL"):
            self.init(code: .tls, message: "\(error)")
        default:
            self.init(code: .connection, message: "\(error)")
        }
    }
}
