import { describe, expect, it } from 'vitest';
import type { ApprovalPolicy } from '../../src/contract/approval-policy.js';
import type { ApprovalRequest } from '../../src/contract/decision.js';
import { withAgent } from '../harness/agent.js';
import { markers, scheduled } from '../harness/history.js';
import { withProvider, type Claims } from '../harness/identity-provider.js';
import { SERVER_KEY } from '../harness/keys.js';
import { effectTool } from '../harness/tools.js';
import { withApi, type Answered, type TestApi } from './harness.js';
import { jwtOf, key, said, seconds, UNAUTHENTICATED } from './jwt-door.js';

describe('an approver whom the identity provider names', () => {
  const policy: ApprovalPolicy = {
    groups: { leads: ['ann@example.com'] },
    rules: [{ tools: ['effect'], groups: ['leads'] }],
  };

  it('decides by that name, as the groups of the agent permit, attested by the key of the server [api:auth] [hitl:authz] [hitl:signed]', async () => {
    await withProvider([key], (test) =>
      withAgent(
        {
          customTools: [effectTool('effect', 'mutation')],
          script: [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }],
          approvals: policy,
        },
        (agent) =>
          withApi(
            agent.client,
            async (api) => {
              const request = await agent.request(await agent.start());
              const decide = async (changes: Claims) =>
                said(await decision(api, request, await jwtOf(changes)));
              expect(await decide({ email: 'bob@example.com' })).toEqual([403, 'not_authorized']);
              expect(await decide({ groups: ['operators'] })).toEqual([403, 'role_lacking']);
              expect(await decide({ exp: seconds(-60) })).toEqual(UNAUTHENTICATED);
              expect(scheduled(await agent.history(request.runId), 'executeTool')).toEqual([]);
              expect(await decide({})).toEqual([200, undefined]);
              await agent.client.result(request.runId);
              const events = await agent.history(request.runId);
              const { keyId } = SERVER_KEY.trusted;
              expect(markers(events, 'validateApproval')).toMatchObject([
                { result: { accepted: false, code: 'not_authorized' } },
                {
                  result: {
                    accepted: true,
                    decision: { approver: 'ann@example.com', decision: 'approve' },
                    signature: { kind: 'attested', keyId },
                  },
                },
              ]);
              expect(scheduled(events, 'executeTool')).toMatchObject([
                { input: { authorization: { approver: 'ann@example.com' } } },
              ]);
            },
            { provider: test.provider },
          ),
      ),
    );
  });
});

function decision(api: TestApi, request: ApprovalRequest, token: string): Promise<Answered> {
  const { runId, requestKey, tool, argsDigest, schemaDigest } = request;
  return api.ask(
    'POST',
    `/runs/${runId}/approvals/${requestKey}/decision`,
    { decision: 'approve', tool, argsDigest, schemaDigest },
    { as: null, headers: { authorization: `Bearer ${token}` } },
  );
}
