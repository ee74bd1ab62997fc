/** The errors that starting an agent can cause because of the host name or the account's state. */
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'

const notActive = (number: number, what: string, until: string) =>
  kit.entry(number, 403, `${what} has been suspended${until}. Set a different account.state.`)

/** The errors for a host and for a suspended account (rules: agent#urls-of-the-account, account#states). */
export const agentStartErrors = kit.declareErrors({
  agent_account_unpaid: notActive(102, 'The account of the agent', ' until its invoice is paid'),
  agent_account_suspended: notActive(103, 'The account of the agent', ''),
  agent_domain_character_invalid: kit.field(
    326,
    400,
    (it: { readonly punycode?: string | undefined }) =>
      `a host of letters a to z, digits, "-" and "."${it.punycode === undefined ? '' : `, such as "${it.punycode}", the same name in Punycode`}`,
  ),
  agent_domain_empty_label: kit.field(327, 400, 'a host without an empty label'),
  agent_domain_label_start_invalid: kit.field(328, 400, 'a host whose labels start with a letter or digit'),
  agent_domain_label_end_invalid: kit.field(329, 400, 'a host whose labels end with a letter or digit'),
  agent_domain_hyphens_3_4: kit.field(330, 400, '"--" as a label\'s third and fourth character only after "xn"'),
  agent_domain_suffix_unreachable: kit.field(331, 400, 'a host whose last label is not "localhost" and not all digits'),
  endpoint_account_unpaid: notActive(337, 'The account of the endpoint', ' until its invoice is paid'),
  endpoint_account_suspended: notActive(338, 'The account of the endpoint', ''),
  agent_domain_punycode_invalid: kit.field(347, 400, 'a host whose labels have valid Punycode after "xn--"'),
  agent_domain_underscore: kit.field(355, 400, 'a host without "_"'),
  agent_domain_label_too_long: kit.field(396, 400, 'a host with labels of at most 63 characters'),
  agent_domain_too_long: kit.field(397, 400, 'a host of at most 253 characters'),
})

/** The errors of the same rules for agents, keyed by domain error. A misplaced wildcard uses the error for URLs. */
const OF_AGENTS: Readonly<Record<string, parts.NameError>> = {
  domain_character_invalid: agentStartErrors.agent_domain_character_invalid,
  domain_empty_label: agentStartErrors.agent_domain_empty_label,
  domain_label_start_invalid: agentStartErrors.agent_domain_label_start_invalid,
  domain_label_end_invalid: agentStartErrors.agent_domain_label_end_invalid,
  domain_hyphens_3_4: agentStartErrors.agent_domain_hyphens_3_4,
  domain_suffix_unreachable: agentStartErrors.agent_domain_suffix_unreachable,
  domain_punycode_invalid: agentStartErrors.agent_domain_punycode_invalid,
  domain_underscore: agentStartErrors.agent_domain_underscore,
  domain_label_too_long: agentStartErrors.agent_domain_label_too_long,
  domain_too_long: agentStartErrors.agent_domain_too_long,
}

/** Throws an error for a URL whose host is not a domain name. */
export function requireDomainOfUrl(url: string): void {
  const [, host = ''] = /^(?:https?|tls):\/\/([^/:]+)/i.exec(url) ?? []
  const error = parts.nameProblem(host)
  const ofAgents = host === '' || !error ? undefined : OF_AGENTS[error.key]
  if (ofAgents) kit.refuse(ofAgents, { field: 'url', received: kit.quote(url), ...parts.nameFacts(host) })
}

const accountOptions = kit.sectionReader<{
  readonly account?: { readonly state?: string | undefined } | undefined
  readonly unknownActions: unknown
}>('unknownActions')

/** Returns whether the account is suspended for a reason other than an unpaid invoice. */
export const isSuspended = (tx: kit.Transaction): boolean => accountOptions(tx.options).account?.state === 'suspended'

/** Throws an error if the account is suspended: about the agent's session or, if the agent is already connected, about its endpoint. */
export function requireActiveAccount(tx: kit.Transaction, isConnected: boolean): void {
  if (isSuspended(tx))
    kit.refuse(agentStartErrors[isConnected ? 'endpoint_account_suspended' : 'agent_account_suspended'], {})
  if (accountOptions(tx.options).account?.state === 'unpaid')
    kit.refuse(agentStartErrors[isConnected ? 'endpoint_account_unpaid' : 'agent_account_unpaid'], {})
}
