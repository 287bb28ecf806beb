// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { byID, el, foreign, openForm } from './dom.js';
import { moment, number } from './format.js';
import { address, go, place } from './router.js';
import { stateNames } from './strings.js';

/** A link to a page of the console. */
export const link = (text, page, parameters) => el('a', { href: address(page, parameters), dir: 'auto' }, text);

/** A time in the zone of the browser, or a dash. */
export const at = (text) => (text ? el('time', { datetime: text }, moment(new Date(text))) : '–');

/** A state in words and a colour. */
export const state = (value) => el('span', { class: `state ${value}` }, stateNames[value] ?? value);

/** The end of a long ID or token; the rest is not in the page. */
export const short = (text) => el('code', {}, text.length > 16 ? `…${text.slice(-12)}` : text);

/** A text of an app or a user. */
export const text = (value) => (value === undefined || value === null || value === ''
  ? '–' : foreign('span', 'foreign', String(value)));

export const code = (value) => el('code', { dir: 'auto' }, value);

export const json = (value, label) =>
  el('pre', { tabindex: 0, dir: 'auto', 'aria-label': label }, JSON.stringify(value, null, 2));

export const section = (title, ...content) => el('section', {}, el('h2', {}, title), ...content);

/** A paragraph for a list without entries: what to do next, and the command for it. */
export const empty = (sentence, command) => el('div', { class: 'empty' }, el('p', {}, sentence),
  command && el('pre', { tabindex: 0, 'aria-label': 'Command' }, command));

/** Names and values. Values that are `undefined` are left out. */
export const facts = (entries) => el('dl', { class: 'facts' }, ...Object.entries(entries)
  .filter(([, value]) => value !== undefined && value !== null)
  .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));

/**
 * A table.
 *
 * @param {string} caption what the rows are, for screen readers.
 * @param {string[]} columns the headings; those that begin with `#` are numbers.
 * @param {Array[]} rows the cells: nodes, texts or numbers.
 */
export function table(caption, columns, rows) {
  const isNumber = columns.map((name) => name.startsWith('#'));
  const cell = (tag, value, index, attributes = {}) => el(tag, { class: isNumber[index] && 'number', ...attributes },
    typeof value === 'number' ? number(value) : value ?? '–');
  return el('div', { class: 'table', tabindex: 0, role: 'group', 'aria-label': caption }, el('table', {},
    el('caption', { class: 'hidden' }, caption),
    el('thead', {}, el('tr', {}, ...columns.map((name, index) =>
      cell('th', name.replace('#', ''), index, { scope: 'col' })))),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((value, index) => cell('td', value, index)))))));
}

/** Links to the first and the next page of a list. */
export function pager(nextCursor) {
  const { app, page, cursor, ...rest } = place();
  if (!cursor && !nextCursor) return null;
  return el('p', { class: 'controls' },
    cursor && el('a', { class: 'button', href: address(page, rest) }, 'First page'),
    nextCursor && el('a', { class: 'button', href: address(page, { ...rest, cursor: nextCursor }) }, 'Next page'));
}

/**
 * A form whose values are parameters of the page, so that they are in the address.
 *
 * @param {string} label what it filters.
 * @param {...Node} fields inputs with names.
 */
export function filter(label, ...fields) {
  const { page } = place();
  const form = el('form', { class: 'controls filter', role: 'search', 'aria-label': label }, ...fields,
    el('button', {}, 'Show'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    go(address(page, Object.fromEntries(new FormData(form))));
  });
  return form;
}

/** A labelled input. */
export const input = (label, name, attributes = {}) =>
  el('label', {}, `${label} `, el('input', { name, autocomplete: 'off', ...attributes }));

/** A labelled list of options: values and their names. */
export const choice = (label, name, options, chosen, attributes = {}) => el('label', {}, `${label} `,
  el('select', { name, ...attributes }, ...Object.entries(options).map(([value, title]) =>
    el('option', { value, selected: value === chosen }, title))));

/** A button that runs an action; another click meanwhile does nothing. A disabled button would lose the focus. */
export function button(title, action, attributes = {}) {
  return el('button', {
    type: 'button', 'data-key': title, ...attributes,
    onclick: async ({ currentTarget }) => {
      if (currentTarget.ariaDisabled === 'true') return;
      currentTarget.ariaDisabled = 'true';
      try {
        await action();
      } finally {
        currentTarget.ariaDisabled = 'false';
      }
    },
  }, title);
}

/**
 * Asks before an action. With `expected`, the user has to type this number.
 *
 * @returns {Promise<boolean>} whether the action was carried out.
 */
export function confirm({ title, text: sentence, verb, expected = null }, action) {
  const dialog = byID('confirm');
  byID('confirm-title').textContent = title;
  byID('confirm-text').textContent = sentence;
  byID('confirm-ok').textContent = verb;
  const field = byID('confirm-number');
  field.hidden = expected === null;
  field.querySelector('span').textContent = `Type ${expected} to confirm`;
  field.querySelector('input').value = '';
  let isDone = false;
  return new Promise((resolve) => {
    const close = () => {
      // The dialog is opened again while the action runs.
      if (dialog.open) return;
      dialog.removeEventListener('close', close);
      resolve(isDone);
    };
    openForm(dialog, async (value, form) => {
      if (expected !== null && form.get('number').replace(/\D/g, '') !== String(expected)) {
        throw new Error(`The number is not ${expected}.`);
      }
      await action();
      isDone = true;
      return true;
    });
    dialog.addEventListener('close', close);
  });
}

/** Counts of outcomes in words. */
export function counts({ delivered, rejected, failed }) {
  const entries = (values) => Object.entries(values ?? {}).sort(([, a], [, b]) => b - a);
  return [
    ['Accepted by APNs', '', delivered],
    ...entries(rejected).map(([reason, count]) => ['Rejected by APNs', reason, count]),
    ...entries(failed).map(([reason, count]) => ['Failed', reason, count]),
  ];
}
