import { token } from './api.js';
import { h, show } from './dom.js';

/** Asks for a token, which stays in this tab. */
export function signInView(main, { refused, onToken }) {
  const input = h('input', { id: 'token', type: 'password', autocomplete: 'off', required: true });
  const enter = (event) => {
    event.preventDefault();
    token.set(input.value.trim());
    onToken();
  };
  show(
    main,
    h('h1', {}, 'Sign in'),
    refused !== undefined && h('p', { class: 'fault', role: 'alert' }, refused),
    h(
      'form',
      { submit: enter },
      h('label', { for: 'token' }, 'Token, as holdfast token prints it'),
      input,
      h('button', {}, 'Sign in'),
    ),
  );
  input.focus();
}
