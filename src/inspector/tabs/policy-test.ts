import type { TrafficEntry } from '../../control/traffic/entry.ts'
import type { TracedStep } from '../../traffic/trace.ts'

const HIDDEN = '[redacted]'

/** Headers that clients set automatically. */
const AUTOMATIC = /^(host|content-length|connection|transfer-encoding)$/

/** Returns a request in the form that the controls accept, without hidden headers. */
export function toSendable({ method, url, headers, body, from, target }: TrafficEntry) {
  const known = Object.entries(headers).filter(([name, value]) => !AUTOMATIC.test(name) && !value.includes(HIDDEN))
  return { method, url, headers: Object.fromEntries(known), ...(body && { body }), from, ...target }
}

/** Returns the part of a request that is missing from the journal, or an empty string if nothing is missing. */
export function findHidden({ url, headers, body, from }: TrafficEntry): string {
  const hides = (value: unknown) => JSON.stringify(value).includes(HIDDEN)
  const names = Object.keys(headers).filter((name) => hides(headers[name]))
  return [
    ...names.map((name) => `the header ${name}`),
    ...(hides(url) ? ['a query value'] : []),
    ...(body === undefined ? ['the body'] : hides(body) ? ['a body value'] : []),
    ...(hides(from) ? ['a visitor fact'] : []),
  ].join(', ')
}

/** Matches policies that use account resources, because a policy test does not provide them. */
const OF_ACCOUNT = /secrets\.get|\bipp_|\bca_\w{8}/

/** Actions whose outcome depends on more than the request and the policy. */
const OF_OTHERS = /^(http-request|circuit-breaker)$/

/** Returns why a test of the policy would not repeat a request, or undefined if it would. */
export function findTestProblem(visit: TrafficEntry, policy: string): string | undefined {
  const { trace, endpoint } = visit
  const rules = trace.filter((each) => 'actions' in each)
  const stopped = trace.find((each) => 'step' in each && each.isEnd)
  if (stopped && 'step' in stopped) return `the request stopped at the ${stopped.step}, and a test has only the policy.`
  if (!policy) return `its endpoint ${rules.length > 0 ? 'no longer has a' : 'has no'} policy.`
  if (rules.some((each) => each.policy !== endpoint)) return 'it passed the policies of several endpoints.'
  if (trace.some((each) => 'step' in each && each.step === 'module'))
    return 'it passed modules, and a test has only the policy.'
  if (OF_ACCOUNT.test(policy)) return "the policy reads the account's resources."
  const type = rules.flatMap(({ actions }) => actions).find((each) => OF_OTHERS.test(each.type))?.type
  if (type) return `the outcome of ${type} depends on other requests.`
  const hidden = findHidden(visit)
  return hidden ? `the journal hides ${hidden}.` : undefined
}

/** Returns a `fauxgate policy test` file that resends a request, preceded by earlier requests that a rate limit counted. */
export function toPolicyTest(visit: TrafficEntry, visits: readonly TrafficEntry[], policy: string): string {
  const { method, url, at, status, rule, upstream, error, trace } = visit
  const { origin, host, pathname } = new URL(url)
  const steps = trace.filter((each): each is TracedStep => 'step' in each)
  const isOwn = steps.filter(({ step }) => step === 'endpoint').length === 1
  const key = upstream && (isOwn ? origin : upstream)
  const response = steps.findLast(({ step }) => step === 'upstream')?.response
  const repeated = listRepeated(visit, visits)
  const sent = toSteps(repeated)
  const end = status === null ? 'closes the connection' : `gets ${status}`
  const json = (value: unknown) => JSON.stringify(value)
  const whole = [...sent.slice(0, -1), { ...sent.at(-1), expect: { status, rule, upstream: key, error } }]
  return [
    `# A visit at ${at}. Save it as ${host}.test.yml, and run: npx --no -- fauxgate policy test ${host}.test.yml`,
    `start: ${json(repeated[0]?.at)}`,
    'policy:',
    ...policy
      .replace(/^---.*$/m, '')
      .replace(/^/gm, '  ')
      .split('\n'),
    ...(key && response ? ['upstreams:', `  ${json(key)}: ${json(toCanned(response))}`] : []),
    'tests:',
    `  - name: ${json(`${method} ${pathname} ${end}${rule ? ` by ${rule}` : ''}`)}`,
    '    steps:',
    ...whole.map((step) => `      - ${json(step)}`),
    '',
  ].join('\n')
}

/** Returns a request, preceded by earlier ones, oldest first, that a rate limit on its path counted. */
function listRepeated(visit: TrafficEntry, visits: readonly TrafficEntry[]): readonly TrafficEntry[] {
  const { trace, number, endpoint } = visit
  const isCounted = trace.some((each) => 'actions' in each && each.actions.some(({ type }) => type === 'rate-limit'))
  if (!isCounted) return [visit]
  return visits.filter((each) => each.number <= number && each.endpoint === endpoint).toReversed()
}

function toCanned({ status, headers }: { status: number; headers: Readonly<Record<string, string>> }) {
  const known = Object.entries(headers).filter(
    ([name, value]) => !value.includes(HIDDEN) && !/^content-(length|encoding)$/.test(name),
  )
  return { status, headers: Object.fromEntries(known) }
}

type Step = { advance: string } | { request: object; repeat?: number }

/** Returns requests as steps of a test, with the time between them. Identical requests at the same time are one step. */
function toSteps(visits: readonly TrafficEntry[]): Step[] {
  const steps: Step[] = []
  visits.forEach((visit, at) => {
    const request = toSendable(visit)
    const seconds = at && (Date.parse(visit.at) - Date.parse(visits[at - 1]?.at ?? '')) / 1000
    const last = steps.at(-1)
    if (seconds > 0) steps.push({ advance: `${seconds}s` })
    else if (last && 'request' in last && JSON.stringify(last.request) === JSON.stringify(request)) {
      last.repeat = (last.repeat ?? 1) + 1
      return
    }
    steps.push({ request })
  })
  return steps
}
