import { useState } from 'preact/hooks'
import { page } from '../page.ts'
import type { Service } from '../service.ts'
import { Button, Choice, Field } from '../shared/controls.tsx'
import { Known } from '../shared/known.tsx'
import { Fold } from '../shared/layout.tsx'
import { ControlForm } from '../shared/schema-form.tsx'

/** The effects of faults: the fields of each effect, and its fixed values. */
const EFFECTS: Readonly<Record<string, { readonly fields: readonly string[]; readonly always?: object }>> = {
  'fails with a status': { fields: ['status', 'retryAfter', 'message', 'phase'] },
  'fails with an error': { fields: ['error', 'message', 'phase'] },
  'loses the connection': { fields: ['phase'], always: { drop: true } },
  'cuts the response': { fields: ['truncate', 'ending'] },
  'comes late': { fields: ['latency'] },
}

const PRESETS: Readonly<Record<string, object>> = {
  '503': { status: 503 },
  '429, retry after 2 s': { status: 429, retryAfter: '2s' },
  'lost before': { drop: true },
  'lost after': { drop: true, phase: 'after' },
  cut: { truncate: 20 },
  'slow by 5 s': { latency: '5s' },
}

const DEFAULTS = { times: '1', status: '503', latency: '5s', truncate: '20' }

interface FaultFormProps {
  /** The operation. If it is missing, the form has a menu of operations. */
  operation?: string
  /** The family whose operations are in the menu. Default: all families. */
  family?: string
  /** The ID of the resource that requests must be for. */
  resource?: string
}

/** Adds faults, either as presets in one click or in a form with the inputs for the selected effect. */
export function FaultForm(props: FaultFormProps) {
  const { operation, resource } = props
  const scope = { ...(operation && { operation }), ...(resource && { resource }) }
  const [done, setDone] = useState('')
  const add = async (fault: object, said: string) => {
    setDone('')
    await page.control('POST', '/faults', { ...fault, ...scope })
    setDone(said)
  }
  return (
    <div class="fields">
      <div class="row">
        <span class="dim">The next request:</span>
        {Object.entries(PRESETS).map(([name, preset]) => (
          <Button key={name} onClick={() => add({ ...preset, times: 1 }, `Added: ${name}.`)}>
            {name}
          </Button>
        ))}
      </div>
      <Fold title="Another fault">
        <Known of={page.described}>
          {(service) => <OtherFault {...props} service={service} add={(fault) => add(fault, 'Added.')} />}
        </Known>
      </Fold>
      {done && (
        <p class="good" role="status">
          {done}
        </p>
      )}
    </div>
  )
}

interface OtherFaultProps extends FaultFormProps {
  service: Service
  add: (fault: object) => Promise<void>
}

function OtherFault({ operation, family, service: { operations, errors }, add }: OtherFaultProps) {
  const names = Object.keys(EFFECTS)
  const [effect, setEffect] = useState(names[0] ?? '')
  const { fields = [], always } = EFFECTS[effect] ?? {}
  const choices = operations.flatMap(({ name }) => (name.startsWith(family ? `${family}.` : '') ? [name] : []))
  return (
    <>
      <div class="fields grid">
        <Field label="The request">
          <Choice label="Effect" value={effect} set={setEffect} values={names} />
        </Field>
      </div>
      <ControlForm
        key={effect}
        method="POST"
        path="/faults"
        verb="Add the fault"
        fields={[...(operation ? [] : ['operation']), ...fields, 'times', 'after']}
        initial={DEFAULTS}
        choices={{ operation: choices, error: Object.keys(errors) }}
        send={(fault) => add({ ...fault, ...always })}
      />
    </>
  )
}
