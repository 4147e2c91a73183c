import { Argument, Command } from 'commander';
import type { CommandOf } from './command-line.js';

/** Each asks `holdfast complete-words` for the words that fit; its last argument is the one being typed. */
const SCRIPTS = {
  bash: `_holdfast() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(holdfast complete-words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _holdfast holdfast`,
  zsh: `#compdef holdfast
_holdfast() {
  local -a found
  found=("\${(@f)$(holdfast complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#found[1]} )); then compadd -a found; else _files; fi
}
compdef _holdfast holdfast`,
  fish: `complete -c holdfast -a '(holdfast complete-words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
} as const;

/** `holdfast completion SHELL`: what makes a shell complete verbs, options, agents, ids of runs and calls that wait. */
export const completionCommand: CommandOf = ({ terminal }, ended) =>
  new Command('completion')
    .description('Print a script that completes words for your shell: verbs, options, ids, calls.')
    .addArgument(
      new Argument('<shell>', 'bash: eval "$(holdfast completion bash)"').choices(Object.keys(SCRIPTS)),
    )
    .action((shell: keyof typeof SCRIPTS) => {
      terminal.print(SCRIPTS[shell]);
      ended('ok');
    });

/** `holdfast complete-words -- WORD...`, for these scripts: what the last word may become, one a line. */
export const completeWordsCommand: CommandOf = ({ terminal }, ended) =>
  new Command('complete-words')
    .argument('[words...]')
    .action(async (words: string[], _options, command: Command) => {
      const { completionsOf } = await import('./completions-of.js');
      for (const word of await completionsOf(command.parent ?? command, words)) terminal.print(word);
      ended('ok');
    });
