import { Call } from './source.ts'

type Input = Readonly<Record<string, unknown>>

/** The fields that a direct API call takes as arguments, and the resulting arguments. */
type Row = readonly [fields: readonly string[], toCall: (input: Input) => Call]

const call =
  (callee: string, ...fields: readonly string[]) =>
  (input: Input): Call =>
    new Call(
      `gateway.${callee}`,
      fields.flatMap((name) => (name in input ? [input[name]] : [])),
    )

/** Returns an options argument with these fields, or nothing if there are none. */
function withOptions({ callee, args }: Call, input: Input, ...fields: readonly string[]): Call {
  const options = Object.fromEntries(fields.flatMap((name) => (name in input ? [[name, input[name]]] : [])))
  return new Call(callee, Object.keys(options).length > 0 ? [...args, options] : args)
}

/** The gateway members equivalent to controls. The first row with all of an input's fields applies. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  'POST /clock': [
    [['advance'], call('clock.advanceAsync', 'advance')],
    // The direct API does not accept a date without a time.
    [['to'], ({ to }) => new Call('gateway.clock.advanceToAsync', [String(to).replace(/^[\d-]+$/, '$&T00:00:00Z')])],
    [['next'], call('clock.advanceToNextAsync')],
  ],
  'POST /provisioning/script': [
    [['outcomes', 'domain'], (input) => withOptions(call('provisioning.script', 'outcomes')(input), input, 'domain')],
  ],
  'DELETE /provisioning/script': [
    [['domain'], (input) => withOptions(call('provisioning.clear')(input), input, 'domain')],
  ],
  'POST /provisioning/attempt': [[['id'], call('provisioning.attempt', 'id')]],
  'POST /provisioning/renew': [[['id'], call('provisioning.renewNow', 'id')]],
  'POST /provisioning/expire': [[['id'], call('provisioning.expireNow', 'id')]],
  'PUT /dns CNAME': [
    [
      ['name', 'type', 'value', 'after'],
      (input) => withOptions(call('dns.cname', 'name', 'value')(input), input, 'after'),
    ],
  ],
  'DELETE /dns': [
    [[], call('dns.clear')],
    [['name'], call('dns.remove', 'name')],
  ],
  'DELETE /faults': [
    [[], call('faults.clear')],
    [['id'], call('faults.remove', 'id')],
  ],
}

/** Returns the call of the gateway member that is equivalent to a control, or undefined if there is none. */
export function toDirectCall(what: string, body: Input = {}): Call | undefined {
  const [name = '', query] = what.split('?')
  const input: Input = { ...Object.fromEntries(new URLSearchParams(query)), ...body }
  const rows = ROWS[name === 'PUT /dns' ? `PUT /dns ${input.type}` : name] ?? []
  const row = rows.find(([fields]) => Object.keys(input).every((field) => fields.includes(field)))
  return row?.[1](input)
}
