// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What is asked of a resource.
enum HTTPVerb: String, Sendable {
    case get = "GET"
    case patch = "PATCH"
    case put = "PUT"
    case post = "POST"
    case delete = "DELETE"
}
