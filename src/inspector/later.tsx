import type { ComponentType } from 'preact'
import { useLayoutEffect, useReducer } from 'preact/hooks'
import { shared } from './for-tabs.ts'
import { page } from './page.ts'
import { Loading } from './shared/layout.tsx'

type Tab = ComponentType<{ readonly id: string }>

const tabs = new Map<string, Tab>()

/** A tab of the page that is a script of its own, loaded once. */
export function Later({ name, id }: { name: string; id: string }) {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useLayoutEffect(() => {
    if (!tabs.has(name)) void page.load(() => loadTab(name).then(draw))
  }, [name])
  const Tab = tabs.get(name)
  return Tab ? <Tab id={id} /> : <Loading />
}

async function loadTab(name: string): Promise<void> {
  // The build must leave the import unchanged, so the address is no literal.
  const address = `./${name}.js`
  const { default: create }: { default: (from: object) => Tab } = await import(address).catch(() => {
    throw new Error('This tab could not be loaded. Reload the page.')
  })
  tabs.set(name, create(shared))
}
