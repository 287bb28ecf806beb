// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/**
 * Creates an element. Texts become text nodes, so content from outside never becomes markup.
 *
 * @param {string} tag
 * @param {Object} attributes `on…` are listeners; `true` is an empty attribute; `false`, `null` and `undefined` are
 *   none.
 * @param {...(Node|string|number|null|undefined|false)} children
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byID = (id) => document.getElementById(id);

/** Text of an app or a user, in the direction in which it is written. */
export const foreign = (tag, className, text) => text && el(tag, { class: className, dir: 'auto' }, text);

/** Text for assistive technology alone. */
export const spoken = (text) => el('span', { class: 'hidden' }, text);

/** Shows an error until it is dismissed or replaced; `null` removes it. */
export function notice(text) {
  const element = byID('notice');
  element.querySelector('button').onclick = () => notice(null);
  element.querySelector('p').textContent = text ?? '';
  element.hidden = text === null;
}

/** Waits for a call and shows its error. */
export async function report(promise) {
  try {
    const value = await promise;
    notice(null);
    return value;
  } catch (problem) {
    notice(problem.message);
    return undefined;
  }
}

/**
 * Opens a dialog with a form.
 *
 * @param {HTMLDialogElement} dialog
 * @param {function(string, FormData): Promise<boolean>} submit is called with the value of the button; `true` closes
 *   the dialog. Its error is shown in the dialog.
 */
export function openForm(dialog, submit) {
  const form = dialog.querySelector('form');
  const error = dialog.querySelector('.error');
  error.textContent = '';
  form.onsubmit = async (event) => {
    event.preventDefault();
    const button = event.submitter;
    error.textContent = '';
    form.inert = true;
    try {
      if (await submit(button?.value ?? 'ok', new FormData(form))) dialog.close();
    } catch (problem) {
      error.textContent = problem.message;
    } finally {
      form.inert = false;
      // An inert form loses the focus.
      if (dialog.open) button?.focus();
    }
  };
  // No submit buttons, because Enter uses the first of those.
  for (const button of form.querySelectorAll('[value=cancel]')) button.onclick = () => dialog.close();
  dialog.oncancel = (event) => {
    if (form.inert) event.preventDefault();
  };
  // A browser closes a dialog at a second Escape regardless of that.
  dialog.onclose = () => {
    if (form.inert) dialog.showModal();
  };
  dialog.showModal();
}
