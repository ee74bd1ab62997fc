import type { ComponentChildren } from 'preact'
import type { TrafficEntry } from '../../control/traffic/entry.ts'
import type { Decision } from '../../service/policy/decisions.ts'
import type { TracedExpression, TracedRule, TracedStep } from '../../traffic/trace.ts'
import { useLive } from '../live.ts'
import { page } from '../page.ts'
import { Button, Copy, Problem, TextField } from '../shared/controls.tsx'
import { formatCounted, formatLabel, formatTime } from '../shared/format.ts'
import { Known } from '../shared/known.tsx'
import { Chip, DefinitionList, Fold, Side, StatusChip } from '../shared/layout.tsx'
import { Resend } from '../shared/resend.tsx'
import { findHidden, findTestProblem, toPolicyTest, toSendable } from './policy-test.ts'

type Headers = Readonly<Record<string, string>>

/** The end of a request: a status, or a closed connection. */
export function Outcome({ visit: { status } }: { visit: TrafficEntry }) {
  return status === null ? <Chip tone="bad">closed</Chip> : <StatusChip status={status} />
}

interface VisitProps {
  visit: TrafficEntry
  /** All requests, newest first. */
  visits: readonly TrafficEntry[]
}

export function VisitDetails({ visit, visits }: VisitProps) {
  const { method, url, at, endpoint } = visit
  const policy = useLive(`policy ${endpoint}`, () => loadPolicy(endpoint))
  const request = toSendable(visit)
  const hidden = findHidden(visit)
  const send = async (changes: object) => {
    const { number } = await page.control<TrafficEntry>('POST', '/traffic', { ...request, ...changes })
    page.goTo(page.linkWithin(`traffic/${number}`).slice(1))
  }
  return (
    <Side title={`${method} ${url}`} mark={<Outcome visit={visit} />} back={page.linkWithin('traffic')}>
      <div class="row">
        {!hidden && (
          <Button kind="main" onClick={() => send({})}>
            Send again
          </Button>
        )}
        <Known of={policy}>
          {(text) => {
            const untested = findTestProblem(visit, text)
            if (untested) return !hidden && <p class="dim">No policy test: {untested}</p>
            return <Copy text={() => toPolicyTest(visit, visits, text)}>Copy as policy test</Copy>
          }}
        </Known>
        <span class="dim">{formatTime(at)} UTC</span>
      </div>
      {hidden && <p class="dim">It cannot be sent again exactly: the journal hides {hidden}.</p>}
      <Resend
        label="URL"
        method={method}
        address={url}
        headers={request.headers}
        body={request.body ?? ''}
        send={({ address, body, from, ...rest }) =>
          send({ ...rest, url: address, body: body || undefined, from: JSON.parse(String(from || '{}')) })
        }
        note={hidden && <p class="bad">Fill in what is hidden: {hidden}.</p>}
        inputs={<TextField label="Visitor" name="from" rows={2} defaultValue={JSON.stringify(request.from)} />}
      />
      <Trace visit={visit} />
    </Side>
  )
}

/** Returns an endpoint's policy as a string, or an empty string if there is no policy or the endpoint no longer exists. */
async function loadPolicy(endpoint: string | null): Promise<string> {
  if (!endpoint?.startsWith('ep_')) return ''
  const found = await page.findResource<{ traffic_policy?: string }>(`/endpoints/${endpoint}`)
  return found?.traffic_policy ?? ''
}

/** A diagram of a request's trace: each stop and its effects, from the visitor to the upstream and back. */
function Trace({ visit }: { visit: TrafficEntry }) {
  const { method, url, ip, from, body, headers, responseHeaders, status, error, trace } = visit
  const { country, identity, facts = {} } = from
  const given = Object.entries(facts).map(([name, value]) => `${name} = ${show(value)}`)
  const end = <Chip tone="bad">the visitor got {status ?? 'no response'}</Chip>
  const call = trace.findLast((each): each is TracedStep => 'step' in each && each.step === 'upstream')
  return (
    <ol class="trace">
      <Stop name="Visitor" note={[ip, country, identity?.email, ...given].filter(Boolean).join(' · ')}>
        <code>
          {method} {url}
        </code>
        <HeaderChanges before={headers} after={headers} />
        {body && <code class="diff">{body}</code>}
      </Stop>
      {trace.map((each, at) =>
        'step' in each ? (
          <StepStop key={at} step={each} sent={headers} end={end} />
        ) : (
          <RuleStop key={at} rule={each} before={trace[at - 1]} end={end} />
        ),
      )}
      {!call && <Stop name="Upstream" kind="idle unreached" note="not reached" />}
      <Stop
        name={['Response ', <Outcome visit={visit} />]}
        note={error ?? ''}
        kind={status !== null && status < 400 ? 'passed' : 'ended'}
      >
        {status === null && 'The gateway closed the connection.'}
        <HeaderChanges before={call?.response?.headers ?? {}} after={responseHeaders} />
      </Stop>
    </ol>
  )
}

