// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parameters of `CreatePlatformApplication`.
public struct CreatePlatformApplicationRequest: Hashable, Sendable {
    /// The application's name.
    public let name: String
    /// The push service.
    public let platform: SNSPlatform
    /// Its attributes.
    public let attributes: ApplicationAttributes
    /// Its credential.
    public let credential: PlatformCredential

    init(_ reader: inout ParameterReader) throws(SNSError) {
        self.name = reader.required("Name")
        let platform = reader.required("Platform")
        let values = try reader.requiredMap("Attributes")
        try reader.finish()
        try ResourceName.checkApplication(self.name)
        self.platform = try SNSPlatform(parameter: platform)
        self.attributes = try ApplicationAttributes(values)
        guard let credential = try self.attributes.credential() else { throw PlatformCredential.absent }
        self.credential = credential
    }
}
