/** In the bench's directory: a line for each execution of a tool. */
export const EFFECTS = 'effects.txt';
