import { Command, CommanderError } from 'commander';
import type { PersonalSettings } from '../config.js';
import { approvalsCommand } from './approvals.js';
import { approveCommand } from './approve.js';
import { cancelCommand } from './cancel.js';
import { completeWordsCommand, completionCommand } from './completion.js';
import { denyCommand } from './deny.js';
import { devCommand } from './dev.js';
import { doctorCommand } from './doctor.js';
import { editCommand } from './edit.js';
import type { Exit } from './exit-codes.js';
import { followCommand } from './follow.js';
import type { Interrupts } from './interrupts.js';
import { keysCommand } from './keys.js';
import { messageCommand } from './message.js';
import { extendCommand } from './extend.js';
import { pauseCommand } from './pause.js';
import { reportFailure } from './report-failure.js';
import { resumeCommand } from './resume.js';
import { revokeCommand } from './revoke.js';
import { runCommand } from './run.js';
import { runsCommand } from './runs.js';
import { serveCommand } from './serve.js';
import { showCommand } from './show.js';
import { signDecisionCommand } from './sign-decision.js';
import type { Terminal } from './terminal.js';
import { tokenCommand } from './token.js';
import { toolCommand } from './tool-check.js';
import { workerCommand } from './worker.js';

/** What a command works with. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly settings: PersonalSettings;
  readonly interrupts: Interrupts;
  /** How long `follow` tries a server that went away, in ms. Default a minute. */
  readonly reconnectMs?: number;
}

/** A command: its place in the help, and how it ended. */
export type CommandOf = (context: CommandContext, ended: (exit: Exit) => void) => Command;

/** In the order of the help. */
const COMMANDS: readonly CommandOf[] = [
  devCommand,
  workerCommand,
  serveCommand,
  runCommand,
  runsCommand,
  showCommand,
  followCommand,
  approvalsCommand,
  approveCommand,
  denyCommand,
  editCommand,
  signDecisionCommand,
  keysCommand,
  revokeCommand,
  messageCommand,
  extendCommand,
  pauseCommand,
  resumeCommand,
  cancelCommand,
  tokenCommand,
  toolCommand,
  doctorCommand,
  completionCommand,
];

/** Runs one command line to its end. Never throws: a failure is one line on standard error and an exit. */
export async function runCommandLine(args: readonly string[], context: CommandContext): Promise<Exit> {
  const { terminal, settings } = context;
  let exit: Exit = 'ok';
  const program = new Command('holdfast')
    .description('A durable agent runner: every tool call is checked, asked about if need be, then executed.')
    // Every command has options; to say so of each would leave no room for what it does.
    .configureHelp({ subcommandTerm: (command) => [command.name(), argumentsOf(command)].join(' ').trim() })
    .helpCommand(false);
  for (const command of COMMANDS) {
    program.addCommand(command(context, (how) => (exit = how)));
  }
  program.addCommand(
    completeWordsCommand(context, (how) => (exit = how)),
    { hidden: true },
  );
  for (const command of withAllBelow(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
      outputError: (text) => terminal.complain(oneLine(text)),
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 'ok' : 'usage';
    return reportFailure(error, terminal, settings.debug);
  }
}

function argumentsOf(command: Command): string {
  return command.registeredArguments
    .map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${name}>` : `[${name}]`;
    })
    .join(' ');
}

function withAllBelow(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}

/** commander puts what was perhaps meant on a line of its own. */
function oneLine(text: string): string {
  return text
    .trim()
    .replace(/^error: /, 'usage: ')
    .replace(/\s*\n\s*/g, ' ');
}
