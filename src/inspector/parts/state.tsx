import { useState } from 'preact/hooks'
import type { SavedSnapshot } from '../../core/generated/controls.ts'
import { useControl } from '../live.ts'
import { page } from '../page.ts'
import { Button, Choice, Form, Submit, Text } from '../shared/controls.tsx'
import { formatCounted, formatTime } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Card, RecordList } from '../shared/layout.tsx'
import { generateTest, RUNNERS, type Runner } from './test-code.ts'

export function State() {
  const report = useControl<string>('/report')
  const load = async (file: File) => {
    const text = await file.text()
    let snapshot: unknown
    try {
      snapshot = JSON.parse(text)
    } catch (error) {
      throw new Error(`${file.name} is not a snapshot: ${Object(error).message}. Choose a file that Export wrote.`)
    }
    await page.control('PUT', '/state', snapshot)
  }
  return (
    <div class="cards">
      <Snapshots />
      <CopyTest />
      <Card title="The whole state" wide>
        <p class="dim">Files are JSON, without private keys. A reset goes back to the state at the start.</p>
        <div class="row">
          <Button onClick={() => page.run(async () => download(await page.control('GET', '/state')))}>Export</Button>
          <Button onClick={() => chooseFile((file) => void page.run(() => load(file)))}>Import</Button>
          <Button
            kind="danger"
            twice
            asking="Lose all resources and requests?"
            onClick={() => page.callControl('POST', '/reset')}
          >
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
  const snapshots = useControl<SavedSnapshot[]>('/snapshots') ?? []
  const [name, setName] = useState('')
  const [difference, setDifference] = useState('')
  const [chosen, setChosen] = useState('')
  // The chosen snapshot may be forgotten by now.
  const to = snapshots.some((each) => each.name === chosen) ? chosen : ''
  const take = async () => {
    if (await page.callControl('POST', '/snapshots', name ? { name } : {})) setName('')
  }
  const compare = (from: string) =>
    page.run(async () => {
      const query = new URLSearchParams({ from, ...(to && { to }) })
      const text = await page.control<string>('GET', `/snapshots/difference?${query}`)
      setDifference(`From ${from} to ${to || 'now'}:\n${text}`)
    })
  return (
    <Card title="Snapshots" note={snapshots.length} wide>
      <p class="dim">They survive a reset and, with --data, a restart.</p>
      <Form act={() => take()}>
        <Text
          label="Name of the snapshot"
          placeholder={`Snapshot ${snapshots.length + 1}`}
          value={name}
          set={setName}
        />
        <Submit>Take a snapshot</Submit>
        {snapshots.length > 0 && (
          <span>
            compare with{' '}
            <Choice
              label="Compare with"
              value={to}
              set={setChosen}
              values={snapshots.map((each) => each.name)}
              none="now"
            />
          </span>
        )}
      </Form>
      <RecordList of={snapshots.toReversed()} keyOf={(each) => each.name}>
        {(each) => (
          <>
            <b>{each.name}</b>
            <span class="dim">
              {formatTime(each.at)} UTC, {formatCounted(each.records, 'record')}
            </span>
            <Button
              label={`Go back to ${each.name}`}
              twice
              asking="Lose the present state?"
              onClick={() => page.callControl('POST', '/snapshots/restore', { name: each.name })}
            >
              Go back
            </Button>
            <Button label={`Compare ${each.name}`} onClick={() => compare(each.name)}>
              Compare
            </Button>
            <Button
              kind="quiet"
              label={`Forget ${each.name}`}
              onClick={() => page.callControl('DELETE', '/snapshots', { name: each.name })}
            >
              Forget
            </Button>
          </>
        )}
      </RecordList>
      {difference && <Json value={difference} title="Difference" />}
    </Card>
  )
}

function CopyTest() {
  const [runner, setRunner] = useState<Runner>('vitest')
  const [text, setText] = useState('')
  return (
    <Card title="Copy as test" wide>
      <p class="dim">The requests of the journal and the controls between them, as a test file.</p>
      <div class="row">
        {RUNNERS.map((each) => (
          <Button key={each} pressed={each === runner} onClick={() => setRunner(each)}>
            {each}
          </Button>
        ))}
        <Button onClick={() => page.run(async () => setText(await generateTest(runner)))}>Make the test</Button>
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

function chooseFile(use: (file: File) => void): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept: '.json' })
  input.onchange = () => {
    for (const file of input.files ?? []) use(file)
  }
  input.click()
}
