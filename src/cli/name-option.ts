import { InvalidArgumentError } from 'commander';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Parses the name of an agent. */
export function agentName(text: string): string {
  if (NAME.test(text)) return text;
  throw new InvalidArgumentError(`An agent's name matches ${NAME.source}.`);
}
