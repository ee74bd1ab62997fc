import { useState } from 'preact/hooks'
import type { Snapshot } from '../../control/snapshot.ts'
import { useLive, usePage } from '../page.ts'
import { Button, Form, Submit, Text } from '../shared/controls.tsx'
import { formatCounted, formatTime } from '../shared/format.ts'
import { Card, Json, Records } from '../shared/layout.tsx'

export function State() {
  const page = usePage()
  const report = useLive(() => page.control<string>('GET', '/report'), [])
  const load = async (file: File) => page.control('PUT', '/state', JSON.parse(await file.text()))
  return (
    <div class="cards">
      <Snapshots />
      <Card title="Export and import">
        <p class="dim">A snapshot is JSON without private keys: the records, the time, pending outcomes and faults.</p>
        <div class="row">
          <Button kind="main" onClick={() => void page.run(async () => download(await page.control('GET', '/state')))}>
            Export
          </Button>
          <Button onClick={() => chooseFile((file) => void page.run(() => load(file)))}>Import</Button>
        </div>
      </Card>
      <Card title="Reset">
        <p class="dim">Removes all that was created since the start; a manual clock goes back there.</p>
        <div class="row">
          <Button kind="danger" twice onClick={() => void page.act('POST', '/reset')}>
            Reset the gateway
          </Button>
        </div>
      </Card>
      <Card title="Report" wide>
        <Json value={report ?? ''} />
      </Card>
    </div>
  )
}

function Snapshots() {
  const page = usePage()
  const { snapshots } = page
  const [name, setName] = useState('')
  const nextName = `Snapshot ${snapshots.length + 1}`
  const take = async () => {
    const snapshot = await page.control<Snapshot>('GET', '/state')
    // The public type hides the records.
    const { records } = snapshot as { records: Readonly<Record<string, readonly object[]>> }
    const count = Object.values(records).flat().length
    page.set({ snapshots: [{ name: name || nextName, at: page.now, records: count, snapshot }, ...snapshots] })
    setName('')
  }
  return (
    <Card title="Snapshots" count={snapshots.length} wide>
      <p class="dim">Kept in this page until it is closed, to go back to.</p>
      <Form act={() => void page.run(take)}>
        <Text label="Name of the snapshot" placeholder={nextName} value={name} set={setName} />
        <Submit>Take a snapshot</Submit>
      </Form>
      <Records of={snapshots} keyOf={(each) => each.name + each.at}>
        {(each) => (
          <>
            <b>{each.name}</b>
            <span class="dim">
              {formatTime(each.at)} UTC, {formatCounted(each.records, 'record')}
            </span>
            <Button label={`Go back to ${each.name}`} onClick={() => void page.act('PUT', '/state', each.snapshot)}>
              Go back
            </Button>
            <Button
              kind="quiet"
              label={`Forget ${each.name}`}
              onClick={() => page.set({ snapshots: snapshots.filter((other) => other !== each) })}
            >
              Forget
            </Button>
          </>
        )}
      </Records>
    </Card>
  )
}

function download(snapshot: object): void {
  const href = URL.createObjectURL(new Blob([JSON.stringify(snapshot, null, 2)]))
  Object.assign(document.createElement('a'), { href, download: 'fauxgate-state.json' }).click()
  URL.revokeObjectURL(href)
}

function chooseFile(use: (file: File) => void): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept: '.json' })
  input.onchange = () => {
    for (const file of input.files ?? []) use(file)
  }
  input.click()
}
