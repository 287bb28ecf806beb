// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Everything that Apus keeps: apps, their credentials, keys, devices, the queue of batches, campaigns, Live
/// Activities and their channels, jobs, topics and what is subscribed to them, platform applications, what was answered, the
/// feed of events, and webhooks; and how what is old goes.
///
/// All stores behave alike; the conformance suite says how. Rules that hold for every call:
/// - A call that changes something is one transaction: when it returns, the change is durable, and when it throws,
///   nothing of it is stored.
/// - Times come from the caller and are kept to the millisecond, rounded down.
/// - Asking for what does not exist answers `nil`, an empty page or `false`; adding to what does not exist throws.
/// - Failures of the store are ``StoreError``; a cancelled task gets `CancellationError` from a read, whereas a
///   change that has begun is completed.
public typealias PushStore = APIKeyStore & ActivityStore & ActivityTypeStore & AppStore & AudienceStore & BatchStore
    & CampaignStore & ChannelStore & CredentialStore & CredentialTroubleStore & DeliveryIdentityStore
    & DeliveryPauseStore & DeviceStore & EndpointEventStore & EventStore
    & IdempotencyStore
    & JobStore & PlatformStore & PublicationStore & RetentionStore & RolloutStore & StoreHealth & StoreSignals
    & StreamStore
    & SubscriptionStore
    & TopicDeliveryStore & TopicStore & WebhookStore
