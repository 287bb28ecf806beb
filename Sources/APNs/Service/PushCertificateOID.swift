// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The extensions by which a push certificate says what it may do, in dotted form.
public enum PushCertificateOID {
    /// It may push to the sandbox.
    public static let development = "1.2.840.113635.100.6.3.1"
    /// It may push to production.
    public static let production = "1.2.840.113635.100.6.3.2"
    /// The VoIP topics it lists.
    public static let voipTopics = "1.2.840.113635.100.6.3.4"
    /// Every topic it lists, each with its kind: `app`, `voip` or `complication`.
    public static let topics = "1.2.840.113635.100.6.3.6"
    /// The subject attribute (UID) that holds the bundle identifier.
    public static let userID = "0.9.2342.19200300.100.1.1"
}
