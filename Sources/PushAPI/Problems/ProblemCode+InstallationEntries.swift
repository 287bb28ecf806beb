// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    /// The problems of requests with a client key for a device or an activity that is not the installation's.
    var installationEntry: ProblemDescription {
        switch self {
        case .installationSecretRequired:
            ProblemDescription(
                403,
                "Missing installation secret",
                "With a client key, the app requires the header `Apus-Installation-Secret`, or the device has a secret.",
                fix:
                    "Draw 32 random bytes in each installation, keep them, and send them as base64url with each request; "
                    + "ApusKit does so. For apps of before, set `installationSecrets` of the app to `optional`."
            )
        case .installationSecretMismatch:
            ProblemDescription(
                403,
                "Wrong installation secret",
                "The device belongs to an installation with another secret.",
                fix:
                    "Register under a new device ID. If the installation has lost its secret, reset it with a key of "
                    + "scope `devices`: `DELETE /v1/apps/{app}/devices/{device}/secret`."
            )
        case .installationNotBound:
            ProblemDescription(
                403,
                "Device without a secret",
                "The device was registered without a secret, and the time in which the first one binds it is over.",
                fix:
                    "Register under a new device ID. Or allow it for this device with "
                    + "`DELETE /v1/apps/{app}/devices/{device}/secret`, or for all until a date with "
                    + "`installationsBindUntil` of the app."
            )
        case .attestationRequired:
            ProblemDescription(
                403,
                "Missing attestation",
                "With a client key, the app requires an attestation of App Attest to register a new device.",
                fix:
                    "Get a challenge with `GET /v1/apps/{app}/devices/{device}/challenge`, attest a key with it, and send "
                    + "the headers `Apus-Attestation`, `Apus-Attestation-Key` and `Apus-Attestation-Challenge`."
            )
        case .attestationInvalid:
            ProblemDescription(
                403,
                "Invalid attestation",
                "The attestation of the new device did not pass a check of App Attest.",
                fix:
                    "Attest a new key with a new challenge. If all devices fail, compare `teamID` of the app with its app "
                    + "ID prefix, and register builds from Xcode with the environment `sandbox`."
            )
        default:
            ProblemDescription(
                403,
                "Activity of others",
                "The activity belongs to the backend or to another installation, and neither was started on this device "
                    + "nor names it or its user.",
                fix:
                    "Let the backend name the device or its user: with `participants` of `POST /v1/apps/{app}/activities`, "
                    + "or `POST /v1/apps/{app}/activities/{activity}/participants`."
            )
        }
    }
}
