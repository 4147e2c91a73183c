import { describe, expect, it } from 'vitest';
import { RISK_LEVELS, type RiskLevel } from '../../../src/contract/tool.js';
import { permissionFor, stricter } from '../../../src/policy/risk.js';

const grant = { tool: 't', approver: 'ada', decisionId: 'd', requestKey: 'k', approvals: [] };
const other = { ...grant, tool: 'other' };

type Row = [riskLevel: RiskLevel, plain: string, granted: string];
const levels: Row[] = [
  ['safe', 'free', 'free'],
  ['read_only', 'free', 'free'],
  ['mutation', 'ask, grantable', 'grant'],
  ['destructive', 'ask', 'ask'],
  ['dangerous', 'ask', 'ask'],
];

type Asked = Parameters<typeof permissionFor>;

function said(tool: Asked[0], level: Asked[1], grants: Asked[2], listed: Asked[3]): string {
  const permission = permissionFor(tool, level, grants, listed, {});
  return permission.kind === 'ask' && permission.grantable ? 'ask, grantable' : permission.kind;
}

describe('the risk policy', () => {
  it.each(levels)(
    'says of %s: %s, with a grant %s [risk:free] [risk:mutation] [risk:always]',
    (level, plain, granted) => {
      expect(said('t', level, [], [])).toBe(plain);
      expect(said('t', level, [other], ['other'])).toBe(plain);
      expect(said('t', level, [other, grant], [])).toBe(granted);
    },
  );

  it.each(RISK_LEVELS)(
    'asks every time for a %s tool that is listed, whatever is granted [risk:require-approval-for]',
    (level) => {
      expect(said('t', level, [], ['t'])).toBe('ask');
      expect(said('t', level, [grant], ['t'])).toBe('ask');
    },
  );

  it('asks for a level that is none of the five [risk:always]', () => {
    expect(said('t', 'harmless' as RiskLevel, [grant], [])).toBe('ask');
  });

  it('takes the stricter of two levels [risk:pinned]', () => {
    for (const [i, a] of RISK_LEVELS.entries()) {
      for (const [j, b] of RISK_LEVELS.entries()) expect(stricter(a, b)).toBe(i > j ? a : b);
    }
  });
});