interface StopProps {
  name: ComponentChildren
  note?: string | undefined
  kind?: string
  children?: ComponentChildren
}

function Stop({ name, note, kind, children }: StopProps) {
  return (
    <li class={kind}>
      <b>{name}</b> <small class="dim">{note}</small>
      <div>{children}</div>
    </li>
  )
}

const toKind = (isEnd: boolean | undefined) => (isEnd ? 'ended cut' : 'passed')

function StepStop({
  step: { step, did, isEnd, decision, request, response },
  sent,
  end,
}: {
  step: TracedStep
  sent: Headers
  end: ComponentChildren
}) {
  const id = /\bep_\w+/.exec(did)?.[0]
  const [before, after] = did.split(id ?? '\n')
  return (
    <Stop name={formatLabel(step)} note={response && `responded with ${response.status}`} kind={toKind(isEnd)}>
      {!response && before}
      {id && <a href={`#resources/endpoints/${id}`}>{id}</a>}
      {after} {isEnd && end} {decision && <Decided by={decision} />}
      {request && (
        <>
          <code class="diff">{request.url}</code>
          <HeaderChanges before={sent} after={request.headers} />
        </>
      )}
    </Stop>
  )
}

function Decided({ by: { says, docs } }: { by: Decision }) {
  return (
    <small class="dim">
      fauxgate's decision: {says}{' '}
      <a href={docs} target="_blank" rel="noreferrer">
        Reason
      </a>
    </small>
  )
}

function RuleStop({
  rule,
  before,
  end,
}: {
  rule: TracedRule
  before: TracedRule | TracedStep | undefined
  end: ComponentChildren
}) {
  const { name, phase, index, policy, matched, expressions, actions, decision } = rule
  const isFirst = !before || 'step' in before || before.phase !== phase || before.policy !== policy
  return (
    <>
      {isFirst && (
        <li class="phase">
          <code class="chip">{phase}</code>
        </li>
      )}
      <Stop
        name={name ?? `Rule ${index + 1}`}
        note={matched ? 'applied' : 'did not apply'}
        kind={matched ? toKind(actions.some(({ isEnd }) => isEnd)) : 'idle'}
      >
        {expressions.map((each) => (
          <Expression key={each.source} of={each} />
        ))}
        {decision && <Decided by={decision} />}
        {actions.map(({ type, did, isEnd, decision }) => (
          <p key={type}>
            → <b>{type}</b> {did} {isEnd && end} {decision && <Decided by={decision} />}
          </p>
        ))}
      </Stop>
    </>
  )
}

/** An expression with its value, and the value of each of its variables below. */
function Expression({ of: { source, value, values, error } }: { of: TracedExpression }) {
  return (
    <div class="expression">
      <code>{source}</code>
      {' → '}
      <code>
        <b class={error ? 'bad' : value === true ? 'good' : 'dim'}>{error ? 'failed' : show(value)}</b>
      </code>
      <DefinitionList
        of={Object.entries(values).map(([path, each]) => [<code>{path}</code>, <code>{show(each)}</code>])}
      />
      <Problem text={error} />
    </div>
  )
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'unknown'
}

/** The headers that differ, as diff lines, with all others folded. */
function HeaderChanges({ before, after }: { before: Headers; after: Headers }) {
  const names = Object.keys({ ...before, ...after }).sort()
  const same = names.filter((name) => before[name] === after[name])
  return (
    <>
      {names.map((name) =>
        [before, after].map(
          (each, at) =>
            before[name] !== after[name] &&
            each[name] !== undefined && (
              <code key={name + at} class={`diff ${at ? 'good' : 'bad'}`}>
                {at ? '+ ' : '− '}
                {name}: {each[name]}
              </code>
            ),
        ),
      )}
      {same.length > 0 && (
        <Fold title={formatCounted(same.length, before === after ? 'header' : 'unchanged header')}>
          <DefinitionList of={same.map((name) => [name, after[name]])} />
        </Fold>
      )}
    </>
  )
}
