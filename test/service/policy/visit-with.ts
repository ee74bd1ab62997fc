import { createVisited } from '../../traffic/visits.ts'

type Visited = ReturnType<typeof createVisited>

/** A visit to an endpoint. */
interface Visit {
  readonly path?: string
  readonly init?: Parameters<Visited['visit']>[1]
  readonly phase?: string
  /** The expressions whose values a second rule of the phase answers with. */
  readonly show?: readonly string[]
}

/** A row of a table of visits. */
export type Row = readonly [type: string, config: object, visit: Visit, shown: Shown]

/** The status, the deed of the action in the trace, the body, and the headers apart from `text/plain` and `text/x`. */
type Shown = readonly [status: number, did: string, text: string, headers?: Readonly<Record<string, string>>]

/** Visits an endpoint whose policy has an action. Its upstream says what it got; `https://users.internal` has a status in its path. */
export async function visitWith(
  type: string,
  config: object,
  { path, init, phase = 'on_http_request', show = [] }: Visit,
) {
  const shown = { body: show.map((each) => `\${${each}}`).join('; '), content_type: 'text/x' }
  const rules = [{ type, config }, ...(show.length > 0 ? [{ type: 'custom-response', config: shown }] : [])]
  const { gateway, visit } = createVisited(JSON.stringify({ [phase]: rules.map((each) => ({ actions: [each] })) }))
  gateway.declare.tunnelSession({ endpoints: [{ url: 'https://users.internal' }] })
  gateway.traffic.upstream('https://users.internal', answerAsUsers)
  if (phase === 'on_event_stream_message') gateway.traffic.upstream('https://app.example.com', answerEvents)
  const response = await visit(path, init).catch(() => undefined)
  const [first] = gateway.traffic.last()?.trace.flatMap((each) => ('actions' in each ? each.actions : [])) ?? []
  if (!response) return [0, first?.did, 'The connection was closed.']
  const { 'content-type': contentType, ...others } = Object.fromEntries(response.headers)
  const isPlain = contentType === undefined || /^text\/(x|plain)$/.test(contentType)
  const headers = { ...others, ...(isPlain ? {} : { 'content-type': contentType }) }
  const status = [response.status, first?.did ?? '', await response.text()]
  return Object.keys(headers).length > 0 ? [...status, headers] : status
}

async function answerAsUsers(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const status = Number(/[0-9]{3}/.exec(pathname) ?? 200)
  const headers = { 'content-type': 'text/plain', ...(pathname === '/302' && { location: '/there?x' }) }
  const sizes: Readonly<Record<string, number>> = { '/large': 256 * 1024, '/too-large': 256 * 1024 + 1 }
  const text = `${request.method} ${request.url} ${await request.text()}`
  return new Response('x'.repeat(sizes[pathname] ?? 0) || text, { status, headers })
}

function answerEvents(): Response {
  const text = 'event: c\nretry: 11\ndata: a ca\n\ndata: x\n\n'
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}
