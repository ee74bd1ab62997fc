import { useState } from 'preact/hooks'
import type { JournalEntry } from '../../journal/entry.ts'
import type { Change } from '../../operation/collection.ts'
import type { Answer } from '../connection.ts'
import { usePage } from '../page.ts'
import { Button, Choice, Copy, Field, Form, Lines, Submit, Text } from '../shared/controls.tsx'
import { formatTime } from '../shared/format.ts'
import { Facts, Json, Side, StatusChip, Table } from '../shared/layout.tsx'
import { asCurl, asDirect, asFetch, clientHeaders } from './client-code.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function RequestDetails({ entry }: { entry: JournalEntry }) {
  const page = usePage()
  const [isEdited, setEdited] = useState(false)
  const { method, status, operation, operationId, at, request, response, commit, fault } = entry
  const direct = asDirect(page, entry)
  return (
    <Side title={`${method} ${pathOf(entry)}`} mark={<StatusChip status={status} />} back="requests">
      <div class="row">
        <Button kind="main" onClick={() => setEdited(!isEdited)}>
          Edit and send again
        </Button>
        <Copy text={() => asCurl(page, entry)}>Copy as curl</Copy>
        <Copy text={() => asFetch(page, entry)}>as fetch</Copy>
        {direct && <Copy text={() => direct}>as direct call</Copy>}
      </div>
      {isEdited && <Resend entry={entry} />}
      <Facts
        of={[
          ['Operation', operation ?? 'none of the API'],
          ['Operation id', operationId],
          ['At', `${formatTime(at)} UTC`],
          ...(fault ? [['Fault', <a href="#faults">{fault}</a>] as const] : []),
        ]}
      />
      <Headers of={entry.requestHeaders} title="Request headers" />
      {request !== null && <Json value={request} title="Request" />}
      <Headers of={entry.responseHeaders} title="Response headers" />
      <Json value={response} title="Response" />
      {commit && <h3>Changes</h3>}
      {commit?.changes.map((change) => (
        <Diff key={change.key} change={change} />
      ))}
    </Side>
  )
}

function Headers({ of, title }: { of: JournalEntry['requestHeaders']; title: string }) {
  const all = Object.entries(of)
  return (
    <details>
      <summary>
        {title} ({all.length})
      </summary>
      <Facts of={all} />
    </details>
  )
}

function Resend({ entry }: { entry: JournalEntry }) {
  const page = usePage()
  const { request } = entry
  const [method, setMethod] = useState(entry.method)
  const [path, setPath] = useState(pathOf(entry))
  const [headers, setHeaders] = useState(textOfHeaders(clientHeaders(page, entry)))
  const [body, setBody] = useState(
    request === null ? '' : typeof request === 'string' ? request : JSON.stringify(request, null, 2),
  )
  const [answer, setAnswer] = useState<Answer | undefined>(undefined)
  const send = async () => setAnswer(await page.connection.send(method, path, headersIn(headers), body))
  return (
    <Form kind="fields" act={() => void page.run(send)}>
      <div class="row">
        <Choice label="Method" value={method} set={setMethod} values={METHODS} />
        <Text label="Path" class="fill" value={path} set={setPath} />
      </div>
      <Field label="Headers">
        <Lines label="Headers" rows={3} value={headers} set={setHeaders} />
      </Field>
      <Field label="Body">
        <Lines label="Body" rows={6} value={body} set={setBody} />
      </Field>
      <div class="row">
        <Submit>Send</Submit>
        {answer && <StatusChip status={answer.status} />}
      </div>
      {answer && <Json value={answer.body} title="Answer" />}
    </Form>
  )
}

function pathOf({ path, query }: JournalEntry): string {
  return `${path}${query && `?${query}`}`
}

function textOfHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map((each) => each.join(': '))
    .join('\n')
}

function headersIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^\s*(\S+?)\s*:\s*(.*?)\s*$/gm)].map(([, name, value]) => [name, value]))
}

function Diff({ change: { collection, key, before, after } }: { change: Change }) {
  const [old, now] = [flat(before), flat(after)]
  const names = Object.keys({ ...old, ...now }).filter((name) => old[name] !== now[name])
  const what = before ? (after ? 'changed' : 'removed') : 'created'
  return (
    <>
      <p>
        <b>{collection}</b> {key} <span class="dim">{what}</span>
      </p>
      <Table heads={['field', 'before', 'after']} rows={names.map((name) => [name, old[name], now[name]])} />
    </>
  )
}

/** Returns the fields of a record by their paths, with those of objects in it. */
function flat(value: object | undefined, at = ''): Record<string, string> {
  const fields = Object.entries(value ?? {}).map(([name, each]): Record<string, string> => {
    const path = at ? `${at}.${name}` : name
    const isObject = typeof each === 'object' && each !== null && Object.keys(each).length > 0
    return isObject ? flat(each, path) : { [path]: typeof each === 'string' ? each : JSON.stringify(each) }
  })
  return Object.assign({}, ...fields)
}
