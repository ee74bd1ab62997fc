import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { Later } from './later.tsx'
import { page } from './page.ts'
import { Button } from './shared/controls.tsx'
import { formatClockTime, formatCount, formatCounted, formatRelative, formatTime } from './shared/format.ts'
import { Banner, KeyCard, Mark, useKeys } from './shared/layout.tsx'
import { showOverrides } from './shared/visible.ts'
import { Faults } from './tabs/faults.tsx'
import { Jobs } from './tabs/jobs.tsx'
import { Now } from './tabs/now.tsx'
import { Requests } from './tabs/requests.tsx'

interface Tab {
  readonly title: string
  readonly show: (id: string) => preact.ComponentChild
}

const TABS: Readonly<Record<string, Tab>> = {
  now: { title: 'Now', show: () => <Now /> },
  jobs: { title: 'Jobs', show: (id) => <Jobs id={id} /> },
  requests: { title: 'Requests', show: (id) => <Requests id={id} /> },
  traffic: { title: 'Traffic', show: (id) => <Later name="traffic" id={id} /> },
  resources: { title: 'Resources', show: (id) => <Later name="resources" id={id} /> },
  faults: { title: 'DNS & faults', show: () => <Faults /> },
  state: { title: 'State', show: (id) => <Later name="state" id={id} /> },
}

function App() {
  const [name = '', id = ''] = page.path
  const current = Object.hasOwn(TABS, name) ? name : 'now'
  const { isConnected, lostAt } = page
  const { name: own, url = '', dialect } = page.gateway ?? {}
  const [title, address] = [own ?? 'fauxgate', url.replace(/^https?:\/\//, '')]
  useSeconds()
  useEffect(() => {
    document.title = `${TABS[current]?.title} · ${own ?? (address || title)}`
    // In a narrow window, tabs and families scroll.
    for (const each of document.querySelectorAll('nav [aria-current]'))
      each.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [page.path.slice(0, 2).join(), page.gateway])
  useKeys((key) => {
    const found = key === '/' && document.querySelector<HTMLElement>('[type=search]')
    if (found) found.focus()
    return Boolean(found)
  })
  return (
    <>
      <header class="top row">
        <h1 title={`${title} ${url}`}>
          <a href="#now">
            <Mark />
            {title}
          </a>
          <small class="dim">{[address, dialect].filter(Boolean).join(' · ')}</small>
        </h1>
        {!page.needsKey && (
          <nav class="flex" aria-label="Tabs">
            {Object.entries(TABS).map(([each, { title }]) => (
              <a key={each} href={`#${each}`} aria-current={each === current ? 'page' : undefined}>
                {title}
              </a>
            ))}
          </nav>
        )}
        <Status />
      </header>
      {page.problem && (
        <Banner role="alert" kind="bad" dismiss={() => page.set({ problem: '' })}>
          {page.problem}
        </Banner>
      )}
      <Happened />
      <main class={`fill column ${isConnected || !lostAt ? '' : 'stale'}`}>
        {page.needsKey ? <Key /> : TABS[current]?.show(id)}
      </main>
    </>
  )
}

/** The transitions and responses of a clock move, with their nouns and the places that show them. */
const HAPPENED = [
  ['issued', 'issued certificate', 'jobs?state=issued'],
  ['renewed', 'renewed certificate', 'jobs?state=issued'],
  ['failed', 'failed attempt', 'jobs?state=failing'],
  ['renewal failed', 'failed renewal attempt', 'jobs?state=renewal+failing'],
  ['renewal started', 'started renewal', 'jobs?state=renewing'],
  ['responses', 'delayed response', 'requests'],
] as const

/** Shows what happened in the last clock move that can be undone, until it is undone or dismissed. More may have happened since then. */
function Happened() {
  const { undo, happened = {} } = page.overview ?? {}
  const id = JSON.stringify([undo, happened])
  const found = HAPPENED.filter(([name]) => happened[name])
  if (!undo || found.length === 0 || page.dismissed === id) return null
  return (
    <Banner role="status" dismiss={() => page.set({ dismissed: id })}>
      In the move from {formatTime(undo)}:{' '}
      {found.flatMap(([name, noun, place], at) => [
        at > 0 && ', ',
        <a key={name} href={`#${place}`}>
          {formatCounted(happened[name] ?? 0, noun)}
        </a>,
      ])}
    </Banner>
  )
}

function Status() {
  const { overview, isConnected, lostAt, needsKey } = page
  const connection = needsKey ? 'not connected' : 'connecting'
  const { waiting = [], next, manual, undo } = overview ?? {}
  return (
    <div class="status row">
      {waiting.length > 0 && (
        <a class="busy" href={`#requests/${waiting[0]?.operationId}`}>
          {formatCount(waiting.length)} <span>request{waiting.length > 1 && 's'}</span> waiting
        </a>
      )}
      {overview && <b>{formatTime(page.now)}</b>}
      {next && <span class="dim next">next {formatRelative(next.at, page.now)}</span>}
      {manual && (
        <Button
          label="Move the clock to the next event"
          onClick={() => page.moveClock('/clock', { next: true })}
          disabled={!next || page.isMoving}
        >
          Next ›
        </Button>
      )}
      {undo && (
        <Button
          asking={`Discard everything since ${formatTime(undo)}?`}
          label="Undo the last clock move"
          onClick={() => page.control('POST', '/undo')}
        >
          Undo
        </Button>
      )}
      <span class={isConnected ? 'good' : 'bad'} role="status">
        {isConnected ? 'live' : lostAt ? `as of ${formatClockTime(lostAt)}, disconnected` : connection}
      </span>
    </div>
  )
}

function Key() {
  const open = (key: string) => {
    page.connection.key = key
    page.set({ needsKey: false })
  }
  return (
    <KeyCard name="Control key" open={open}>
      The server was started with it, by <code>--control-key</code> or <code>FAUXGATE_CONTROL_KEY</code>. For a sandbox,
      the response to the request that created it has the key. This tab stores it until you close it.
    </KeyCard>
  )
}

/** Renders the page every second if the gateway uses the system clock. */
function useSeconds(): void {
  const isMoving = page.overview?.manual === false
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setInterval(page.draw, 1000)
    return () => clearInterval(timer)
  }, [isMoving])
}

/** Sets the title of a text that is cut off, once the pointer is over it. */
addEventListener('pointerover', ({ target }) => {
  const text = target instanceof Element && target.closest<HTMLElement>('.clip, .line > *')
  if (text) text.title = text.scrollWidth > text.clientWidth ? text.textContent : ''
})
showOverrides()
const draw = () => render(<App />, document.body)
// A hidden page stays as it is until it has new data.
page.draw = () => document.hidden || draw()
draw()
