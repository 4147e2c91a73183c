// Builds elements from text alone: what comes from outside never becomes markup.

/**
 * An element. Attributes that are functions are listeners, by the event's name; true and false are flags; undefined is
 * left out. Children are nodes or text.
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== undefined && value !== false) element.setAttribute(key, String(value));
  }
  element.append(...shown(children));
  return element;
}

/** Replaces what an element holds. Whoever was on a link or button in it stays on the one of the same name. */
export function show(element, ...children) {
  const focused = element.contains(document.activeElement) ? nameOf(document.activeElement) : undefined;
  element.replaceChildren(...shown(children));
  if (focused === undefined) return;
  const same = [...element.querySelectorAll('a, button, summary, [tabindex]')];
  same.find((candidate) => nameOf(candidate) === focused)?.focus({ preventScroll: true });
}

/** A place that is drawn anew only when its data is other than before: whoever reads there keeps their place. */
export function part(draw) {
  const place = h('div', {});
  let drawn;
  const update = (...data) => {
    const text = JSON.stringify(data);
    if (text === drawn) return;
    drawn = text;
    show(place, draw(...data));
  };
  return { place, update };
}

function shown(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== undefined && child !== null && child !== false && child !== '');
}

function nameOf(element) {
  const { tagName, id, textContent } = element;
  return [tagName, id, element.getAttribute('href'), element.getAttribute('aria-label') ?? textContent].join(
    ' ',
  );
}
