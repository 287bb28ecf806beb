// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, call, get, withQuery } from './api.js';
import { byID, el, report } from './dom.js';
import { count, moment, number } from './format.js';
import { at, button, choice, confirm, counts, empty, facts, filter, json, link, pager, section, state, table } from './ui.js';

export const activities = {
  name: 'activities', title: 'Live Activities', scopes: ['activities', 'read'], interval: 5000,

  load: ({ app, parameters: { ended, cursor } }) =>
    get(withQuery(appPath(app, 'activities'), { limit: '50', ended, cursor })),

  draw({ activities: list, nextCursor }, { parameters: { ended } }) {
    return [
      filter('Filter the Live Activities', choice('Show', 'ended', { '': 'All', false: 'Not ended', true: 'Ended' }, ended ?? '')),
      list.length === 0
        ? empty('There is no Live Activity. Your backend creates them, and so does this command.',
          'apus activity start BUNDLE_ID ID --type RideAttributes --device DEVICE --state \'{"minutes":5}\' --title Ride')
        : table('Live Activities', ['ID', 'Type', 'State', '#Version', 'Created'], list.map((item) => [
          link(item.id, 'activity', { id: item.id }), item.attributesType, state(item.state), item.version,
          at(item.createdAt)])),
      pager(nextCursor),
    ];
  },
};

export const activity = {
  name: 'activity', title: 'Live Activity', scopes: ['activities', 'read'], isListed: false, list: 'activities', interval: 5000,

  async load({ app, parameters: { id } }) {
    const path = appPath(app, 'activities', id);
    const [item, { participants }, { entries, nextCursor }, { transitions }] = await Promise.all([
      get(`${path}?include=participantCounts`), get(`${path}/participants?limit=100`), get(`${path}/timeline?limit=100`), get(`${path}/transitions`)]);
    return { item, participants, entries, hasMore: Boolean(nextCursor), transitions };
  },

  draw({ item, participants, entries, hasMore, transitions }, context) {
    const people = item.participantCounts ?? {};
    const isOver = item.state === 'ended' || item.state === 'expired';
    return [
      el('h2', { dir: 'auto' }, item.id),
      facts({
        State: state(item.state), Type: item.attributesType, Version: number(item.version), Priority: item.priority,
        Devices: `${number(people.active ?? 0)} active, ${number(people.starting ?? 0)} starting, ${number(people.ended ?? 0)} ended`,
        Outdated: number(people.outdated ?? 0), Created: at(item.createdAt), Started: item.startedAt && at(item.startedAt),
        'Stale from': item.staleDate && at(item.staleDate), Ended: item.endedAt && at(item.endedAt),
        Channel: item.channel?.name,
      }),
      el('div', { class: 'two' }, section('Content', json(item.contentState ?? {}, 'Content')),
        section('Attributes', json(item.attributes ?? {}, 'Attributes'))),
      context.allows('activities') && !isOver && el('p', { class: 'controls' },
        button('Change the content', () => change(item, context), { class: 'primary' }),
        button('End', () => end(item, context), { class: 'danger' })),
      section('Planned changes and history', el('ol', { class: 'timeline' },
        ...transitions.filter((transition) => transition.state === 'scheduled').map(planned),
        ...[...entries].reverse().map(past)),
      hasMore && el('p', { class: 'quiet' }, 'Older entries are listed by: apus activity timeline')),
      section('Devices', participants.length > 0 ? table('Devices, at most 100',
        ['Device', 'State', 'Reason', 'Environment', '#Version', '#Pushes in the last hour', 'Joined'], participants.map((one) => [
          one.device ? link(one.device, 'device', { id: one.device }) : `Channel ${one.channel}`, state(one.state), one.reason,
          one.environment, one.lastSentVersion, one.pushesLastHour, at(one.joinedAt)]))
        : el('p', { class: 'quiet' }, 'No device participates.')),
    ];
  },
};

const planned = ({ id, dueAt, instant, offsetSeconds, change: next }) => el('li', { class: 'ahead' },
  el('strong', { dir: 'auto' }, id), ' planned for ', dueAt ? at(dueAt) : `${instant} ${offsetSeconds ?? 0} s`,
  next && content(next, id));

const past = ({ sequence, time, type, event, version, device, detail, changes, pending, sent }) => el('li', {},
  el('time', { datetime: time }, moment(new Date(time))), ' ', el('strong', {}, type), event ? ` (${event})` : '',
  ` version ${number(version)}`, device ? el('span', { dir: 'auto' }, ` ${device}`) : '', detail ? ` ${detail}` : '',
  pending > 0 ? ` ${count(pending, 'push')} pending` : '',
  ...sent.flatMap((part) => counts(part).filter(([, , value]) => value !== undefined)
    .map(([outcome, reason, value]) => el('p', {}, `${outcome} ${reason}: ${number(value)}`))),
  ...(changes ?? []).map((one, index) => content(one, `${sequence}-${index}`)));

const content = ({ contentState, patch, alert, end: ending }, key) =>
  el('details', { 'data-key': `change-${key}` }, el('summary', {}, 'Change'), json({ contentState, patch, alert, end: ending }, 'Change'));

/** The merge patch (RFC 7396) that makes one object of another: what others change meanwhile stays. */
function difference(before, after) {
  const patch = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const isObject = (one) => typeof one === 'object' && one !== null && !Array.isArray(one);
    if (JSON.stringify(before[name]) === JSON.stringify(value)) continue;
    patch[name] = isObject(before[name]) && isObject(value) ? difference(before[name], value) : value;
  }
  return patch;
}

/** Asks for another content, checks the difference with a dry run, and sends it. */
async function change(item, context) {
  const dialog = byID('confirm');
  const area = el('textarea', { name: 'patch', rows: 8, spellcheck: 'false', 'aria-label': 'Content as JSON' });
  area.value = JSON.stringify(item.contentState ?? {}, null, 2);
  byID('confirm-text').after(area);
  const path = appPath(context.app, 'activities', item.id);
  const key = crypto.randomUUID();
  let checked = null;
  try {
    const isDone = await confirm({
      title: 'Change the content?', verb: 'Change', text: 'Apus sends the new content to all devices of the activity.',
    }, async () => {
      let body;
      try {
        body = { patch: difference(item.contentState ?? {}, JSON.parse(area.value)) };
      } catch {
        throw new Error('The content is not JSON.');
      }
      if (Object.keys(body.patch).length === 0) throw new Error('Nothing was changed.');
      const text = JSON.stringify(body);
      if (checked !== text) {
        const { warnings = [], budget } = await call('PATCH', `${path}?dryRun=true`, { body });
        const over = budget?.overBudget > 0 ? [`${count(budget.overBudget, 'device')} over the hourly budget.`] : [];
        const notes = [...warnings.map(({ message }) => message), ...over];
        checked = text;
        if (notes.length > 0) throw new Error(`${notes.join(' ')} Press Change again to send it nevertheless.`);
      }
      await call('PATCH', path, { body, key });
    });
    if (isDone) await context.refresh();
  } finally {
    area.remove();
    dialog.close();
  }
}

const end = (item, context) => report(confirm({
  title: 'End the Live Activity?', verb: 'End', text: `“${item.id}” ends on all devices. It cannot be continued.`,
}, () => call('PATCH', appPath(context.app, 'activities', item.id), { body: { end: {} }, key: crypto.randomUUID() }))
  .then((isDone) => isDone && context.refresh()));
