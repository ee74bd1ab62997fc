import { useState } from 'preact/hooks'
import type { SavedSnapshot } from '../../generated/controls.ts'
import { useControl } from '../live.ts'
import { page } from '../page.ts'
import { Button, Choice, Form, Text } from '../shared/controls.tsx'
import { formatCounted, formatTime } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Known, ListCard } from '../shared/known.tsx'
import { Card, Fold, RecordList } from '../shared/layout.tsx'

export function State() {
  return (
    <div class="cards">
      <Snapshots />
      <CopyTest />
      <Card title="State" wide>
        <p class="dim">Files are JSON, without private keys. A reset returns to the initial state.</p>
        <div class="row">
          <Button onClick={async () => download(await page.control('GET', '/state'))}>Export</Button>
          <Button onClick={async () => load(await chooseFile())}>Import</Button>
          <Button
            kind="danger"
            asking="Delete all resources and requests?"
            onClick={() => page.control('POST', '/reset')}
          >
            Reset the gateway
          </Button>
        </div>
      </Card>
      <Card title="Report" wide>
        {/* A long journal takes the server a while. */}
        <Fold title="Show the report">
          <Report />
        </Fold>
      </Card>
    </div>
  )
}

function Report() {
  return <Known of={useControl<string>('/report')}>{(text) => <Json value={text} />}</Known>
}

function Snapshots() {
  return (
    <ListCard title="Snapshots" of={useControl<SavedSnapshot[]>('/snapshots')}>
      {(snapshots) => <SnapshotList of={snapshots} />}
    </ListCard>
  )
}

function SnapshotList({ of: snapshots }: { of: readonly SavedSnapshot[] }) {
  const [name, setName] = useState('')
  const [compared, setCompared] = useState<Compared | undefined>(undefined)
  const [chosen, setChosen] = useState('')
  const names = snapshots.map((each) => each.name)
  // The chosen snapshot may have been deleted.
  const to = names.includes(chosen) ? chosen : ''
  const take = async () => {
    await page.control('POST', '/snapshots', name ? { name } : {})
    // The user may have typed the next one.
    setName((now) => (now === name ? '' : now))
  }
  return (
    <>
      <p class="dim">Snapshots survive a reset and, with --data, a restart.</p>
      <Form
        act={() => take()}
        verb="Take a snapshot"
        after={
          names.length > 0 && (
            <span>
              compare with <Choice label="Compare with" value={to} set={setChosen} values={names} none="now" />
            </span>
          )
        }
      >
        <Text label="Name of the snapshot" placeholder={`Snapshot ${names.length + 1}`} value={name} set={setName} />
      </Form>
      <RecordList of={snapshots.toReversed()} keyOf={(each) => each.name}>
        {({ name, at, records }) => (
          <>
            <b>{name}</b>
            <span class="dim">
              {formatTime(at)} UTC, {formatCounted(records, 'record')}
            </span>
            <Button
              label={`Restore ${name}`}
              asking="Replace the current state?"
              onClick={() => page.control('POST', '/snapshots/restore', { name })}
            >
              Restore
            </Button>
            <Button label={`Compare ${name}`} onClick={() => setCompared({ from: name, to })}>
              Compare
            </Button>
            <Button
              kind="quiet"
              label={`Delete ${name}`}
              onClick={() => page.control('DELETE', '/snapshots', { name })}
            >
              Delete
            </Button>
          </>
        )}
      </RecordList>
      {compared && <Difference key={JSON.stringify(compared)} {...compared} />}
    </>
  )
}

/** The names of two snapshots. `to` is empty for the current state. */
interface Compared {
  readonly from: string
  readonly to: string
}

/** The difference, updated with the current state. */
function Difference({ from, to }: Compared) {
  const query = new URLSearchParams({ from, ...(to && { to }) })
  const live = useControl<string>(`/snapshots/difference?${query}`)
  return (
    <Known of={live}>{(text) => <Json value={`From ${from} to ${to || 'now'}:\n${text}`} title="Difference" />}</Known>
  )
}

const RUNNERS = ['vitest', 'Jest', 'node:test']

function CopyTest() {
  const [runner, setRunner] = useState('vitest')
  const [text, setText] = useState('')
  const choose = (each: string) => {
    setRunner(each)
    setText('')
  }
  return (
    <Card title="Copy as test" wide>
      <p class="dim">The journal's requests and the controls between them, as a test file.</p>
      <div class="row">
        {RUNNERS.map((each) => (
          <Button key={each} pressed={each === runner} onClick={() => choose(each)}>
            {each}
          </Button>
        ))}
        <Button onClick={async () => setText(await page.control('GET', `/test?runner=${runner}`))}>
          Create the test
        </Button>
      </div>
      {text && <Json value={text} title="Test" />}
    </Card>
  )
}

function download(snapshot: object): void {
  const href = URL.createObjectURL(new Blob([JSON.stringify(snapshot, null, 2)]))
  Object.assign(document.createElement('a'), { href, download: 'fauxgate-state.json' }).click()
  URL.revokeObjectURL(href)
}

function chooseFile(): Promise<File | undefined> {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept: '.json' })
  return new Promise((resolve) => {
    input.oncancel = () => resolve(undefined)
    input.onchange = () => resolve(input.files?.[0])
    input.click()
  })
}

async function load(file: File | undefined): Promise<void> {
  if (!file) return
  const text = await file.text()
  let snapshot: unknown
  try {
    snapshot = JSON.parse(text)
  } catch (error) {
    throw new Error(`${file.name} is not a snapshot: ${Object(error).message}. Choose a file written by Export.`)
  }
  await page.control('PUT', '/state', snapshot)
}
