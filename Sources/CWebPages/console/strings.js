// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

export const texts = {
  loading: 'Loading…',
  noResponse: 'No response',
  noApp: 'This server has no app yet, or your key may not list the apps. Create an app: apus apps create BUNDLE_ID',
  noPage: 'The console has no page that this key may use. Sign in with another key.',
  insecure: 'The console needs HTTPS, or an address of this machine such as http://127.0.0.1:8080/console. '
    + 'Put a proxy with TLS in front of the server, or use an SSH tunnel.',
  accepted: 'Accepted by APNs does not mean that the device showed it: Apple does not report that.',
};

export const stateNames = {
  accepted: 'Accepted', sending: 'Sending', completed: 'Completed', cancelled: 'Cancelled', expired: 'Expired',
  failed: 'Failed', scheduled: 'Scheduled', running: 'Running', paused: 'Paused', active: 'Active', suspect: 'Suspect',
  invalid: 'Invalid', pending: 'Pending', delivered: 'Accepted by APNs', rejected: 'Rejected by APNs', ended: 'Ended',
  starting: 'Starting', waiting: 'Waiting', succeeded: 'Succeeded', skipped: 'Skipped', disabled: 'Disabled',
  open: 'Open', half_open: 'Half open', closed: 'Closed', creating: 'Creating', deleting: 'Deleting',
};

export const pushTypes = ['alert', 'background', 'voip', 'complication', 'fileprovider', 'location', 'pushtotalk',
  'widgets', 'controls', 'mdm'];

/** The largest payload of a push type, in bytes. */
export const payloadLimit = (pushType) => (pushType === 'voip' ? 5120 : 4096);

export const eventTypes = [
  'notification.accepted', 'notification.completed', 'device.invalidated', 'device.suspected', 'campaign.scheduled',
  'campaign.started', 'campaign.paused', 'campaign.resumed', 'campaign.completed', 'campaign.cancelled',
  'campaign.expired', 'campaign.failed', 'activity.started', 'activity.ended', 'activity.participant_ended',
  'activity.channel_deleted', 'credential.failed', 'credential.recovered', 'webhook.disabled', 'work.quarantined',
];

const fault = 'Apus should not send such a request. Please report it.';

/** Why APNs rejected a push, or why Apus did not send it, and what to do. */
const reasons = {
  BadDeviceToken: 'The token is malformed, or belongs to the other environment. A development build has a sandbox '
    + 'token. Run a token validation to find such devices.',
  DeviceTokenNotForTopic: 'The token belongs to another app. Check the bundle ID of the app that registered it.',
  Unregistered: 'The app was removed from the device, or the device no longer has this token. It registers again at '
    + 'the next start of the app.',
  ExpiredToken: 'The token has expired. The app registers another one at its next start.',
  BadTopic: 'The topic of the push does not fit the credential or the push type.',
  TopicDisallowed: 'The certificate is not for this app. Add a key, or the certificate of this app.',
  MissingTopic: 'The certificate is for several topics. Add a key instead.',
  PayloadTooLarge: 'Shorten the payload: 4,096 bytes, or 5,120 bytes for VoIP.',
  PayloadEmpty: 'The push has no payload.',
  BadExpirationDate: 'The expiration time is not valid.',
  BadPriority: 'The priority does not fit the push type. Background pushes have priority 5.',
  BadCollapseId: 'The collapse ID is longer than 64 bytes.',
  InvalidPushType: 'The push type does not fit the payload or the app.',
  TooManyRequests: 'Too many pushes went to this device in a short time. Resend later.',
  TooManyProviderTokenUpdates: 'Other servers use the same key and renew its tokens too often.',
  ExpiredProviderToken: 'The clock of the server is wrong. Synchronize it.',
  InvalidProviderToken: 'The key does not belong to the team, or was revoked. Check the key ID and the team ID.',
  BadEnvironmentKeyInToken: 'The key is for the other environment only.',
  Forbidden: 'APNs rejected the credential. Check that it was not revoked.',
  InternalServerError: 'APNs had an error. Resend later.',
  ServiceUnavailable: 'APNs was not available. Resend later.',
  Shutdown: 'APNs closed the connection. Resend later.',
  TopicMismatch: 'The credential is for another app. Add a credential of this app.',
  BadCertificate: 'The certificate is not valid. Add another credential.',
  BadCertificateEnvironment: 'The certificate is for the other environment. Add a credential for this environment.',
  MissingProviderToken: 'The push had no credential. Check the credentials of the app.',
  UnrelatedKeyIdInToken: 'Two keys were used on one connection. Resend the push.',
  BadEnvironmentKeyIdInToken: 'The key is for the other environment only.',
  BadMessageId: fault, DuplicateHeaders: fault, IdleTimeout: fault, MissingDeviceToken: fault, BadPath: fault,
  MethodNotAllowed: fault,
  timeout: 'APNs did not respond in time. The push may have been delivered. Check the network with: apus doctor',
  connection_lost: 'There was no connection to APNs, or it broke. The push may have been delivered. Check the network with: '
    + 'apus doctor',
  expired: 'The push expired before it could be sent.',
  no_credential: 'The app has no credential for this environment. Add one: apus apps credential add',
  invalid_credential: 'The credential cannot be used: a missing file, a wrong password or another master key.',
  cancelled: 'The campaign was cancelled before this device was sent to.',
  corrupt: 'The stored batch is damaged. Check the database.',
  store_error: 'The store failed while the push was sent. It may have been delivered. See the log of the server.',
  quarantined: 'Sending interrupted its process several times. The push may have been delivered. See the page Health.',
  invalid: 'The push breaks a rule that is checked only while sending.',
  missing_value: 'The message has a placeholder for a value that the device does not have.',
  payload_too_large: 'The message is too large with the values of this device.',
  superseded: 'A newer update of the Live Activity replaced it while it waited.',
};

export const remedy = (reason) => reasons[reason] ?? '';
