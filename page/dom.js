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
  element.append(
    ...children.flat().filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
}

/** Replaces what an element holds. */
export function show(element, ...children) {
  element.replaceChildren(...children.flat().filter(Boolean));
}
