import type { ComponentType } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { type Live, LOADING, settle } from './live-value.ts'
import { page } from './page.ts'
import { Known } from './shared/known.tsx'

type Tab = ComponentType<{ readonly id: string }>

/** The tabs that are separate scripts. */
const TABS: Readonly<Record<string, () => Promise<Tab>>> = {
  traffic: async () => (await import('./tabs/traffic.tsx')).Traffic,
  resources: async () => (await import('./tabs/resources.tsx')).Resources,
  state: async () => (await import('./tabs/state.tsx')).State,
}

const tabs = new Map<string, Live<Tab>>()

/** A tab that loads when it is first shown. */
export function Later({ name, id }: { name: keyof typeof TABS; id: string }) {
  const tab = tabs.get(name) ?? LOADING
  useLayoutEffect(() => {
    const load = TABS[name]
    if (tab.state === 'known' || !load) return
    void settle(tab, load).then((loaded) => {
      tabs.set(name, loaded)
      page.set({})
    })
  }, [name, page.version])
  return <Known of={tab}>{(Tab) => <Tab id={id} />}</Known>
}
