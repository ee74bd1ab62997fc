import { useState } from 'preact/hooks'
import type { Snapshot } from '../../control/state/snapshot.ts'
import { usePage } from '../page.ts'
import { Form, Send, Text } from '../shared/inputs.tsx'
import { Card, inWords } from '../shared/layout.tsx'
import { useLive } from '../shared/live.ts'
import { Button, Json } from '../shared/parts.tsx'
import { readable } from '../shared/time.ts'

/** The state as a whole: kept, brought back, exported, imported, reset. */
export function State() {
  const page = usePage()
  const report = useLive(() => page.ask<string>('GET', '/report'), [])
  const load = async (file: File | undefined) => {
    if (file) await page.ask('PUT', '/state', JSON.parse(await file.text()))
  }
  return (
    <div class="cards">
      <Kept />
      <Card title="Export and import">
        <p class="note">A snapshot is JSON without private keys: the records, the time, what is on order.</p>
        <div class="row">
          <Button kind="main" onClick={() => void page.doing(async () => download(await page.ask('GET', '/state')))}>
            Export
          </Button>
          <label class="file">
            Import
            <input
              type="file"
              accept=".json"
              onChange={(event) => void page.doing(() => load(event.currentTarget.files?.[0]))}
            />
          </label>
        </div>
      </Card>
      <Card title="Reset">
        <p class="note">Everything made since the start is gone; a manual clock goes back there.</p>
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

function Kept() {
  const page = usePage()
  const kept = page.snapshots
  const [name, setName] = useState('')
  const usual = `Snapshot ${kept.length + 1}`
  const keep = async () => {
    const snapshot = await page.ask<Snapshot>('GET', '/state')
    // They are no part of its type, since nobody needs to look into them.
    const { records } = snapshot as { records: Readonly<Record<string, readonly object[]>> }
    const size = Object.values(records).reduce((sum, { length }) => sum + length, 0)
    page.set({ snapshots: [{ name: name || usual, at: page.now, records: size, snapshot }, ...kept] })
    setName('')
  }
  return (
    <Card title="Snapshots" count={kept.length} wide>
      <p class="note">Kept in this page until it is closed, to go back to.</p>
      <Form act={() => void page.doing(keep)}>
        <Text label="Name of the snapshot" placeholder={usual} value={name} set={setName} />
        <Send>Take a snapshot</Send>
      </Form>
      <ul>
        {kept.map((each) => (
          <li key={each.name + each.at} class="record">
            <b>{each.name}</b>
            <span class="dim">
              {readable(each.at)} UTC, {inWords(each.records)} records
            </span>
            <Button label={`Go back to ${each.name}`} onClick={() => void page.act('PUT', '/state', each.snapshot)}>
              Go back
            </Button>
            <Button
              kind="quiet"
              label={`Forget ${each.name}`}
              onClick={() => {
                page.set({ snapshots: kept.filter((other) => other !== each) })
              }}
            >
              Forget
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function download(snapshot: object): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([JSON.stringify(snapshot, null, 2)]))
  link.download = 'fauxgate-state.json'
  link.click()
  URL.revokeObjectURL(link.href)
}
