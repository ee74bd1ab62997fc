import { ruleOf } from './permissions.ts'
import { markOf } from './run-log.ts'
import type { RequestPlan } from './scenarios.ts'
import type { VerifyOptions } from './verify.ts'

/**
 * Describes the requests that a run would send, and those that it would not. `isShort` leaves out the single requests.
 */
export function planText(
  { scenarios, notAsked, requests }: RequestPlan,
  { url, domain, perMinute, run }: Pick<VerifyOptions, 'url' | 'domain' | 'perMinute' | 'run'>,
  isShort = false,
): string {
  const creations = scenarios.flatMap(({ steps }) => steps.filter(({ method, saves }) => method === 'POST' && saves))
  const changing = scenarios.filter(({ steps }) => steps.some(({ method }) => method !== 'GET'))
  const below = domain === undefined ? '' : `, and domains below ${domain}`
  return [
    ...(isShort ? [] : scenarios.flatMap(({ family, steps }) => [family, ...steps.map(stepText), ''])),
    ...(isShort ? [] : ['Not asked:', ...[...notAsked].map(([name, reason]) => `  ${name}: ${reason}`), '']),
    ...(changing.length > 0 ? ['Creates, changes and deletes only its own:'] : ['Creates nothing.']),
    ...changing.map(({ family, path }) => `  ${family}: ${ruleOf(family, path)?.reason ?? ''}`),
    ...(changing.length > 0 ? [`Their names begin with ${markOf(run)}${below}. All are deleted at the end.`] : []),
    `${url}: ${requests} requests or a few more, ${creations.length} creations, ` +
      `${Math.ceil(requests / perMinute)} min at ${perMinute} requests a minute.`,
    '',
  ].join('\n')
}

function stepText({ method, path, operation, what }: RequestPlan['scenarios'][number]['steps'][number]): string {
  return `  ${method.padEnd(6)} ${path}  (${operation} ${what})`
}
