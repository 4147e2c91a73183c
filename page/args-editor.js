import { h, show } from './dom.js';
import { placeIn } from './json-place.js';
import { visible, writableJson } from './visible.js';

const LINES_ABOVE = 3;
const IN_ARGS = /^#\/args(?=\/|$)/;

/** The arguments as JSON text that a person may change, and what is wrong with it where it is. */
export function argsEditor(args) {
  const written = writableJson(args);
  const editor = h('textarea', {
    id: 'args',
    rows: '12',
    spellcheck: 'false',
    'aria-describedby': 'args-fault',
  });
  editor.value = written;
  const fault = h('div', { id: 'args-fault', class: 'fault', role: 'alert' });

  const point = ({ from, to, line }) => {
    editor.focus();
    editor.setSelectionRange(from, to);
    const lineHeight = editor.scrollHeight / editor.value.split('\n').length;
    editor.scrollTop = Math.max(0, (line - LINES_ABOVE) * lineHeight);
  };

  return {
    elements: [editor, fault],
    /** What a person has made of it; undefined when it is as it was. */
    changed: () => (editor.value === written ? undefined : editor.value),
    /** The text, which is JSON; undefined, with the fault told, when it is none. */
    read: () => {
      try {
        JSON.parse(editor.value);
        return editor.value;
      } catch (error) {
        editor.setAttribute('aria-invalid', 'true');
        show(fault, h('p', {}, `This is not JSON: ${error.message}`));
        const at = /position (\d+)/.exec(error.message)?.[1];
        if (at === undefined) editor.focus();
        else point(placeAt(editor.value, Number(at)));
        return undefined;
      }
    },
    clear: () => {
      show(fault);
      editor.removeAttribute('aria-invalid');
    },
    /** Tells what the server refused, line by line, and goes to the first of the places. */
    refuse: ({ message, errors }) => {
      editor.setAttribute('aria-invalid', 'true');
      const faults = errors
        .filter(({ pointer = '' }) => IN_ARGS.test(pointer))
        .map(({ pointer, detail }) => ({
          detail,
          place: placeIn(editor.value, decodeURIComponent(pointer).replace(IN_ARGS, '')),
        }));
      const texts = faults.map(({ detail, place }) => (place ? `Line ${place.line}: ${detail}` : detail));
      show(
        fault,
        (texts.length > 0 ? texts : [message]).map((text) => h('p', {}, visible(text, { prose: true }))),
      );
      const place = faults.find((each) => each.place)?.place;
      if (place) point(place);
      else editor.focus();
    },
  };
}

function placeAt(text, at) {
  return { from: at, to: at + 1, line: text.slice(0, at).split('\n').length };
}
