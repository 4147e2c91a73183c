import { InvalidArgumentError } from 'commander';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Parses the name of an agent. */
export function agentName(text: string): string {
  if (NAME.test(text)) return text;
  throw new InvalidArgumentError(`An agent's name matches ${NAME.source}.`);
}

/** Parses the name of a tool. */
export function toolName(text: string): string {
  if (NAME.test(text)) return text;
  throw new InvalidArgumentError(`A tool's name matches ${NAME.source}.`);
}

/** Parses the id of a run, or the key of a request, which begins with it: what an unset variable gave is none. */
export function runName(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}
