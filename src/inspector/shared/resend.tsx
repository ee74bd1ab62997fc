import type { ComponentChildren } from 'preact'
import { Form, Text, TextField } from './controls.tsx'
import { Fold } from './layout.tsx'

interface Sent {
  readonly method: string
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty if there is no body. */
  readonly body: string
  /** The values of additional inputs, by name. */
  readonly [more: string]: unknown
}

interface ResendProps extends Pick<Sent, 'method' | 'address' | 'headers' | 'body'> {
  /** The label of the address. */
  label: string
  isOpen?: boolean
  send: (sent: Sent) => Promise<unknown>
  /** Additional inputs. */
  inputs?: ComponentChildren
  /** The content above the form. */
  note?: ComponentChildren
  response?: ComponentChildren
}

/** A form for editing and resending a request. */
export function Resend({ method, address, label, headers, body, isOpen, send, inputs, note, response }: ResendProps) {
  const lines = Object.entries(headers).map((each) => each.join(': '))
  const submit = ({ headers: text = '', ...rest }: Readonly<Record<string, string>>) => {
    const pairs = [...text.matchAll(/^\s*([^\s:]+)[ \t]*:[ \t]*(.*?)[ \t]*$/gm)].map(([, name, value]) => [name, value])
    return send({ method, address, body, ...rest, headers: Object.fromEntries(pairs) })
  }
  return (
    <Fold title="Edit and send again" isOpen={isOpen ?? false}>
      {note}
      <Form kind="fields" act={submit} verb="Send" after={response && <div class="wide">{response}</div>}>
        <div class="row">
          <Text label="Method" name="method" size={7} defaultValue={method} />
          <Text label={label} name="address" class="fill" defaultValue={address} />
        </div>
        <TextField label="Headers" name="headers" rows={3} defaultValue={lines.join('\n')} />
        <TextField label="Body" name="body" rows={4} defaultValue={body} />
        {inputs}
      </Form>
    </Fold>
  )
}
