import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { TrafficEntry } from '../../control/traffic/entry.ts'
import type { TracedExpression, TracedRule, TracedStep } from '../../traffic/trace.ts'
import { useLive } from '../live.ts'
import { page } from '../page.ts'
import { Button, Copy, Field, Form, Lines, Problem, Submit, Text } from '../shared/controls.tsx'
import { formatCounted, formatLabel, formatTime } from '../shared/format.ts'
import { Chip, DefinitionList, Side, StatusChip } from '../shared/layout.tsx'
import { findHidden, findTestProblem, toPolicyTest, toSendable } from './policy-test.ts'

type Headers = Readonly<Record<string, string>>

/** The end of a request: its status, or that the connection closed. */
export function Outcome({ visit: { status } }: { visit: TrafficEntry }) {
  return status === null ? <Chip tone="bad">closed</Chip> : <StatusChip status={status} />
}

interface VisitProps {
  visit: TrafficEntry
  /** All requests, the newest first. */
  visits: readonly TrafficEntry[]
  back: string
}

export function VisitDetails({ visit, visits, back }: VisitProps) {
  const { method, url, at, endpoint } = visit
  const [problem, setProblem] = useState('')
  const policy = useLive(() => loadPolicy(endpoint), [endpoint])
  const request = toSendable(visit)
  const hidden = findHidden(visit)
  const send = async (changes: object) => {
    try {
      const { number } = await page.control<TrafficEntry>('POST', '/traffic', { ...request, ...changes })
      page.goTo(page.linkWithin(`traffic/${number}`).slice(1))
    } catch (error) {
      setProblem(Object(error).message)
    }
  }
  const untested = findTestProblem(visit, policy ?? '')
  return (
    <Side title={`${method} ${url}`} mark={<Outcome visit={visit} />} back={back}>
      <div class="row">
        {!hidden && (
          <Button kind="main" onClick={() => send({})}>
            Send again
          </Button>
        )}
        {policy !== undefined && !untested && (
          <Copy text={() => toPolicyTest(visit, visits, policy)}>Copy as policy test</Copy>
        )}
        <span class="dim">{formatTime(at)} UTC</span>
      </div>
      <Problem text={problem} />
      {hidden && <p class="dim">It cannot be sent again exactly: the journal hides {hidden}.</p>}
      {policy !== undefined && untested && !hidden && <p class="dim">No policy test: {untested}</p>}
      <details>
        <summary>Edit and send again</summary>
        {hidden && <p class="bad">Fill in what is hidden: {hidden}.</p>}
        <Resend request={request} send={send} />
      </details>
      <Way visit={visit} />
    </Side>
  )
}

/** Returns the policy of an endpoint as a text; an empty text if it has none, or is gone. */
async function loadPolicy(endpoint: string | null): Promise<string> {
  if (!endpoint?.startsWith('ep_')) return ''
  const found = await page.connection
    .service<{ traffic_policy?: string }>('GET', `/endpoints/${endpoint}`)
    .catch(() => ({}))
  return 'traffic_policy' in found ? found.traffic_policy : ''
}

type Sendable = ReturnType<typeof toSendable>

function Resend({ request, send }: { request: Sendable; send: (changes: object) => unknown }) {
  const { method, url, headers, body, from } = request
  const submit = ({ method = '', url = '', headers = '', body = '', from = '' }) => {
    const pairs = [...headers.matchAll(/^\s*([^\s:]+):[ \t]*(.*?)[ \t]*$/gm)].map(([, name, value]) => [name, value])
    return send({
      method,
      url,
      headers: Object.fromEntries(pairs),
      body: body || undefined,
      from: JSON.parse(from || '{}'),
    })
  }
  const lines = Object.entries(headers).map((each) => each.join(': '))
  return (
    <Form kind="fields" act={submit}>
      <div class="row">
        <Text label="Method" name="method" size={7} defaultValue={method} />
        <Text label="URL" name="url" class="fill" defaultValue={url} />
      </div>
      <Field label="Headers">
        <Lines label="Headers" name="headers" rows={3} defaultValue={lines.join('\n')} />
      </Field>
      <Field label="Body">
        <Lines label="Body" name="body" rows={2} defaultValue={body ?? ''} />
      </Field>
      <Field label="Visitor">
        <Lines label="Visitor" name="from" rows={2} defaultValue={JSON.stringify(from)} />
      </Field>
      <div class="row">
        <Submit>Send</Submit>
      </div>
    </Form>
  )
}

/** The way of a request as a picture: each stop with what it did, from the visitor to the upstream and back. */
function Way({ visit }: { visit: TrafficEntry }) {
  const { method, url, ip, from, body, headers, responseHeaders, status, error, trace } = visit
  const { country, identity, facts = {} } = from
  const given = Object.entries(facts).map(([name, value]) => `${name} = ${show(value)}`)
  const call = trace.findLast((each): each is TracedStep => 'step' in each && each.step === 'upstream')
  return (
    <ol class="way">
      <Stop name="Visitor" note={[ip, country, identity?.email, ...given].filter(Boolean).join(' · ')}>
        <code>
          {method} {url}
        </code>
        <HeaderChanges before={headers} after={headers} />
        {body && <code class="diff">{body}</code>}
      </Stop>
      {trace.map((each, at) =>
        'step' in each ? (
          <StepStop key={at} step={each} sent={headers} />
        ) : (
          <RuleStop key={at} rule={each} before={trace[at - 1]} />
        ),
      )}
      {!call && <Stop name="Upstream" kind="idle unreached" note="not reached" />}
      <Stop
        name={
          <>
            Response <Outcome visit={visit} />
          </>
        }
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

function StepStop({ step: { step, did, isEnd, request, response }, sent }: { step: TracedStep; sent: Headers }) {
  const id = /\bep_\w+/.exec(did)?.[0]
  const [before, after] = did.split(id ?? '\n')
  return (
    <Stop name={formatLabel(step)} note={response && `answered ${response.status}`} kind={toKind(isEnd)}>
      {!response && before}
      {id && <a href={`#resources/endpoints/${id}`}>{id}</a>}
      {after} {isEnd && <End />}
      {request && (
        <>
          <code class="diff">{request.url}</code>
          <HeaderChanges before={sent} after={request.headers} />
        </>
      )}
    </Stop>
  )
}

function End() {
  return <Chip tone="bad">ended the request</Chip>
}

function RuleStop({ rule, before }: { rule: TracedRule; before: TracedRule | TracedStep | undefined }) {
  const { name, phase, index, policy, matched, expressions, actions } = rule
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
        {actions.map(({ type, did, isEnd }) => (
          <p key={type}>
            → <b>{type}</b> {did} {isEnd && <End />}
          </p>
        ))}
      </Stop>
    </>
  )
}

/** An expression with its value, and below it the value of each variable in it. */
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

/** The headers that differ, as lines of a diff, and the others folded. */
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
        <details>
          <summary>{formatCounted(same.length, before === after ? 'header' : 'unchanged header')}</summary>
          <DefinitionList of={same.map((name) => [name, after[name]])} />
        </details>
      )}
    </>
  )
}
