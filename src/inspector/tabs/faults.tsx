import { useState } from 'preact/hooks'
import type { DnsRecord, ListedFault, ListedOutcome, MissedRequest } from '../../generated/controls.ts'
import { useControl } from '../live.ts'
import { page } from '../page.ts'
import { Button, Problem, Search, Text, useWork } from '../shared/controls.tsx'
import { formatCount, formatCounted, formatTime } from '../shared/format.ts'
import { Known, ListCard } from '../shared/known.tsx'
import { Chip, Fold, OutcomeChip, RecordList } from '../shared/layout.tsx'
import { ControlForm } from '../shared/schema-form.tsx'
import { Table } from '../shared/table.tsx'
import { FaultForm } from './fault-form.tsx'

const MAX_RECORDS = 200

const OUTCOMES = ['DNS_ERROR', 'INTERNAL_ERROR', 'success']

export function Faults() {
  return (
    <div class="cards">
      <FaultList />
      <Outcomes />
      <Zone />
    </div>
  )
}

function FaultList() {
  return (
    <ListCard title="Faults" of={useControl<ListedFault[]>('/faults')}>
      {(faults) => (
        <>
          <RecordList of={faults} keyOf={({ id }) => id}>
            {(fault) => (
              <>
                <Chip tone={fault.state === 'used up' ? 'dim' : 'busy'}>{fault.state}</Chip>
                <FaultText fault={fault} />
                {isOfApi(fault) && fault.hits > 0 && (
                  <a href={`#requests?q=fault:${fault.id}`}>requests it applied to</a>
                )}
                <Remove what={fault.id} path="/faults" query={{ id: fault.id }} />
                {fault.missed && isOfApi(fault) && <MissedRequests of={fault.missed} />}
              </>
            )}
          </RecordList>
          {faults.length > 0 && <RemoveAll what="faults" path="/faults" />}
          <FaultForm />
        </>
      )}
    </ListCard>
  )
}

function Outcomes() {
  const path = '/provisioning/script'
  return (
    <ListCard title="Pending outcomes" of={useControl<ListedOutcome[]>(path)}>
      {(outcomes) => (
        <>
          <p class="dim">The outcomes of the next attempts, or of all attempts.</p>
          <RecordList of={outcomes} keyOf={({ id }) => id}>
            {({ id, always, outcome, error, message, retriesAfter, domain }) => (
              <>
                {always && 'always '}
                <OutcomeChip outcome={outcome} />
                {error && <code>{error}</code>}
                <b>{domain ?? 'any domain'}</b>
                <span class="dim">
                  {message}
                  {retriesAfter !== undefined && ` (retried after ${retriesAfter})`}
                </span>
                <Remove what={`${outcome} for ${domain ?? 'any domain'}`} path={path} query={{ id }} />
              </>
            )}
          </RecordList>
          <ScriptForm />
          {outcomes.length > 0 && <RemoveAll what="outcomes" path={path} />}
        </>
      )}
    </ListCard>
  )
}

function Zone() {
  return (
    <ListCard title="DNS zone" of={useControl<DnsRecord[]>('/dns')}>
      {(all) => <ZoneRecords all={all} />}
    </ListCard>
  )
}

function ZoneRecords({ all }: { all: readonly DnsRecord[] }) {
  const [text, setText] = useState('')
  const found = all.filter(({ name, value, issuewild }) =>
    `${name} ${value ?? ''} ${issuewild ?? ''}`.toLowerCase().includes(text.toLowerCase()),
  )
  return (
    <>
      <p class="dim">
        {page.overview?.dns === 'simulated'
          ? 'Attempts look here for CNAME and CAA records.'
          : 'Attempts do not look here. Start with --dns simulated.'}
      </p>
      {all.length > 10 && <Search what="records" value={text} set={setText} />}
      {found.length > 0 && (
        <Table
          rows={found.slice(0, MAX_RECORDS)}
          keyOf={({ name, type }) => name + type}
          columns={[
            { name: 'Name', cell: ({ name }) => <code>{name}</code> },
            {
              name: 'Type',
              cell: ({ type, visibleFrom }) => [
                `${type} `,
                visibleFrom && <small class="dim">seen from {formatTime(visibleFrom)}</small>,
              ],
            },
            { name: 'Value', cell: (record) => <RecordValue of={record} /> },
            { name: 'Action', cell: ({ name }) => <Remove what={name} path="/dns" query={{ name }} /> },
          ]}
        />
      )}
      {found.length > MAX_RECORDS && <p class="dim">The first {MAX_RECORDS} are shown.</p>}
      <Fold title="Set a record">
        <ControlForm method="PUT" path="/dns" verb="Set" />
      </Fold>
    </>
  )
}

