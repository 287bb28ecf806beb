// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, call, get, withQuery } from './api.js';
import { el, report } from './dom.js';
import { count } from './format.js';
import { address, go } from './router.js';
import { remedy, texts } from './strings.js';
import { at, button, choice, code, confirm, counts, facts, filter, input, link, pager, section, short, state, table } from './ui.js';

/** A notification or campaign: its counts, its failed targets, and a resend. */
export const notification = {
  name: 'notification', title: 'Notification', scopes: ['send', 'read'], isListed: false, list: 'why', interval: 5000,

  async load({ app, parameters: { id, reason, retryable, cursor } }) {
    const path = appPath(app, 'notifications', id);
    const [item, failures] = await Promise.all([
      get(`${path}?limit=1`), get(withQuery(`${path}/failures`, { limit: '50', reason, retryable, cursor })),
    ]);
    return { item, failures };
  },

  draw({ item, failures: { failures, nextCursor } }, context) {
    const { reason, retryable, id } = context.parameters;
    const rows = counts(item.counts);
    return [
      facts({
        ID: code(item.id), State: state(item.state), Created: at(item.createdAt), Targets: count(item.targetCount, 'target'),
        Remaining: count(item.remaining, 'target'),
        'Resend of': item.resendOf && link(item.resendOf, 'notification', { id: item.resendOf }),
      }),
      el('p', { class: 'quiet' }, texts.accepted),
      section('Outcomes', table('Outcomes', ['Outcome', 'Reason', '#Targets', 'What to do'],
        rows.map(([outcome, cause, value]) => [outcome, cause, value, remedy(cause)]))),
      section('Failed targets',
        filter('Filter the failed targets', el('input', { type: 'hidden', name: 'id', value: id }),
          input('Reason', 'reason', { value: reason ?? '' }),
          choice('Can succeed later', 'retryable', { '': 'All', true: 'Yes', false: 'No' }, retryable ?? '')),
        failures.length > 0
          ? table('Failed targets', ['Device', 'User', 'Token', 'Environment', 'Outcome', 'Reason', 'apns-id'],
            failures.map((one) => target(one, context)))
          : el('p', { class: 'quiet' }, 'No target failed, or none matches the filter.'),
        pager(nextCursor)),
      context.allows('send') && resend(item, context),
    ];
  },
};

const target = ({ device, user, token, environment, state: outcome, reason, code: failure, apnsID }, { app }) => [
  device ? link(device, 'device', { id: device }) : button('Find', () => report(findDevice(app, token)), { 'data-key': apnsID }), user, short(token), environment, state(outcome), reason ?? failure,
  short(apnsID)];

/** Shows the device that has a token now. The token is in no address. */
async function findDevice(app, token) {
  const { devices } = await call('POST', appPath(app, 'devices:search'), { body: { token } });
  if (devices.length === 0) throw new Error('No device has this token any more.');
  go(address('device', { id: devices[0].device }));
}

function resend(item, context) {
  const path = appPath(context.app, 'notifications', item.id);
  if (item.state === 'accepted' || item.state === 'sending') return null;
  const run = async () => {
    let created = null;
    const isDone = await confirm({
      title: 'Resend?', verb: 'Resend',
      text: 'Apus sends the notification again to the targets that failed for a temporary reason and were not sent again yet.',
    }, async () => { created = await call('POST', `${path}:resend`, { key: crypto.randomUUID() }); });
    if (isDone) go(address('notification', { id: created.id }));
  };
  return el('p', { class: 'controls' }, button('Resend to targets that can succeed', () => report(run())));
}
