// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONFragment {
    /// An object encoded from a value of the app's own type, the way ActivityKit decodes it.
    ///
    /// The encoder keeps its default strategies, since the device decodes with the defaults: a `Date` becomes seconds
    /// since 2001, `Data` becomes base64, keys stay as in `CodingKeys`. Names are sorted.
    /// - Throws: ``ValidationFailure`` for `field` if the value cannot be encoded or is no object.
    public init(encoding value: some Encodable, field: String = "json") throws(ValidationFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            throw ValidationFailure(field: field, rule: "a value that JSON can hold", value: "\(type(of: value))")
        }
        try self.init(json: [UInt8](data), field: field)
    }
}