/** The value of a record in an input. A new value from the server does not overwrite the text that the user is typing. */
function RecordValue({ of: { name, type, value: known, issuewild } }: { of: DnsRecord }) {
  const { error, run } = useWork()
  const wild = issuewild !== undefined && { issuewild }
  const set = (value: string) => page.control('PUT', '/dns', { name, type, value, ...wild })
  return (
    <>
      <input
        aria-label={`Value of ${name}`}
        defaultValue={known}
        onChange={({ currentTarget }) => void run(() => set(currentTarget.value))}
      />
      {issuewild !== undefined && <small class="dim"> issuewild {issuewild || 'none'}</small>}
      <Problem text={error?.message} />
    </>
  )
}

/** Scripts the outcomes of the next attempts, for a given domain or for a domain that the user enters. */
export function ScriptForm({ domain }: { domain?: string }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({ domain: domain ?? '' })
  const add = (outcome: string) => {
    const { domain, ...more } = Object.fromEntries(Object.entries(values).filter(([, value]) => value))
    const outcomes = [outcome === 'success' ? outcome : { outcome, ...more }]
    return page.control('POST', '/provisioning/script', { outcomes, domain })
  }
  const input = (name: string, label: string) => (
    <Text
      label={label}
      placeholder={`${label} (optional)`}
      size={22}
      set={(value) => setValues({ ...values, [name]: value })}
    />
  )
  return (
    <div class="row">
      <span class="dim">Next attempt:</span>
      {OUTCOMES.map((outcome) => (
        <Button key={outcome} onClick={() => add(outcome)}>
          + {outcome}
        </Button>
      ))}
      {domain === undefined && input('domain', 'Domain')}
      {input('message', 'Message')}
      {input('retriesAfter', 'Retries after')}
    </div>
  )
}

/** The requests that a fault did not apply to, and why. Equal requests share a line. */
export function MissedRequests({ of }: { of: readonly MissedRequest[] }) {
  const texts = of.map(({ request, reason }) => `${request}: ${reason}.`)
  return (
    <>
      {[...new Set(texts)].map((text) => {
        const count = texts.filter((each) => each === text).length
        return (
          <p key={text} class="dim">
            {text} {count > 1 && `(${formatCount(count)} times)`}
          </p>
        )
      })}
    </>
  )
}

/** The faults that may apply to requests for a resource that exists. */
export function PendingFaults({ family, id }: { family: string; id: string }) {
  const isFor = (fault: ListedFault) => {
    const { state, operation, path, resource } = fault
    const isOfFamily = isOfApi(fault) && (operation?.startsWith(`${family}.`) ?? true)
    if (operation === `${family}.create`) return false
    return state !== 'used up' && isOfFamily && (resource ?? id) === id && (path ?? id).includes(id)
  }
  return (
    <>
      <Known of={useControl<ListedFault[]>('/faults')}>
        {(all) => (
          <>
            {all.some(isFor) && <h3>Faults that apply to it</h3>}
            {all.filter(isFor).map((fault) => (
              <p key={fault.id}>
                <a href="#faults">{fault.id}</a> <FaultText fault={fault} />
              </p>
            ))}
          </>
        )}
      </Known>
      <Fold title="Fail the next request for it">
        <FaultForm family={family} resource={id} />
      </Fold>
    </>
  )
}

/** Returns whether a fault is for API requests. Other faults are for visitors or for the agent's API. */
export function isOfApi({ traffic, agent }: ListedFault): boolean {
  return traffic === undefined && agent === undefined
}

/** A description of a fault. */
function FaultText({ fault }: { fault: ListedFault }) {
  const { id: _id, missed: _missed, state: _state, hits, passed, times, operation, traffic, agent, ...spec } = fault
  const scope = traffic ? `visitors of ${traffic}` : agent ? `the agent's API ${agent}` : 'every operation'
  const rest = Object.entries(spec).map(([name, value]) => `${name} ${typeof value === 'object' ? '…' : value}`)
  return (
    <span>
      <b>{operation ?? scope}</b> {rest.join(', ')}{' '}
      <span class="dim">
        applied {times && `${formatCount(hits)} of `}
        {formatCounted(times ?? hits, 'time')}
        {passed > 0 && `, ${formatCount(passed)} passed`}
      </span>
    </span>
  )
}

function Remove({ what, path, query }: { what: string; path: string; query: object }) {
  return (
    <Button kind="quiet" label={`Remove ${what}`} onClick={() => page.control('DELETE', path, query)}>
      Remove
    </Button>
  )
}

function RemoveAll({ what, path }: { what: string; path: string }) {
  return (
    <div class="row">
      <Button
        kind="danger"
        asking={`Remove all ${what}?`}
        label={`Remove all ${what}`}
        onClick={() => page.control('DELETE', path)}
      >
        Remove all
      </Button>
    </div>
  )
}
