// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The kinds of JSON values, as they are named to callers.
enum JSONKind: String, Sendable {
    case object = "an object"
    case array = "an array"
    case string = "a string"
    case number = "a number"
    case boolean = "a boolean"
    case null = "null"
}
