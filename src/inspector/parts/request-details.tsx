import { useState } from 'preact/hooks'
import type { Answer, JournalEntry } from '../connection.ts'
import { usePage } from '../page.ts'
import { Choice, Form, Lines, Send, Text } from '../shared/inputs.tsx'
import { Facts, Side } from '../shared/layout.tsx'
import { Button, Chip, Copy, Field, Json, toneOf } from '../shared/parts.tsx'
import { readable } from '../shared/time.ts'
import { asCurl, asDirect, asFetch, clientHeaders } from './curl.ts'
import { Diff } from './diff.tsx'

/** One request with all that is known of it. */
export function RequestDetails({ entry }: { entry: JournalEntry }) {
  const page = usePage()
  const [isEdited, edit] = useState(false)
  const { method, path, query, status, operation, operationId, at, request, response, commit, fault } = entry
  const { requestHeaders, responseHeaders } = entry
  const direct = asDirect(page, entry)
  return (
    <Side
      title={`${method} ${path}${query && `?${query}`}`}
      mark={<Chip tone={toneOf(status)}>{status}</Chip>}
      back="requests"
    >
      <div class="row">
        <Button kind="main" onClick={() => edit(!isEdited)}>
          Edit and send again
        </Button>
        <Copy text={() => asCurl(page, entry)}>Copy as curl</Copy>
        <Copy text={() => asFetch(page, entry)}>as fetch</Copy>
        {direct && <Copy text={() => direct}>as direct call</Copy>}
      </div>
      {isEdited && <Again entry={entry} />}
      <Facts
        of={[
          ['Operation', operation ?? 'none of the API'],
          ['Operation id', operationId],
          ['At', `${readable(at)} UTC`],
          ...(fault ? [['Fault', <a href="#orders">{fault}</a>] as const] : []),
        ]}
      />
      <Headers of={requestHeaders} title="Request headers" />
      {request !== null && <Json value={request} title="Request" />}
      <Headers of={responseHeaders} title="Response headers" />
      <Json value={response} title="Response" />
      {commit && <h3>What it changed</h3>}
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

function Again({ entry }: { entry: JournalEntry }) {
  const page = usePage()
  const { request, query } = entry
  const [method, setMethod] = useState(entry.method)
  const [path, setPath] = useState(`${entry.path}${query && `?${query}`}`)
  const [headers, setHeaders] = useState(textOfHeaders(clientHeaders(page, entry)))
  const [body, setBody] = useState(
    request === null ? '' : typeof request === 'string' ? request : JSON.stringify(request, null, 2),
  )
  const [answer, setAnswer] = useState<Answer | undefined>(undefined)
  const send = async () => setAnswer(await page.connection.replay(method, path, headersIn(headers), body))
  return (
    <Form kind="again" act={() => void page.doing(send)}>
      <div class="row">
        <Choice label="Method" value={method} set={setMethod} values={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']} />
        <Text label="Path" value={path} set={setPath} />
      </div>
      <Field label="Headers">
        <Lines label="Headers" rows={3} value={headers} set={setHeaders} />
      </Field>
      <Field label="Body">
        <Lines label="Body" rows={6} value={body} set={setBody} />
      </Field>
      <div class="row">
        <Send>Send</Send>
        {answer && <Chip tone={toneOf(answer.status)}>{answer.status}</Chip>}
      </div>
      {answer && <Json value={answer.body} title="Answer" />}
    </Form>
  )
}

function textOfHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map((each) => each.join(': '))
    .join('\n')
}

function headersIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^\s*(\S+?)\s*:\s*(.*?)\s*$/gm)].map(([, name, value]) => [name, value]))
}
