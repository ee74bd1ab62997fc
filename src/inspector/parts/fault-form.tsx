import { useState } from 'preact/hooks'
import { ResponseError } from '../connection.ts'
import { page } from '../page.ts'
import { Button, Choice, Field, Form, Problem, Submit, Text } from '../shared/controls.tsx'
import { formatLabel } from '../shared/format.ts'

/** The effects of faults, each with the inputs that it needs. */
const EFFECTS: Readonly<Record<string, readonly string[]>> = {
  'fails with a status': ['status', 'retryAfter', 'message', 'phase'],
  'fails with an error': ['error', 'message', 'phase'],
  'loses the connection': ['phase'],
  'cuts the response': ['truncate', 'ending'],
  'comes late': ['latency'],
}

const NAMES = Object.keys(EFFECTS)

type Values = Readonly<Record<string, string | number | boolean>>

const PRESETS: Readonly<Record<string, Values>> = {
  '503': { status: 503 },
  '429, retry after 2 s': { status: 429, retryAfter: '2s' },
  'lost before': { drop: true },
  'lost after': { drop: true, phase: 'after' },
  cut: { truncate: 20 },
  'slow by 5 s': { latency: '5s' },
}

const LABELS: Readonly<Record<string, string>> = {
  times: 'How often',
  after: 'After how many requests',
  phase: 'When',
  truncate: 'Characters to keep',
  ending: 'Then',
  latency: 'Delay',
}

const getLabel = (name: string) => LABELS[name] ?? formatLabel(name)

const NUMBERS = ['status', 'times', 'after', 'truncate']

interface FaultFormProps {
  /** The operation; without it, the form has a menu of operations. */
  operation?: string
  /** The family whose operations are in the menu; without it, all are. */
  family?: string
  /** The id of the resource that the requests must be for. */
  resource?: string
}

/** Adds faults: presets in one click, or a form with the inputs of the chosen effect. */
export function FaultForm({ operation, family, resource }: FaultFormProps) {
  const [effect, setEffect] = useState(NAMES[0] ?? '')
  const [values, setValues] = useState<Values>({
    times: '1',
    status: '503',
    latency: '5s',
    truncate: '20',
    ending: 'complete',
    phase: 'before',
  })
  const [error, setError] = useState<unknown>(undefined)
  const [done, setDone] = useState('')
  const [isOpen, setOpen] = useState(false)
  // The document of the service is large, and the presets do not need it.
  const { operations = [], errors = {} } = (isOpen && page.service) || {}
  const chosen = operation ?? String(values.operation ?? '')
  const send = async (what: Values, said: string) => {
    setDone('')
    try {
      await page.control('POST', '/faults', {
        ...(chosen && { operation: chosen }),
        ...(resource && { resource }),
        ...what,
      })
      setError(undefined)
      setDone(said)
    } catch (thrown) {
      setError(thrown)
    }
  }
  const names = [...(EFFECTS[effect] ?? []), 'times', 'after']
  const submit = () => {
    const filled = names
      .filter((name) => values[name])
      .map((name) => [name, NUMBERS.includes(name) ? Number(values[name]) : values[name]])
    void send({ ...Object.fromEntries(filled), ...(effect === NAMES[2] && { drop: true }) }, 'Added.')
  }
  const fields = error instanceof ResponseError ? error.fields : {}
  const visibleNames = [...(operation ? [] : ['operation']), ...names]
  const input = (name: string) => {
    const value = {
      label: getLabel(name),
      value: String(values[name] ?? ''),
      set: (to: string) => setValues({ ...values, [name]: to }),
    }
    if (name === 'operation') {
      const all = operations.map((each) => each.name)
      const ofFamily = family ? all.filter((each) => each.startsWith(`${family}.`)) : all
      return <Choice {...value} none="every operation" values={ofFamily} />
    }
    if (name === 'phase') return <Choice {...value} values={['before', 'after']} />
    if (name === 'ending') return <Choice {...value} values={['complete', 'break', 'stall']} />
    if (name === 'error') return <Text {...value} list="errors" placeholder="Search the catalogue" />
    return <Text {...value} {...(NUMBERS.includes(name) && { type: 'number', min: '0' })} />
  }
  return (
    <div class="fields">
      <div class="row">
        <span class="dim">The next request:</span>
        {Object.entries(PRESETS).map(([name, what]) => (
          <Button key={name} onClick={() => send({ ...what, times: 1 }, `Added: ${name}.`)}>
            {name}
          </Button>
        ))}
      </div>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Another fault</summary>
        <Form kind="fields grid" act={submit}>
          <Field label="The request">
            <Choice label="Effect" value={effect} set={setEffect} values={NAMES} />
          </Field>
          {visibleNames.map((name) => (
            <Field key={name} label={getLabel(name)} error={fields[name]}>
              {input(name)}
            </Field>
          ))}
          <datalist id="errors">
            {Object.entries(errors).map(([key, { summary }]) => (
              <option key={key} value={key}>
                {summary}
              </option>
            ))}
          </datalist>
          <div class="row">
            <Submit kind="">Add the fault</Submit>
          </div>
        </Form>
      </details>
      <Problem
        text={error instanceof Error && !visibleNames.some((name) => name in fields) ? error.message : undefined}
      />
      {done && (
        <p class="good" role="status">
          {done}
        </p>
      )}
    </div>
  )
}
