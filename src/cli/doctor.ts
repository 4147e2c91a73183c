import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { readConfig } from '../config.js';
import { columns } from './columns.js';
import type { CommandOf } from './command-line.js';
import { policyOf, policyRows } from './policy-rows.js';
import { jsonLine } from './print-json.js';

/** `holdfast doctor [MODULE...]`: what is there and what is missing, and who may decide. Starts and fetches nothing. */
export const doctorCommand: CommandOf = ({ terminal }, ended) =>
  new Command('doctor')
    .description(
      'Say what Holdfast needs on this machine, and what is missing; of agents, who may decide what.',
    )
    .argument('[module...]', 'files that export agents: their approval policies are shown')
    .option('--json', 'the findings as JSON')
    .action(async (modules: readonly string[], { json = false }: { json?: boolean }) => {
      const [{ diagnose, hasFailure }, { formatChecks }, { hostAgents }] = await Promise.all([
        import('../dev/doctor.js'),
        import('../dev/print-checks.js'),
        import('./host-agents.js'),
      ]);
      const agents = await hostAgents(modules, terminal.complain);
      const checks = await diagnose(readConfig());
      if (json) {
        const policies = agents.map((host) => ({ agent: host.agent.name, tools: policyOf(host) }));
        terminal.print(jsonLine({ ok: !hasFailure(checks), checks, policies }));
      } else {
        const lines = formatChecks(checks);
        terminal.print(terminal.colors.isColorSupported ? lines : stripVTControlCharacters(lines));
        for (const host of agents) {
          terminal.print(`\nAgent ${host.agent.name}`);
          for (const line of columns(policyRows(host), '  ')) terminal.print(line);
        }
      }
      ended(hasFailure(checks) ? 'environment' : 'ok');
    });
