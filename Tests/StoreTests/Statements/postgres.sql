DELETE FROM channels WHERE app = (SELECT number FROM apps WHERE id = $1) AND name = $2
    AND state = $3 AND channel IS NOT DISTINCT FROM $4;

DELETE FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND push_type = $3 RETURNING *;

DELETE FROM credentials WHERE id = $1;

DELETE FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND credential = $3;

INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
    signing_secret)
VALUES ($1, $2, $3, $4, $5, $6,
    $7, $8, $9)
ON CONFLICT DO NOTHING;

INSERT INTO apps (id, name, default_environment, created_at)
VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

INSERT INTO channels (app, name, environment, policy, state, created_at, channel)
VALUES ($1, $2, $3, $4,
    $5, $6, $7);

INSERT INTO credential_troubles (app, environment, push_type, reason, code, since)
VALUES ($1, $2, $3, $4,
    $5, $6)
ON CONFLICT DO NOTHING;

INSERT INTO credentials (id, app, key_id, team_id, certificate_format, sandbox, production, secret_path,
    password_path, sealed, created_at)
VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8,
    $9, $10, $11)
ON CONFLICT DO NOTHING;

INSERT INTO delivery_pauses
    (app, environment, credential, push_types, cause, reason, since, next_attempt)
SELECT number, $1, $2, $3,
    $4, $5, $6, $7
FROM apps WHERE id = $8 FOR KEY SHARE
ON CONFLICT (app, environment, credential) DO UPDATE SET push_types = excluded.push_types,
    cause = excluded.cause, reason = excluded.reason, since = excluded.since,
    next_attempt = excluded.next_attempt;

INSERT INTO event_feeds (app, horizon) SELECT number, 0 FROM apps WHERE id = $1
ON CONFLICT DO NOTHING;

INSERT INTO idempotency_records
    (app, api_key, key, request_hash, notification, status, location, body, created_at)
VALUES ($1, $2, $3, $4,
    $5, $6, $7,
    $8, $9);

SELECT * FROM (SELECT number, time, kind, data FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3) AS scanned WHERE kind = ANY ($4)
ORDER BY number LIMIT $5;

SELECT * FROM apps WHERE id = $1;

SELECT * FROM apps WHERE id > $1 ORDER BY id LIMIT $2;

SELECT * FROM idempotency_records WHERE app = (SELECT number FROM apps WHERE id = $1) AND api_key = $2 AND key = $3;

SELECT 1 FROM channels WHERE app = $1 AND environment = $2
    AND channel = $3;

SELECT 1 FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND push_type = $3;

SELECT 1 FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND credential = $3;

SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
JOIN batch_kinds ON batch_kinds.number = batches.kind
JOIN apps ON apps.number = batches.app
WHERE batches.notification = $1 AND batches.state < 3;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id = $1;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id > $1 ORDER BY api_keys.id LIMIT $2;

SELECT apps.number AS app, coalesce(feeds.horizon, 0) AS horizon FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = $1;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE app = $1 AND channels.name = $2 FOR UPDATE OF channels;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = $1 AND channels.name = $2;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = $1 AND environment = $2 ORDER BY channels.name;

SELECT coalesce((SELECT max(number) FROM events WHERE events.app = apps.number), coalesce(feeds.horizon, 0)) AS last
FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = $1;

SELECT count(*) AS count, max(number) AS last
FROM (SELECT number FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3) AS scanned;

SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app WHERE apps.id = $1
ORDER BY credentials.created_at DESC, credentials.id DESC;

SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app WHERE credentials.id = $1;

SELECT delivery_pauses.*, apps.id AS app_id FROM apps
JOIN delivery_pauses ON delivery_pauses.app = apps.number
WHERE apps.id = $1;

SELECT delivery_pauses.*, apps.id AS app_id FROM notifications
JOIN delivery_pauses ON delivery_pauses.app = notifications.app
JOIN apps ON apps.number = notifications.app
WHERE notifications.id = $1;

SELECT id FROM activities WHERE app = $1 AND channel_name = $2 AND state < 2 LIMIT 1;

SELECT items.id AS key, items.sealed AS sealed, apps.id AS owner FROM credentials AS items JOIN apps ON apps.number = items.app WHERE TRUE
    AND items.sealed IS NOT NULL AND items.id > $1
ORDER BY items.id LIMIT $2;

SELECT items.id AS key, items.sealed_user AS sealed, topics.name AS owner FROM subscriptions AS items 
JOIN topic_shares ON topic_shares.number = items.share 
JOIN topics ON topics.number = topic_shares.topic
WHERE TRUE
    AND items.sealed_user IS NOT NULL AND items.id > $1
ORDER BY items.id LIMIT $2;

SELECT items.id AS key, items.secret AS sealed, apps.id AS owner FROM webhooks AS items JOIN apps ON apps.number = items.app WHERE TRUE
    AND items.secret IS NOT NULL AND items.id > $1
ORDER BY items.id LIMIT $2;

SELECT items.id AS key, items.signing_secret AS sealed, apps.id AS owner FROM api_keys AS items LEFT JOIN apps ON apps.number = items.app WHERE revoked_at IS NULL
    AND items.signing_secret IS NOT NULL AND items.id > $1
ORDER BY items.id LIMIT $2;

SELECT items.number AS key, items.sealed_key AS sealed, CAST(NULL AS text) AS owner FROM delivery_identity AS items WHERE TRUE
    AND items.sealed_key IS NOT NULL AND items.number > $1
ORDER BY items.number LIMIT $2;

SELECT number FROM apps WHERE id = $1;

SELECT number FROM apps WHERE id = $1 FOR KEY SHARE;

SELECT number, time, kind, data FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3;

UPDATE api_keys SET last_used_at = $1
WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $3);

UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2;

UPDATE api_keys SET signing_secret = $1
WHERE id = $2 AND signing_secret = $3;

UPDATE channels SET environment = $1, policy = $2,
    state = $3, created_at = $4,
    channel = $5
WHERE app = $6 AND name = $7;

UPDATE credentials SET sealed = $1
WHERE id = $2 AND sealed = $3;

UPDATE delivery_identity SET sealed_key = $1
WHERE number = $2 AND sealed_key = $3;

UPDATE idempotency_records SET status = $1, location = $2,
    body = $3
WHERE app = (SELECT number FROM apps WHERE id = $4) AND api_key = $5 AND key = $6;

UPDATE subscriptions SET sealed_user = $1
WHERE id = $2 AND sealed_user = $3;

UPDATE webhooks SET secret = $1
WHERE id = $2 AND secret = $3;

WITH old AS MATERIALIZED (
    SELECT app, api_key, key FROM idempotency_records WHERE created_at < $1
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM idempotency_records WHERE (app, api_key, key) IN (SELECT app, api_key, key FROM old);
