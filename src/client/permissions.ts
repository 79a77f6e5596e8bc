import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { invalidConfig } from '../errors/invalid-config.ts';
import { checkOptions } from '../internal/check-input.ts';
import { withDeadline } from '../internal/deadline.ts';
import type { ClientContext, ClientRequestHandler } from './agent-client.ts';
import {
  checkDecision,
  choosePermissionOption,
  type PermissionDecision,
  type SelectedOption,
} from './choose-permission-option.ts';
import {
  decideByRules,
  prepareRules,
  readPermissionSubject,
  type PermissionRule,
} from './permission-rules.ts';

/** Answers the permission requests of an agent. */
export type RequestPermissionHandler = ClientRequestHandler<
  RequestPermissionRequest,
  RequestPermissionResponse
>;

/** Allows everything, for once where that is offered. `cancelled` where the agent offers no way to allow. */
export function approveAll(): RequestPermissionHandler {
  return (request) => choosePermissionOption('allow', request.options);
}

/** Refuses everything, for once where that is offered. `cancelled` where the agent offers no way to refuse. */
export function rejectAll(): RequestPermissionHandler {
  return (request) => choosePermissionOption('reject', request.options);
}

/**
 * Allows tool calls of the kinds `read` and `search`, and refuses all others, those without a kind included. The kind
 * is the agent's own word: this keeps an honest agent from changing things, it does not confine a dishonest one.
 */
export function approveReads(): RequestPermissionHandler {
  // Not `think`, which agents use for sub-agents that do anything, and not `fetch`, which sends data out.
  return permissionRules([{ kind: ['read', 'search'], decision: 'allow' }], { otherwise: 'reject' });
}

/** What {@link permissionRules} does with a request that no rule fits. */
export interface PermissionRulesOptions {
  /** A decision, or a handler to ask, such as {@link askPermission}. @defaultValue 'reject' */
  readonly otherwise?: PermissionDecision | RequestPermissionHandler;
}

/**
 * Decides by the first rule that fits. Kind, title and locations are what the agent says of the call; some agents
 * send none of them, neither with the request nor before it, and then only rules without conditions fit.
 *
 * @throws AcpLauncherError `invalid-config` for what is no rule, or a location that is neither absolute nor starts
 * with `**`.
 */
export function permissionRules(
  rules: readonly PermissionRule[],
  options: PermissionRulesOptions = {},
): RequestPermissionHandler {
  checkOptions(options, { otherwise: ['text', 'function'] });
  const { otherwise = 'reject' } = options;
  if (typeof otherwise !== 'function') checkDecision(otherwise, 'otherwise');
  const readyRules = prepareRules(rules);
  return async (request, context) => {
    const decision = decideByRules(
      await readyRules,
      await readPermissionSubject(context.toolCall ?? request.toolCall),
    );
    if (decision === undefined && typeof otherwise === 'function') return await otherwise(request, context);
    return choosePermissionOption(decision ?? (otherwise as PermissionDecision), request.options);
  };
}

/** Decides on one request: with a {@link PermissionDecision}, or with one of the offered options by its id. */
export type PermissionCallback = (
  request: RequestPermissionRequest,
  context: ClientContext,
) => Promise<PermissionDecision | SelectedOption> | PermissionDecision | SelectedOption;

/** The limit of {@link askPermission}. */
export interface AskPermissionOptions {
  /** How long the callback may take, in milliseconds; then the outcome is `cancelled`. @defaultValue 0: no limit, people take their time */
  readonly timeoutMs?: number;
}

/**
 * Leaves the decision to a callback, a person for instance. Its `context.signal` is aborted when the deadline passes
 * or the turn, session or agent ends; the outcome is then `cancelled`, and a decision that comes later is dropped.
 * So is an id that was not offered. What the callback throws before that goes to the library, which answers the agent
 * with an error and reports it.
 *
 * @throws AcpLauncherError `invalid-config` naming the argument.
 */
export function askPermission(
  callback: PermissionCallback,
  options: AskPermissionOptions = {},
): RequestPermissionHandler {
  if (typeof callback !== 'function') throw invalidConfig('callback', 'must be a function');
  checkOptions(options, { timeoutMs: 'amount' });
  return async (request, context) => {
    const { signal } = context;
    if (signal.aborted) return choosePermissionOption('cancel', request.options);
    const controller = new AbortController();
    const decision = new Promise<PermissionDecision | SelectedOption>((resolve) =>
      resolve(callback(request, { ...context, signal: controller.signal })),
    );
    const tooLate = new Error('the decision is no longer wanted');
    const limits = { timeoutMs: options.timeoutMs, signal, onTimeout: () => tooLate, onAbort: () => tooLate };
    try {
      return choosePermissionOption(await withDeadline(decision, limits), request.options);
    } catch (error) {
      if (error !== tooLate) throw error;
      controller.abort(tooLate);
      return choosePermissionOption('cancel', request.options);
    }
  };
}
