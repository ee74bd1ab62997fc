import { fieldLines } from './left-out.ts'
import { ruleOf } from './permissions.ts'
import { markOf } from './run-log.ts'
import type { RequestPlan } from './scenarios.ts'
import type { VerifyOptions } from './verify.ts'

/** Describes the requests that a run would send, and the requests that it would omit. `isShort` omits the individual requests. */
export function planText(
  { scenarios, notAsked, fieldsNotAsked, requests }: RequestPlan,
  { url, domain, perMinute, run }: Pick<VerifyOptions, 'url' | 'domain' | 'perMinute' | 'run'>,
  isShort = false,
): string {
  const creations = scenarios.flatMap(({ steps }) => steps.filter(({ method, saves }) => method === 'POST' && saves))
  const changing = scenarios.filter(({ steps }) => steps.some(({ method }) => method !== 'GET'))
  const below = domain === undefined ? '' : `, and domains under ${domain}`
  return [
    ...(isShort ? [] : scenarios.flatMap(({ family, steps }) => [family, ...steps.map(stepText), ''])),
    ...(isShort ? [] : ['Not called:', ...[...notAsked].map(([name, reason]) => `  ${name}: ${reason}`), '']),
    ...(isShort || fieldsNotAsked.length === 0 ? [] : [...fieldLines(fieldsNotAsked).slice(1), '']),
    ...(changing.length > 0 ? ['Creates, changes, and deletes only its own resources:'] : ['Creates nothing.']),
    ...changing.map(({ family, path }) => `  ${family}: ${ruleOf(family, path)?.reason ?? ''}`),
    ...(changing.length > 0
      ? [`Their names start with ${markOf(run)}${below}. All of them are deleted at the end.`]
      : []),
    `${url}: about ${requests} requests, ${creations.length} creations, ${durationText(requests, perMinute)}.`,
    '',
  ].join('\n')
}

/** Estimates the duration of a run, and says how to make the run faster. */
export function durationText(requests: number, perMinute: number): string {
  const text = `about ${Math.ceil(requests / perMinute)} min at ${perMinute} requests per minute`
  return perMinute < SERVICE_RATE ? `${text}; --rate ${SERVICE_RATE}, which the service allows, is faster` : text
}

/** The requests per minute that the service allows. */
const SERVICE_RATE = 120

function stepText({ method, path, operation, what }: RequestPlan['scenarios'][number]['steps'][number]): string {
  return `  ${method.padEnd(6)} ${path}  (${operation} ${what})`
}
