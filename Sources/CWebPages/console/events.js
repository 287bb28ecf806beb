// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, follow, get, withQuery } from './api.js';
import { el } from './dom.js';
import { count, time } from './format.js';
import { eventTypes } from './strings.js';
import { choice, filter } from './ui.js';

/** The most events in the list. */
const listed = 200;

/** Follows the events of an app. */
export const events = {
  name: 'events', title: 'Events', scopes: ['read'],

  async load({ app, parameters: { type } }) {
    return get(withQuery(appPath(app, 'events'), { latest: type ? '1000' : '100', limit: '1000', types: type }));
  },

  draw({ events: recent, cursor }, context) {
    const { app, parameters: { type } } = context;
    const list = el('ol', { class: 'events', tabindex: 0, 'aria-label': 'Events, the latest first' });
    const pause = el('input', { type: 'checkbox' });
    const waiting = el('p', { class: 'quiet', role: 'status' });
    const none = type ? 'None of the last 1,000 events is of this type.' : 'No event is stored.';
    const empty = el('p', { class: 'quiet' }, `${none} Events appear here when they happen.`);
    let held = [];
    const show = (items) => {
      list.prepend(...[...items].reverse().map(entry));
      while (list.childElementCount > listed) list.lastElementChild.remove();
      list.hidden = list.childElementCount === 0;
      empty.hidden = !list.hidden;
    };
    const receive = (event) => {
      held = [...held, event].slice(-listed);
      if (!pause.checked) flush();
      else waiting.textContent = `Paused: ${count(held.length, 'event')} not listed.`;
    };
    const flush = () => {
      show(held);
      held = [];
      waiting.textContent = '';
    };
    pause.addEventListener('change', () => pause.checked || flush());
    show(recent);
    const handlers = Object.fromEntries((type ? [type] : eventTypes).map((name) => [name, receive]));
    context.onLeave(follow(withQuery(`${appPath(app, 'events')}`, { cursor, types: type }), handlers, context.lost, context.refresh));
    const names = Object.fromEntries([['', 'All'], ...eventTypes.map((name) => [name, name])]);
    return [
      el('div', { class: 'controls' }, filter('Filter the events', choice('Type', 'type', names, type ?? '')),
        el('label', {}, pause, 'Pause')),
      waiting, empty, list,
    ];
  },
};

/** An event as an entry of a list. */
export const entry = ({ time: text, type, data }) => el('li', {},
  el('time', { datetime: text }, time(new Date(text))), ' ', el('strong', {}, type), ' ',
  el('code', { dir: 'auto' }, JSON.stringify(data)));
