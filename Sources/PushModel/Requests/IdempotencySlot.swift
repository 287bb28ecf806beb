// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Under what a request's answer is kept for its repetitions: a caller's key never meets another caller's.
public struct IdempotencySlot: Hashable, Sendable {
    /// The app that the request concerns.
    public let app: AppID

    /// The API key by which it was authorized.
    public let apiKey: APIKeyID

    /// What the caller named it.
    public let key: IdempotencyKey

    /// Takes the app, the API key and the caller's name for the request.
    public init(app: AppID, apiKey: APIKeyID, key: IdempotencyKey) {
        self.app = app
        self.apiKey = apiKey
        self.key = key
    }
}
