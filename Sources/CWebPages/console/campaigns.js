// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, call, follow, get, withQuery } from './api.js';
import { el, report } from './dom.js';
import { count, number } from './format.js';
import { circuits } from './overview.js';
import { remedy } from './strings.js';
import { at, button, confirm, counts, empty, facts, json, link, pager, section, state, table } from './ui.js';

export const campaigns = {
  name: 'campaigns', title: 'Campaigns', scopes: ['campaigns', 'read'], interval: 5000,

  load: ({ app, parameters: { cursor } }) => get(withQuery(appPath(app, 'campaigns'), { limit: '50', cursor })),

  draw({ campaigns: list, nextCursor }) {
    if (list.length === 0) {
      return [empty('There is no campaign. Create one on the page Send, or in a terminal.',
        'apus campaign create BUNDLE_ID --topic news --title Hello --body World')];
    }
    return [
      table('Campaigns, the latest first',
        ['Name', 'State', 'Created', 'Progress', '#Accepted by APNs', '#Rejected', '#Failed'],
        list.map((campaign) => [
          link(campaign.name, 'campaign', { id: campaign.id }), state(campaign.progress.state), at(campaign.createdAt),
          progressBar(campaign.progress), campaign.progress.counts.delivered, sum(campaign.progress.counts.rejected),
          sum(campaign.progress.counts.failed)])),
      pager(nextCursor),
    ];
  },
};

const sum = (values) => Object.values(values ?? {}).reduce((total, value) => total + value, 0);

/** "1,204 of 5,000": the pushes that have an outcome. The total is known when the campaign has started. */
export function progressBar({ attempted, total }) {
  if (total === undefined) return '–';
  const words = `${number(attempted)} of ${number(total)}`;
  return el('div', {}, el('progress', { max: Math.max(1, total), value: attempted, 'aria-label': words }), words);
}

export const campaign = {
  name: 'campaign', title: 'Campaign', scopes: ['campaigns', 'read'], isListed: false, list: 'campaigns',

  load: ({ app, parameters: { id } }) => get(appPath(app, 'campaigns', id)),

  draw(item, context) {
    const { app } = context;
    const numbers = el('div', { class: 'card' });
    const buttons = el('div', {});
    const latest = { progress: item.progress };
    const show = (progress) => {
      latest.progress = progress;
      numbers.replaceChildren(...outcomes(progress));
      // A button that is drawn again while it is pressed would not be pressed.
      if (buttons.dataset.state === progress.state) return;
      buttons.dataset.state = progress.state;
      const hadFocus = buttons.contains(document.activeElement);
      buttons.replaceChildren(actions(item, latest, context));
      if (hadFocus) buttons.querySelector('button, a').focus();
    };
    show(item.progress);
    if (!item.progress.isCompleted) {
      const end = follow(`${appPath(app, 'campaigns', item.id)}/progress`, {
        progress: show,
        end: () => {
          end();
          context.refresh();
        },
      }, context.lost, context.refresh);
      context.onLeave(end);
    }
    const { audience, message, start } = item;
    return [
      el('h2', { dir: 'auto' }, item.name), numbers, buttons,
      el('div', { class: 'two' },
        section('Message', json(message, 'Message')),
        section('Audience and start', json({ audience, start }, 'Audience and start'))),
      facts({
        ID: item.id, Created: at(item.createdAt), Expires: item.expiresAt && at(item.expiresAt),
        'Rate limit': item.ratePerSecond && `${number(item.ratePerSecond)} per second`,
      }),
    ];
  },
};

function outcomes(progress) {
  const { remainingSeconds, ratePerSecond, wave, deferredUntil, reason, blockedBy } = progress;
  return [
    facts({
      State: state(progress.state), Reason: reason, Progress: progressBar(progress),
      Rate: ratePerSecond && `${number(Math.round(ratePerSecond))} per second`,
      'Time left': remainingSeconds !== undefined && !progress.isCompleted
        ? `about ${count(Math.ceil(remainingSeconds), 'second')}` : undefined,
      'In flight': number(progress.inFlight),
      Wave: wave && `${number(wave.number)} of ${number(wave.count)}`,
      'Deferred until': deferredUntil && at(deferredUntil),
    }),
    ...circuits(blockedBy ?? []),
    table('Outcomes', ['Outcome', 'Reason', '#Devices', 'What to do'],
      counts(progress.counts).map(([outcome, cause, value]) => [outcome, cause, value, remedy(cause)])),
  ];
}

function actions(item, latest, context) {
  const { state: current, isCompleted } = latest.progress;
  const path = appPath(context.app, 'campaigns', item.id);
  const failures = link('Failures and resend', 'notification', { id: item.id });
  if (!context.allows('campaigns')) return el('p', { class: 'controls' }, failures);
  const run = (verb) => report(call('POST', `${path}:${verb}`)).then(() => context.refresh());
  const left = ({ total, attempted }) => (total === undefined ? 'its devices' : count(Math.max(0, total - attempted), 'device'));
  return el('p', { class: 'controls' },
    ['running', 'scheduled'].includes(current) && button('Pause', () => run('pause')),
    current === 'paused' && button('Resume', () => run('resume'), { class: 'primary' }),
    !isCompleted && button('Cancel the campaign', () => confirm({
      title: 'Cancel the campaign?', verb: 'Cancel the campaign',
      text: `“${item.name}” will not be sent to ${left(latest.progress)}. A cancelled campaign cannot be continued.`,
    }, () => call('POST', `${path}:cancel`)).then((isDone) => isDone && context.refresh()), { class: 'danger' }),
    failures);
}
