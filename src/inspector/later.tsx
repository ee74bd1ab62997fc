import type { ComponentType } from 'preact'
import { useLayoutEffect, useReducer } from 'preact/hooks'
import { shared } from './for-tabs.ts'
import { type Live, LOADING, settle } from './live-value.ts'
import { page } from './page.ts'
import { Known } from './shared/known.tsx'

type Tab = ComponentType<{ readonly id: string }>

const tabs = new Map<string, Live<Tab>>()

/** A tab of the page that is a script of its own, loaded once. */
export function Later({ name, id }: { name: string; id: string }) {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const tab = tabs.get(name) ?? LOADING
  useLayoutEffect(() => {
    if (tab.state === 'known') return
    void settle(tab, () => loadTab(name)).then((loaded) => {
      tabs.set(name, loaded)
      draw(undefined)
    })
  }, [name, page.version])
  return <Known of={tab}>{(Tab) => <Tab id={id} />}</Known>
}

async function loadTab(name: string): Promise<Tab> {
  // The build must leave the import unchanged, so the address is no literal.
  const address = `./${name}.js`
  const { default: create }: { default: (from: object) => Tab } = await import(address)
  return create(shared)
}
