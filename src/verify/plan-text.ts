import { ruleOf } from './permissions.ts'
import type { Plan } from './scenarios.ts'
import type { VerifyOptions } from './verify.ts'

type PlanFacts = Pick<VerifyOptions, 'url' | 'domain' | 'perMinute' | 'run'>

/**
 * Describes the requests that a run would send, and those that it would not. `isShort` leaves out the single requests.
 */
export function planText(plan: Plan, facts: PlanFacts, isShort = false): string {
  const { scenarios, notAsked, requests } = plan
  const creations = scenarios.flatMap(({ steps }) => steps.filter(({ method, saves }) => method === 'POST' && saves))
  const changing = scenarios.filter(({ steps }) => steps.some(({ method }) => method !== 'GET'))
  return [
    ...(isShort ? [] : scenarios.flatMap(({ family, steps }) => [family, ...steps.map(stepText), ''])),
    ...(isShort ? [] : ['Not asked:', ...[...notAsked].map(([name, reason]) => `  ${name}: ${reason}`), '']),
    ...(changing.length > 0 ? ['Creates, changes and deletes only its own:'] : ['Creates nothing.']),
    ...changing.map(({ family, path }) => `  ${family}: ${ruleOf(family, path)?.reason ?? ''}`),
    ...(changing.length > 0 ? [namesText(facts)] : []),
    `${facts.url}: ${requests} requests or a few more, ${creations.length} creations, ` +
      `${Math.ceil(requests / facts.perMinute)} min at ${facts.perMinute} requests a minute.`,
    '',
  ].join('\n')
}

function namesText({ run, domain }: PlanFacts): string {
  const below = domain === undefined ? '' : `, and domains below ${domain}`
  return `Their names begin with fauxgate-verify-${run}${below}. All are deleted at the end.`
}

function stepText({ method, path, operation, what }: Plan['scenarios'][number]['steps'][number]): string {
  return `  ${method.padEnd(6)} ${path}  (${operation} ${what})`
}
