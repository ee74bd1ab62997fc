import { useEffect, useReducer, useState } from 'preact/hooks'
import { type Page, PageContext, usePage } from './page.ts'
import { Jobs } from './parts/jobs.tsx'
import { Now } from './parts/now.tsx'
import { Orders } from './parts/orders.tsx'
import { Requests } from './parts/requests.tsx'
import { Resources } from './parts/resources.tsx'
import { State } from './parts/state.tsx'
import { Form, Send, Text } from './shared/inputs.tsx'
import { Card } from './shared/layout.tsx'
import { Button } from './shared/parts.tsx'
import { fromNow, readable } from './shared/time.ts'

/** The parts by their places in the address. */
const PARTS = {
  now: 'Now',
  jobs: 'Jobs',
  requests: 'Requests',
  resources: 'Resources',
  orders: 'DNS & faults',
  state: 'State',
}

/** The whole page. */
export function App({ page }: { page: Page }) {
  const [part = '', ...place] = page.place.split('/').map(decodeURIComponent)
  const shown = part in PARTS ? part : 'now'
  useDrawing(page)
  return (
    <PageContext.Provider value={page}>
      <header class="top">
        <h1>
          <a href="#now">fauxgate</a>
        </h1>
        <nav aria-label="Parts">
          {Object.entries(PARTS).map(([name, title]) => (
            <a key={name} href={`#${name}`} aria-current={name === shown ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <Status />
      </header>
      {page.problem && (
        <p class="problem" role="alert">
          {page.problem}{' '}
          <Button
            kind="quiet"
            label="Dismiss"
            onClick={() => {
              page.set({ problem: '' })
            }}
          >
            ×
          </Button>
        </p>
      )}
      <main>{page.needsKey ? <Key /> : <Part name={shown} place={place} />}</main>
    </PageContext.Provider>
  )
}

function Part({ name, place: [first = '', second = ''] }: { name: string; place: readonly string[] }) {
  if (name === 'jobs') return <Jobs id={first} />
  if (name === 'requests') return <Requests id={first} />
  if (name === 'resources') return <Resources name={first} id={second} />
  if (name === 'orders') return <Orders />
  return name === 'state' ? <State /> : <Now />
}

/** The time and what comes next, in sight of every part. */
function Status() {
  const page = usePage()
  const overview = page.overview
  const isConnected = page.isConnected
  return (
    <div class="status">
      {overview && <b>{readable(page.now)}</b>}
      {overview?.next && <span class="dim">next {fromNow(overview.next.at, page.now)}</span>}
      {overview?.manual && (
        <Button
          label="Move the clock to the next event"
          onClick={() => void page.act('POST', '/clock', { next: true })}
          disabled={!overview.next}
        >
          Next ›
        </Button>
      )}
      <span class={`light ${isConnected ? 'good' : 'bad'}`} role="status">
        {isConnected ? 'live' : 'not connected'}
      </span>
    </div>
  )
}

function Key() {
  const page = usePage()
  const [key, setKey] = useState('')
  const send = () => {
    page.connection.key = key
    page.set({ needsKey: false })
  }
  return (
    <div class="cards">
      <Card title="Control key">
        <p class="note">This gateway was started with one. It is kept for this tab only.</p>
        <Form act={send}>
          <Text type="password" label="Control key" value={key} set={setKey} />
          <Send>Open</Send>
        </Form>
      </Card>
    </div>
  )
}

/** Draws the page when something changes and, where the time passes by itself, each second. */
function useDrawing(page: Page): void {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const isMoving = page.overview?.manual === false
  useEffect(() => {
    page.draw = () => draw(undefined)
    draw(undefined)
  }, [])
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setInterval(draw, 1000)
    return () => clearInterval(timer)
  }, [isMoving])
}
